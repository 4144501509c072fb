// A program that starts `quarterdeck claude` and talks to it line by line, without an SDK.

import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { programWords } from "@quarterdeck/test-kit/programs";

type Json = any; // oxlint-disable-line typescript/no-explicit-any -- a stranger has no types

export const STREAM_JSON = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
export const user = (content: string): Json => ({ type: "user", message: { role: "user", content } });

const EDITOR = `
  const { spawn } = require("node:child_process");
  const child = spawn(process.execPath, JSON.parse(process.argv[1]), { stdio: ["pipe", "pipe", "inherit"] });
  process.stdin.pipe(child.stdin);
  child.stdout.pipe(process.stdout);
  process.on("SIGTERM", () => {
    child.kill("SIGTERM");
    process.exit(0);
  });
`;

export class RawCaller {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: Json[] = [];
  readonly exit: Promise<number | string | null>;
  stderr = "";
  #begun = "";
  #isGone = false;
  readonly #waiting = new Set<() => void>();

  constructor(options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly args?: readonly string[];
    /** Another program starts it, and ends it when it ends itself, as an editor does. */
    readonly isBelowEditor?: boolean;
  }) {
    const own = [...programWords("quarterdeck"), "claude", ...STREAM_JSON, ...(options.args ?? [])];
    const args = options.isBelowEditor === true ? ["-e", EDITOR, JSON.stringify(own)] : own;
    this.child = spawn(process.execPath, args, { cwd: options.cwd, env: options.env, stdio: ["pipe", "pipe", "pipe"] });
    this.child.stdin.on("error", () => {
      // It has ended.
    });
    this.child.stdout.on("data", (chunk: Buffer) => {
      const lines = (this.#begun + chunk.toString("utf8")).split("\n");
      this.#begun = lines.pop()!;
      for (const line of lines) this.lines.push(JSON.parse(line));
      this.#wake();
    });
    this.child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString("utf8")));
    this.exit = new Promise((resolve) =>
      this.child.on("close", (code, signal) => {
        this.#isGone = true;
        this.#wake();
        resolve(code ?? signal);
      }),
    );
  }

  write(message: Json): void {
    this.child.stdin.write(typeof message === "string" ? message : `${JSON.stringify(message)}\n`);
  }

  ask(id: string, request: Json): void {
    this.write({ type: "control_request", request_id: id, request });
  }

  answer(id: string, response: Json): void {
    this.write({ type: "control_response", response: { subtype: "success", request_id: id, response } });
  }

  /** The first line that fits. It may have arrived before. */
  line(fits: (line: Json) => boolean): Promise<Json> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.lines.find(fits);
        if (found === undefined && !this.#isGone) return;
        this.#waiting.delete(look);
        if (found === undefined) reject(new Error(`It ended first:\n${JSON.stringify(this.lines)}\n${this.stderr}`));
        else resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  request(subtype: string): Promise<Json> {
    return this.line(({ type, request }) => type === "control_request" && request.subtype === subtype);
  }

  #wake(): void {
    for (const look of this.#waiting) look();
  }
}
