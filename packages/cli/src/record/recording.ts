// A recording on disk: lines `{t, dir, msg}` in the order in which they crossed the pipe. A file `.meta.json` next to
// it says what was started and how it ended. Both files are private. A line is on disk when `push` returns. With
// redaction, the deltas of a block and later lines wait until the block is complete, because a secret may be spread
// over several deltas.

import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { isRecord, LineSplitter } from "@quarterdeck/protocol";
import type { Line } from "@quarterdeck/protocol";
import { replacedAcross } from "./redact.ts";
import type { Redactor } from "./redact.ts";
import { UserError } from "../user-error.ts";

export type Direction = "in" | "out";

export interface RecordingEnd {
  readonly args: readonly string[];
  readonly exit: { readonly code: number | null; readonly sig: string | null };
  readonly stderr: string;
}

export interface RecordingOptions {
  readonly redactor?: Redactor;
  /** Replaces existing files. */
  readonly force?: boolean;
  readonly now?: () => number;
}

interface Entry {
  readonly head: string;
  body: string;
}
/** One delta of an open block. */
interface Piece {
  readonly entry: Entry;
  readonly message: Record<string, unknown>;
  readonly delta: Record<string, unknown>;
  readonly field: string;
}

export const metaFileOf = (file: string): string => `${file.replace(/\.ndjson$/, "")}.meta.json`;

export class Recording {
  readonly file: string;
  readonly #redactor: Redactor | undefined;
  readonly #now: () => number;
  readonly #began: number;
  readonly #descriptor: number;
  readonly #meta: number;
  readonly #splitters = { in: new LineSplitter(), out: new LineSplitter() };
  #lines = 0;
  #waiting: Entry[] = [];
  readonly #open = new Map<string, Piece[]>();

