// Small programs that stand in for the CLI in process tests, and what a test sees of them.

import { tmpdir } from "node:os";
import type { Decoded, Line } from "@quarterdeck/protocol";
import { onTestFinished } from "vitest";
import { startCliProcess } from "./cli-process.ts";
import type { CliExit, CliProcess, CliProcessOptions } from "./cli-process.ts";
import { endDescendants, sessionMarker } from "./descendants.ts";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";

let markers = 0;
/** A unique marker. Processes with this marker are ended after the test. */
export const newMarker = (dataDirId = "test"): string => {
  const marker = sessionMarker({
    dataDirId: `${dataDirId}-${String(process.pid)}`,
    sessionId: `s${String(++markers)}`,
    incarnation: Date.now(),
  });
  onTestFinished(async () => {
    await endDescendants(marker, { graceMs: 0 });
  });
  return marker;
};

export interface Watched {
  readonly process: CliProcess;
  readonly lines: { readonly decoded: Decoded; readonly line: Line }[];
  /** Everything that happened, by name, in order. */
  readonly order: string[];
  readonly exits: CliExit[];
  stderr: string;
  /** Resolves with the first JSON line of this `type`, past or future. */
  readonly saw: (type: string) => Promise<Record<string, unknown>>;
}

/** Runs JavaScript as the process. The code may call `say(object)` to write a line. */
export const runScript = (code: string, options: Partial<CliProcessOptions> = {}): Watched =>
  watch({
    command: process.execPath,
    prefixArgs: ["-e", `const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");\n${code}`, "--"],
    ...options,
  });

export const watch = (options: Partial<CliProcessOptions> & Pick<CliProcessOptions, "command">): Watched => {
  const lines: Watched["lines"] = [];
  const order: string[] = [];
  const exits: CliExit[] = [];
  const waiting: { readonly type: string; readonly resolve: (value: Record<string, unknown>) => void }[] = [];
  const started = startCliProcess({
    argv: [],
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "", ...COMPILED },
    marker: newMarker(),
    ...options,
    onLine: (decoded, line) => {
      lines.push({ decoded, line });
      order.push("line");
      options.onLine?.(decoded, line);
      const value = valueOf(decoded);
      for (const { type, resolve } of waiting) if (value?.["type"] === type) resolve(value);
    },
    onStderr: (text) => {
      watched.stderr += text;
      order.push("stderr");
    },
    onExit: (exit) => {
      exits.push(exit);
      order.push("exit");
    },
  });
  const watched: Watched = {
    process: started,
    lines,
    order,
    exits,
    stderr: "",
    saw: (type) => {
      const seen = lines.map(({ decoded }) => valueOf(decoded)).find((value) => value?.["type"] === type);
      if (seen !== undefined) return Promise.resolve(seen);
      return Promise.race([
        new Promise<Record<string, unknown>>((resolve) => waiting.push({ type, resolve })),
        started.ended.then((exit): never => {
          throw new Error(`ended (${JSON.stringify(exit)}) without a line of type ${type}:\n${watched.stderr}`);
        }),
      ]);
    },
  };
  return watched;
};

export const valueOf = (decoded: Decoded): Record<string, unknown> | undefined =>
  decoded.kind === "noise"
    ? undefined
    : ((decoded.kind === "message" ? decoded.message : decoded.value) as Record<string, unknown>);
