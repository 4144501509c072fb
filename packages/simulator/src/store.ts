// Sessions on disk, in the format of the CLI's own files: `$HOME/.claude/projects/<folder>/<session>.jsonl`, one record
// per line. A reader of those can read these.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { VERSION } from "./catalogue.ts";
import { isRecord, parseJson, recordAt, textAt } from "./json.ts";
import type { Json } from "./json.ts";
import type { ApiMessage } from "./scenario.ts";
import type { Totals } from "./usage.ts";

export interface StoredSession {
  readonly id: string;
  readonly path: string;
  readonly lines: readonly Json[];
  readonly messages: readonly ApiMessage[];
  readonly totals: Totals;
  readonly uuids: readonly string[];
  readonly title: string | undefined;
}

export const folderNameOf = (cwd: string): string => cwd.replace(/[^a-zA-Z0-9]/g, "-");

export class Store {
  readonly #projects: string;
  readonly #cwd: string;
  readonly #enabled: boolean;
  readonly folder: string;
  #path: string | undefined;
  #parent: string | null = null;

  constructor(home: string, cwd: string, enabled: boolean) {
    this.#projects = join(home, ".claude", "projects");
    this.#cwd = cwd;
    this.#enabled = enabled;
    this.folder = join(this.#projects, folderNameOf(cwd));
  }

  transcriptPath(id: string): string {
    return this.#path ?? join(this.folder, `${id}.jsonl`);
  }

  isTaken(id: string): boolean {
    return existsSync(join(this.folder, `${id}.jsonl`));
  }

  /** A session of any folder, or undefined. */
  find(id: string): StoredSession | undefined {
    const path = this.#folders()
      .map((folder) => join(folder, `${id}.jsonl`))
      .find((file) => existsSync(file));
    return path === undefined ? undefined : read(path, id);
  }

  findByTitle(title: string): StoredSession | undefined {
    return this.#inThisFolder().find((session) => session.title === title);
  }

  newest(): StoredSession | undefined {
    return this.#inThisFolder()[0];
  }

  /** Continues in the file of the stored session. */
  resume(session: StoredSession): void {
    this.#path = session.path;
    this.#parent = session.uuids.at(-1) ?? null;
  }

  /** Starts a new file with the messages of another session. */
  fork(session: StoredSession, id: string): void {
    this.#path = undefined;
    this.#parent = session.uuids.at(-1) ?? null;
    const lines = session.lines
      .filter(({ type }) => type !== "queue-operation")
      .map((line) => ({ ...line, sessionId: id }));
    this.#append(id, lines);
  }

  /** `/clear`: the next record opens a new file. */
  startOver(): void {
    this.#path = undefined;
    this.#parent = null;
  }

  /** A message, linked to the one before it. */
  message(id: string, line: Json): void {
    const uuid = textAt(line, "uuid") ?? "";
    this.#append(id, [
      {
        parentUuid: this.#parent,
        isSidechain: false,
        ...line,
        timestamp: new Date().toISOString(),
        userType: "external",
        entrypoint: "sdk-cli",
        cwd: this.#cwd,
        sessionId: id,
        version: VERSION,
        gitBranch: "HEAD",
      },
    ]);
    this.#parent = uuid;
  }

  note(id: string, line: Json): void {
    this.#append(id, [{ ...line, sessionId: id }]);
  }

  #append(id: string, lines: readonly Json[]): void {
    if (!this.#enabled || lines.length === 0) return;
    this.#path ??= join(this.folder, `${id}.jsonl`);
    mkdirSync(dirname(this.#path), { recursive: true });
    appendFileSync(this.#path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }

  #folders(): readonly string[] {
    if (!existsSync(this.#projects)) return [];
    const others = readdirSync(this.#projects).map((name) => join(this.#projects, name));
    return [this.folder, ...others.filter((folder) => folder !== this.folder)];
  }

  #inThisFolder(): readonly StoredSession[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(this.folder, name))
      .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
      .map((path) => read(path, path.slice(path.lastIndexOf("/") + 1, -".jsonl".length)));
  }
}

const read = (path: string, id: string): StoredSession => {
  const lines = readFileSync(path, "utf8").split("\n").map(parseJson).filter(isRecord);
  const boundary = lines.findLastIndex(({ subtype }) => subtype === "compact_boundary");
  const messages: {
    readonly role: "user" | "assistant";
    readonly content: ApiMessage["content"];
    readonly id: string | undefined;
  }[] = [];
  for (const line of lines.slice(boundary + 1)) {
    if ((line.type !== "user" && line.type !== "assistant") || line.isSidechain === true) continue;
    const message = recordAt(line, "message");
    const content = (message.content ?? "") as ApiMessage["content"];
    const last = messages.at(-1);
    const messageId = textAt(message, "id");
    if (line.type === "assistant" && last?.id !== undefined && last.id === messageId) {
      messages[messages.length - 1] = { ...last, content: [...toBlocks(last.content), ...toBlocks(content)] };
    } else messages.push({ role: line.type, content, id: messageId });
  }
  return {
    id,
    path,
    lines,
    messages: messages.map(({ role, content }) => ({ role, content })),
    totals: totalsOf(lines.findLast(({ type }) => type === "cost-state")),
    uuids: lines.flatMap((line) =>
      line.type === "user" || line.type === "assistant" ? [textAt(line, "uuid") ?? ""] : [],
    ),
    title: textAt(
      lines.findLast(({ type }) => type === "custom-title"),
      "customTitle",
    ),
  };
};

const toBlocks = (content: ApiMessage["content"]): Exclude<ApiMessage["content"], string> =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

const totalsOf = (line: Json | undefined): Totals =>
  Object.fromEntries(
    Object.entries(recordAt(line, "modelUsage"))
      .filter(([, usage]) => isRecord(usage))
      .map(([model, usage]) => {
        const number = (key: string): number => Number((usage as Json)[key] ?? 0);
        return [
          model,
          {
            tokens: {
              input_tokens: number("inputTokens"),
              output_tokens: number("outputTokens"),
              cache_creation_input_tokens: number("cacheCreationInputTokens"),
              cache_read_input_tokens: number("cacheReadInputTokens"),
            },
            costUSD: number("costUSD"),
          },
        ];
      }),
  );
