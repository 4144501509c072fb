// An editor for tests: the client of the SDK at the program `quarterdeck acp`. It keeps every message in the order of the wire, and
// checks each update and request against the protocol's own JSON schema.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { Readable, Writable } from "node:stream";
import { client, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk/unstable";
import type {
  AnyMessage,
  ClientCapabilities,
  ClientConnection,
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";
import { z } from "zod";
import type { Place } from "../bridge/server-process.ts";

const require = createRequire(import.meta.url);

const checkers = new Map<string, z.ZodType>();
/** What is wrong with a value of the protocol. */
export const problemWith = (type: string, value: unknown): string | undefined => {
  let checker = checkers.get(type);
  if (checker === undefined) {
    const schema = require("@agentclientprotocol/sdk/schema/v1/schema.json") as { $defs: Record<string, unknown> };
    const { $defs } = readable(schema) as typeof schema;
    checker = z.fromJSONSchema({ ...($defs[type] as object), $defs } as never);
    checkers.set(type, checker);
  }
  const result = checker.safeParse(value);
  return result.success ? undefined : `${type}: ${result.error.message} in ${JSON.stringify(value)}`;
};

/** zod cannot read these. The schema uses them only to keep future forms apart from today's. */
const UNREAD: ReadonlySet<string> = new Set(["not", "unevaluatedProperties"]);
const readable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (UNREAD.has(key) ? [] : [[key, readable(item)]])),
  );
};

/** A dialog that the editor shows. */
export interface Shown<P, R> {
  readonly params: P;
  readonly signal: AbortSignal;
  readonly answer: (response: R) => void;
}
export type Permission = Shown<RequestPermissionRequest, RequestPermissionResponse>;
export type Form = Shown<CreateElicitationRequest, CreateElicitationResponse>;

export interface EditorOptions {
  readonly args?: readonly string[];
  readonly capabilities?: ClientCapabilities;
  readonly name?: string;
  /** A different program, to compare with ours. */
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export class Editor {
  readonly wire: { readonly from: "agent" | "editor"; readonly message: AnyMessage }[] = [];
  readonly permissions: Permission[] = [];
  readonly forms: Form[] = [];
  readonly problems: string[] = [];
  readonly #child;
  readonly #connection: ClientConnection;
  readonly #looks = new Set<() => void>();
  readonly exit: Promise<number | string>;
  stderr = "";

  constructor(place: Pick<Place, "root" | "home" | "dataDir">, { args = [], words, env }: EditorOptions = {}) {
    const child = spawn(process.execPath, [...(words ?? [...programWords("quarterdeck"), "acp"]), ...args], {
      cwd: place.root,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: place.home,
        TMPDIR: place.root,
        LANG: "C.UTF-8",
        QUARTERDECK_DATA_DIR: place.dataDir,
        ...COMPILED,
        ...env,
      },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    // Not "close": that waits for somebody to read the rest of its output, and nobody does.
    this.exit = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin),
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    const seen = (from: "agent" | "editor") =>
      new TransformStream<AnyMessage, AnyMessage>({
        transform: (message, controller) => {
          this.wire.push({ from, message });
          if (from === "agent") this.#check(message);
          controller.enqueue(message);
          for (const look of this.#looks) look();
        },
      });
    const out = seen("editor");
    void out.readable.pipeTo(stream.writable).catch(() => undefined);
    this.#connection = client({ name: "test" })
      .onNotification("session/update", () => undefined)
      .onRequest("session/request_permission", ({ params, signal }) => this.#show(this.permissions, params, signal))
      .onRequest("elicitation/create", ({ params, signal }) => this.#show(this.forms, params, signal))
      .connect({ readable: stream.readable.pipeThrough(seen("agent")), writable: out.writable });
  }

  #show<P, R>(list: Shown<P, R>[], params: P, signal: AbortSignal): Promise<R> {
    const { promise, resolve } = Promise.withResolvers<R>();
    list.push({ params, signal, answer: resolve });
    for (const look of this.#looks) look();
    return promise;
  }

  #check(message: AnyMessage): void {
    if (!("method" in message)) return;
    const type = TYPES[message.method];
    const problem = type === undefined ? undefined : problemWith(type, message.params);
    if (problem !== undefined) this.problems.push(problem);
  }

  get agent() {
    return this.#connection.agent;
  }

  initialize({ capabilities = {}, name = "test" }: EditorOptions = {}) {
    return this.agent.request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: capabilities,
      clientInfo: { name, version: "1" },
    });
  }

  /** Sends text to the agent without the SDK. */
  write(text: string): void {
    this.#child.stdin.write(text);
  }

  updates(session?: string): SessionUpdate[] {
    return this.wire.flatMap(({ message }) => {
      if (!("method" in message) || message.method !== "session/update") return [];
      const { sessionId, update } = message.params as { sessionId: string; update: SessionUpdate };
      return session === undefined || sessionId === session ? [update] : [];
    });
  }

  /** The text of all chunks of a kind. */
  text(kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk", session?: string): string {
    return this.updates(session)
      .flatMap((update) =>
        update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : [],
      )
      .join("");
  }

  /** A tool call with all its updates applied. */
  call(id: string): Record<string, unknown> {
    const all = this.updates().filter((update) => "toolCallId" in update && update.toolCallId === id);
    return Object.assign({}, ...all) as Record<string, unknown>;
  }

  /** Waits until a value is there. */
  until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        this.#looks.delete(look);
        resolve(found);
      };
      this.#looks.add(look);
      void this.exit.then((code) => reject(new Error(`The agent ended with ${String(code)}: ${this.stderr}`)));
      look();
    });
  }

  permission(at = 0): Promise<Permission> {
    return this.until(() => this.permissions[at]);
  }

  form(at = 0): Promise<Form> {
    return this.until(() => this.forms[at]);
  }

  /** Wakes all waiters. */
  look(): void {
    for (const look of this.#looks) look();
  }

  /** Like quitting the editor. */
  async quit(): Promise<number | string> {
    this.#child.stdin.end();
    return this.exit;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

const TYPES: Readonly<Record<string, string>> = {
  "session/update": "SessionNotification",
  "session/request_permission": "RequestPermissionRequest",
  "elicitation/create": "CreateElicitationRequest",
  "$/cancel_request": "CancelRequestNotification",
};
