// Turns of a typical session, as many as needed: a text, a tool with its result, a result.
import type { Event } from "@quarterdeck/session";

export const EVENTS_A_TURN = 4;

const WORDS = "The splitter keeps what has begun and hands on each line as soon as it is whole. ".split(" ");

/** A different text for each turn. */
const textOf = (n: number): string =>
  Array.from({ length: 24 }, (_, index) => WORDS[(n * 7 + index * 3) % WORDS.length]).join(" ");

/** Turn `n`, counted from 0. Its first event has `seq`. */
export const turnOf = (n: number, seq: number): Event[] => {
  const assistant = (uuid: string, block: object) => ({
    type: "assistant",
    uuid,
    session_id: "s",
    message: {
      id: `m${n}`,
      role: "assistant",
      model: "m",
      content: [block],
      usage: { input_tokens: 10, output_tokens: 5 },
    },
  });
  const messages: object[] = [
    assistant(`a${n}`, { type: "text", text: textOf(n) }),
    assistant(`b${n}`, { type: "tool_use", id: `t${n}`, name: "Bash", input: { command: `ls folder-${n}` } }),
    {
      type: "user",
      uuid: `c${n}`,
      session_id: "s",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: "a file" }] },
      tool_use_result: { stdout: "a file", stderr: "", interrupted: false },
    },
    {
      type: "result",
      subtype: "success",
      is_error: false,
      uuid: `d${n}`,
      session_id: "s",
      result: "",
      total_cost_usd: n / 1000,
      usage: {},
      modelUsage: {},
    },
  ];
  return messages.map((message, index) => ({
    seq: seq + index,
    at: seq + index,
    type: "received",
    message: message as never,
  }));
};