  constructor(file: string, { redactor, force = false, now = () => performance.now() }: RecordingOptions = {}) {
    this.file = file;
    this.#redactor = redactor;
    this.#now = now;
    this.#descriptor = create(file, force);
    try {
      this.#meta = create(metaFileOf(file), force);
    } catch (error) {
      remove(file, this.#descriptor);
      throw error;
    }
    this.#began = now();
  }

  /** Number of lines so far. */
  get lines(): number {
    return this.#lines;
  }

  push(dir: Direction, bytes: Uint8Array): void {
    for (const line of this.#splitters[dir].push(bytes)) this.#line(dir, line);
    this.#write();
  }

  /** The end of a direction. The end of stdin is also recorded as a line. */
  end(dir: Direction): void {
    for (const line of this.#splitters[dir].end()) this.#line(dir, line);
    if (dir === "in") this.#add(dir, '"msg":{"type":"__eof"}');
    this.#write();
  }

  signal(name: string): void {
    this.#add("in", `"msg":{"type":"__signal","signal":${JSON.stringify(name)}}`);
    this.#write();
  }

  finish({ args, exit, stderr }: RecordingEnd): void {
    // A process that dies may leave half a line.
    for (const dir of ["in", "out"] as const) for (const line of this.#splitters[dir].end()) this.#line(dir, line);
    this.#closeBlocks();
    this.#write();
    closeSync(this.#descriptor);
    const clean = (text: string): string => this.#redactor?.text(text) ?? text;
    const meta = {
      name: basename(this.file).replace(/\.ndjson$/, ""),
      args: args.map(clean),
      env_extra: {},
      exit: { ...exit, t: this.#elapsed() },
      stderr: clean(stderr),
    };
    writeAll(this.#meta, `${JSON.stringify(meta, null, 1)}\n`);
    closeSync(this.#meta);
  }

  /** Removes the files. */
  discard(): void {
    remove(this.file, this.#descriptor);
    remove(metaFileOf(this.file), this.#meta);
  }

  #elapsed(): number {
    return Math.round(this.#now() - this.#began);
  }

  #add(dir: Direction, body: string): Entry {
    const entry = { head: `{"t":${this.#elapsed()},"dir":"${dir}",`, body };
    this.#waiting.push(entry);
    return entry;
  }

  #line(dir: Direction, line: Line): void {
    if (typeof line !== "string" && !(line instanceof Uint8Array)) {
      // The head of a long line may end with half a secret.
      const start = this.#redactor === undefined ? `,"bytes":"${base64(line.head)}"` : "";
      this.#add(dir, `"size":${line.size}${start}`);
      return;
    }
    const text = typeof line === "string" ? line : textOf(line);
    if (text === undefined) this.#add(dir, `"bytes":"${this.#cleanBytes(line as Uint8Array)}"`);
    else if (text.trim() !== "") this.#text(dir, text.trim());
  }

  #text(dir: Direction, text: string): void {
    const message = jsonIn(text);
    if (message === undefined) this.#add(dir, `"raw":${JSON.stringify(this.#redactor?.text(text) ?? text)}`);
    else if (this.#redactor === undefined) this.#add(dir, `"msg":${text}`);
    else if (dir === "in" || !this.#hold(message.value)) {
      this.#add(dir, `"msg":${this.#redactor.json(text)}`);
      this.#closeBlocks(message.value);
    }
  }

  #cleanBytes(bytes: Uint8Array): string {
    if (this.#redactor === undefined) return base64(bytes);
    return base64(Buffer.from(this.#redactor.text(Buffer.from(bytes).toString("latin1")), "latin1"));
  }

  /** Returns whether it is a delta. It then waits for the rest of its block. */
  #hold(message: unknown): boolean {
    const event = streamEventIn(message);
    const delta = event?.event["delta"];
    if (event === undefined || !isRecord(delta)) return false;
    const field = DELTA_TEXT[String(delta["type"])];
    if (field === undefined || typeof delta[field] !== "string") return false;
    const piece = { entry: this.#add("out", ""), message: event.message, delta, field };
    const key = String(event.event["index"]);
    const block = this.#open.get(key);
    if (block === undefined) this.#open.set(key, [piece]);
    else block.push(piece);
    return true;
  }

  /** A block ends with its own stop. All blocks end with the message, the turn and the recording. */
  #closeBlocks(message?: unknown): void {
    if (this.#open.size === 0) return;
    const event = streamEventIn(message)?.event;
    const type = event?.["type"];
    if (type === "content_block_stop") this.#closeBlock(String(event?.["index"]));
    else if (message === undefined || type === "message_stop" || type === "message_start" || isResult(message)) {
      for (const key of this.#open.keys()) this.#closeBlock(key);
    }
  }

  #closeBlock(key: string): void {
    const pieces = this.#open.get(key) ?? [];
    this.#open.delete(key);
    const redactor = this.#redactor!;
    const texts = pieces.map(({ delta, field }) => delta[field] as string);
    const clean = replacedAcross(texts, redactor.spansIn(texts.join("")));
    pieces.forEach(({ entry, message, delta, field }, at) => {
      delta[field] = clean[at]!;
      entry.body = `"msg":${redactor.json(JSON.stringify(message))}`;
    });
  }

  #write(): void {
    if (this.#open.size > 0 || this.#waiting.length === 0) return;
    const entries = this.#waiting;
    this.#waiting = [];
    writeAll(this.#descriptor, entries.map(({ head, body }) => `${head}${body}}\n`).join(""));
    this.#lines += entries.length;
  }
}

/** Fields of a delta whose text belongs together with that of neighboring deltas. */
const DELTA_TEXT: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};

const streamEventIn = (message: unknown) =>
  isRecord(message) && message["type"] === "stream_event" && isRecord(message["event"])
    ? { message, event: message["event"] }
    : undefined;
const isResult = (message: unknown): boolean => isRecord(message) && message["type"] === "result";

const create = (file: string, force: boolean): number => {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  try {
    // An existing file is removed, not truncated: others may be able to read it, or it may be a link.
    if (force) rmSync(file, { force: true });
    return openSync(file, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UserError(
      code === "EEXIST" ? `${file} already exists. Use --force to overwrite it.` : `Cannot write ${file}: ${message}`,
    );
  }
};

const remove = (file: string, descriptor: number): void => {
  closeSync(descriptor);
  rmSync(file, { force: true });
};

const writeAll = (descriptor: number, text: string): void => {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes);
  } catch {
    // Not UTF-8: recorded as bytes.
    return undefined;
  }
};

/** JSON text is recorded unchanged. It is parsed only to check that it is JSON. */
const jsonIn = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // Recorded as raw text.
    return undefined;
  }
};
