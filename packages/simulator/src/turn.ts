// One turn, from the prompts that start it to its `result`. It reports the state of each prompt.
import { initMessage } from "./facts.ts";
import { isSlash, textOf } from "./prompt.ts";
import type { Prompt } from "./prompt.ts";
import { converse } from "./thread.ts";
import type { Turn } from "./turn-state.ts";
import type { Session } from "./session-contract.ts";
import { localResult, modelResult } from "./turn-result.ts";

export const runTurn = async (session: Session, turn: Turn): Promise<void> => {
  const { prompts, marks } = turn;
  const replays = session.options.replayUserMessages;
  // If several prompts were joined, each except the last is shown on its own first.
  for (const prompt of prompts.slice(0, -1))
    if (replays) session.voice.replay(prompt.content, prompt.uuid, prompt.origin, false);
  for (const uuid of marks.uuids) session.voice.lifecycle(uuid, "started");
  session.ledger.beginTurn();
  session.checkpoints.begin(marks.uuids);

  const last = prompts.at(-1)!;
  const content = prompts.length === 1 ? last.content : prompts.map(textOf).join("\n");
  const isError = await play(session, turn, last, content);
  for (const uuid of marks.uuids.filter((it) => !turn.folded.includes(it))) {
    session.voice.lifecycle(uuid, isError || marks.preempted ? "cancelled" : "completed");
  }
};

/** Returns true if the turn ended in an error. */
const play = async (session: Session, turn: Turn, last: Prompt, given: Prompt["content"]): Promise<boolean> => {
  const { marks } = turn;
  const text = textOf({ content: given });
  let content = given;
  if (isSlash(last)) {
    const { runSlash } = await import("./slash.ts");
    const outcome = await runSlash(session, turn, text);
    if (outcome.kind === "done") return false;
    if (outcome.kind === "prompt") content = outcome.text;
  }
  const verdict = last.isNotice ? undefined : await session.hooks.promptSubmit(text);
  await session.mcp.ready();
  session.voice.emit(initMessage(session, marks.uuids));

  if (verdict?.blocked !== undefined) {
    const shown = `UserPromptSubmit operation blocked by hook:\n${verdict.blocked.shown}\n\nOriginal prompt: ${text}`;
    session.voice.emit({
      type: "system",
      subtype: "informational",
      content: shown,
      level: "warning",
      prevent_continuation: true,
      prompt_submit_outcome: { kind: "blocked_by_hook", prompt_kept: false, reason: verdict.blocked.reason },
    });
    localResult(session, turn, shown);
    return false;
  }

  const replay = (): void => {
    if (session.options.replayUserMessages && !last.isNotice)
      session.voice.replay(content, last.uuid, last.origin, true);
    marks.onFirstByte = () => {};
  };
  session.remember(content, last);
  for (const context of verdict?.context ?? [])
    session.messages.push({ role: "user", content: `<system-reminder>${context}</system-reminder>` });
  if (!last.shouldQuery) {
    replay();
    localResult(session, turn, "");
    return false;
  }
  marks.onFirstByte = replay;
  const end = await converse(session, {
    messages: session.messages,
    signal: turn.abort.signal,
    agent: undefined,
    model: session.modelId,
    turn: marks,
  });
  for (const uuid of turn.folded) session.voice.lifecycle(uuid, "completed");
  return modelResult(session, turn, end);
};
