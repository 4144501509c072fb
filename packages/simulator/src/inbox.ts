// Reads stdin, line by line. A line that is not JSON, or a prompt of another role, ends the process, like it ends the
// CLI.
import { answerRequest } from "./control.ts";
import { isRecord, parseJson, recordAt, textAt } from "./json.ts";
import type { Json } from "./json.ts";
import { promptOf } from "./prompt.ts";
import type { Session } from "./session-contract.ts";

export class Inbox {
  readonly #session: Session;
  /** Uuids of earlier prompts. */
  readonly #known = new Set<string>();
  /** Requests of the host that can be canceled while they run. */
  readonly #cancelled = new Map<string, AbortController>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** One line of stdin. */
  receive(line: string): void {
    if (line.trim() === "") return;
    const message = parseJson(line);
    if (message === undefined) {
      this.#session.fail(
        `Error parsing streaming input line (type=unknown, ${String(line.length)} chars): SyntaxError`,
      );
      return;
    }
    if (!isRecord(message)) return;
    switch (message.type) {
      case "user":
        this.#receivePrompt(message);
        return;
      case "control_request":
        void this.#receiveRequest(message);
        return;
      case "control_response":
        if (this.#session.requests.answer(message) && this.#session.options.replayUserMessages)
          this.#session.output.write(message);
        return;
      case "control_cancel_request":
        this.#cancelled.get(textAt(message, "request_id") ?? "")?.abort();
        return;
      default:
        // Unknown types are ignored, as in the CLI.
        return;
    }
  }

  async #receiveRequest(message: Json): Promise<void> {
    const id = textAt(message, "request_id") ?? "";
    const abort = new AbortController();
    this.#cancelled.set(id, abort);
    await answerRequest(this.#session, id, recordAt(message, "request"), abort.signal);
    this.#cancelled.delete(id);
  }

  #receivePrompt(message: Json): void {
    const role = textAt(recordAt(message, "message"), "role");
    if (role !== "user") {
      this.#session.fail(`Error: Expected message role 'user', got '${String(role)}'`);
      return;
    }
    const prompt = promptOf(message);
    if (prompt.uuid !== undefined) {
      if (this.#known.has(prompt.uuid)) {
        if (this.#session.options.replayUserMessages)
          this.#session.voice.replay(prompt.content, prompt.uuid, prompt.origin, false);
        return;
      }
      this.#known.add(prompt.uuid);
    }
    this.#session.accept(prompt);
  }
}
