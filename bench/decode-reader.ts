// Reads the delta stream with one contender, each time with a fresh stub. Measures the time from the prompt to the
// decoded result. The first reading is cold and reported as such. The others have warm code, and the best of them
// counts.
// Usage: decode-reader.ts <contender> <stream file> <its bytes> <folder of the Agent SDK, or ""> [readings]
import { LineSplitter, decodeLine } from "@quarterdeck/protocol";

import { loadQuery } from "./agent-sdk.ts";
import type { Contender } from "./decode.ts";
import { PROMPT, STUB, clock, readStub, readingOf, since, stubEnvironment } from "./reader.ts";
import type { Clock, Reading } from "./reader.ts";

const [, , contender, stream = "", bytes, sdkFolder = "", readings = "1"] = process.argv;

let startedAt: Clock = clock();
let took: Clock = startedAt;
let deltas = 0;
let textLength = 0;
const onReady = (): void => {
  startedAt = clock();
};
const onDone = (): void => {
  took = since(startedAt);
};

/** What every contender does with a decoded message. Returns whether it was the last. */
const take = (message: unknown): boolean => {
  const { type, event } = message as { type: string; event?: { delta?: { type: string; text: string } } };
  if (type === "stream_event" && event?.delta?.type === "text_delta") {
    deltas += 1;
    textLength += event.delta.text.length;
  }
  if (type !== "result") return false;
  onDone();
  return true;
};

/** Reads the bytes and ignores them: the limit of the stub and the pipe. */
const drain = (): Promise<void> => {
  let left = Number(bytes);
  return readStub(stream, {
    onReady,
    onChunk: (chunk) => {
      left -= chunk.length;
      if (left > 0) return false;
      onDone();
      return true;
    },
  });
};

/** The limit of parsing: text, `split`, `JSON.parse`, without a size limit, noise handling or types. */
const bare = (): Promise<void> => {
  const decoder = new TextDecoder();
  let begun = "";
  return readStub(stream, {
    onReady,
    onChunk: (chunk) => {
      begun += decoder.decode(chunk, { stream: true });
      const lines = begun.split("\n");
      begun = lines.pop() ?? "";
      let isDone = false;
      for (const line of lines) if (take(JSON.parse(line))) isDone = true;
      return isDone;
    },
  });
};

const ours = (): Promise<void> => {
  const splitter = new LineSplitter();
  return readStub(stream, {
    onReady,
    onChunk: (chunk) => {
      let isDone = false;
      for (const line of splitter.push(chunk)) {
        const decoded = decodeLine(line);
        if (decoded.kind !== "message")
          throw new Error(`a line decoded as ${decoded.kind}: ${JSON.stringify(decoded)}`);
        if (take(decoded.message)) isDone = true;
      }
      return isDone;
    },
  });
};

const sdk = async (): Promise<void> => {
  const query = await loadQuery(sdkFolder);
  const { promise: initialized, resolve: initialize } = Promise.withResolvers<unknown>();
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const prompts = async function* () {
    await initialized;
    onReady();
    yield PROMPT;
    await finished;
  };
  const options = {
    pathToClaudeCodeExecutable: STUB,
    includePartialMessages: true,
    settingSources: [],
    env: stubEnvironment(stream),
  };
  const messages = query({ prompt: prompts(), options });
  // The SDK asks for the first prompt before the stub is running.
  initialize(messages.initializationResult());
  for await (const message of messages) {
    // Without more prompts, the SDK closes the stub's stdin, and the stub ends.
    if (take(message)) finish();
  }
};

const contenders: Readonly<Record<Contender, () => Promise<void>>> = { drain, bare, ours, sdk };
const times: Clock[] = [];
for (let left = Number(readings); left > 0; left -= 1) {
  deltas = 0;
  textLength = 0;
  await contenders[contender as Contender]();
  times.push(took);
}
const reading: Reading = readingOf(times, deltas, textLength);
console.log(JSON.stringify(reading));
