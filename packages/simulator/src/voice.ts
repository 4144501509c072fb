// Everything that a session writes except answers to control requests. Each message gets its uuid and session id, and
// is written to the session's file if it belongs there.
import { randomUUID } from "node:crypto";
import type { Message } from "./emit.ts";
import type { Json } from "./json.ts";
import type { ApiMessage } from "./scenario.ts";
import type { Session, SessionVoice, Thread } from "./session-contract.ts";

export class Voice implements SessionVoice {
  readonly #session: Session;
  /** The newest message in the session's file. */
  lastUuid: string | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  emit(message: Message): void {
    this.raw({ ...message, session_id: this.#session.id, uuid: randomUUID() });
  }

  raw(message: Message): void {
    if (this.#session.options.outputFormat === "stream-json") this.#session.output.write(message);
    else if (message.type === "result" && this.#session.options.outputFormat === "json")
      this.#session.output.write(message);
    else if (message.type === "result") process.stdout.write(`${String(message.result ?? message.errors)}\n`);
  }

  assistant({
    message,
    thread,
    extra,
  }: {
    readonly message: Json;
    readonly thread: Thread | undefined;
    readonly extra: Json;
  }): void {
    const uuid = randomUUID();
    this.raw({
      type: "assistant",
      message,
      parent_tool_use_id: null,
      session_id: this.#session.id,
      uuid,
      timestamp: new Date().toISOString(),
      ...thread?.agent?.marks,
      ...extra,
    });
    if (thread?.agent === undefined) this.keep("assistant", message, uuid, {});
  }

  user({
    content,
    thread,
    extra,
  }: {
    readonly content: readonly Json[];
    readonly thread: Thread;
    readonly extra: Json;
  }): void {
    const uuid = randomUUID();
    if (thread.turn !== undefined) thread.turn.userMessages++;
    const message = { role: "user", content };
    this.raw({
      type: "user",
      message,
      parent_tool_use_id: null,
      session_id: this.#session.id,
      uuid,
      timestamp: new Date().toISOString(),
      ...thread.agent?.marks,
      ...extra,
    });
    if (thread.agent === undefined)
      this.keep("user", message, uuid, "tool_use_result" in extra ? { toolUseResult: extra.tool_use_result } : {});
  }

  userText(text: string, uuid: string | undefined, extra: Json): void {
    this.raw({
      type: "user",
      message: { role: "user", content: text },
      session_id: this.#session.id,
      parent_tool_use_id: null,
      uuid: uuid ?? randomUUID(),
      timestamp: new Date().toISOString(),
      ...extra,
    });
  }

  replay(content: ApiMessage["content"], uuid: string | undefined, origin: Json | undefined, isDated: boolean): void {
    this.raw({
      type: "user",
      message: { role: "user", content },
      session_id: this.#session.id,
      parent_tool_use_id: null,
      uuid: uuid ?? randomUUID(),
      ...(isDated ? { timestamp: new Date().toISOString() } : {}),
      isReplay: true,
      ...(origin === undefined ? {} : { origin }),
    });
  }

  lifecycle(commandUuid: string, state: "queued" | "started" | "completed" | "cancelled"): void {
    this.emit({ type: "command_lifecycle", command_uuid: commandUuid, state });
  }

  /** Writes a message to the session's file. */
  keep(type: "user" | "assistant", message: Json, uuid: string, extra: Json): void {
    this.lastUuid = uuid;
    this.#session.store.message(this.#session.id, { type, message, uuid, ...extra });
  }
}
