// `quarterdeck acp`: an agent of the Agent Client Protocol on stdin and stdout, for editors. It is a client of the server, so
// the session outlives the editor.

import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import type { AnyMessage, JsonRpcId, Stream } from "@agentclientprotocol/sdk/unstable";
import { ensureServer } from "../serve/ensure-server.ts";
import type { EnsureOptions } from "../serve/ensure-server.ts";
import { EditorAgent } from "./agent.ts";
import type { AcpOptions } from "./agent.ts";

export interface RunAcpOptions extends EnsureOptions, Pick<AcpOptions, "unstable" | "elsewhere"> {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** The largest line that an editor may send. A longer one ends the connection. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Resolves when the editor is gone. */
export const runAcp = async (options: RunAcpOptions): Promise<number> => {
  const answers = new Answers();
  const editor = new EditorAgent({
    version: options.version,
    unstable: options.unstable,
    elsewhere: options.elsewhere,
    connect: () => ensureServer(options),
    afterAnswer: (id, work) => answers.after(id, work),
  });
  const input = Readable.toWeb(options.stdin as Readable) as ReadableStream<Uint8Array>;
  const output = Writable.toWeb(options.stdout as Writable) as WritableStream<Uint8Array>;
  const connection = editor
    .app()
    .connect(answers.watching(ndJsonStream(output, input, { maxMessageBytes: MOST_BYTES })));
  const stop = (): void => connection.close();
  options.signal.addEventListener("abort", stop, { once: true });
  try {
    await connection.closed;
  } finally {
    options.signal.removeEventListener("abort", stop);
    editor.leave();
  }
  return 0;
};

/** Knows when an answer has been written, because no update may come before the answer to `session/new`. */
class Answers {
  readonly #waiting = new Map<JsonRpcId, () => void>();

  after(id: JsonRpcId, work: () => void): void {
    this.#waiting.set(id, work);
  }

  watching({ readable, writable }: Stream): Stream {
    const writer = writable.getWriter();
    return {
      readable,
      writable: new WritableStream<AnyMessage>({
        write: async (message) => {
          await writer.write(message);
          if ("method" in message || !("id" in message)) return;
          const work = this.#waiting.get(message.id);
          this.#waiting.delete(message.id);
          if (work !== undefined && "result" in message) work();
        },
      }),
    };
  }
}
