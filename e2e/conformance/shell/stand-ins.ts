// Stand-ins for programs: each only writes its name into a log. Programs that start other programs (`env`, `xargs`, `bash`, ...) write
// their name and then become the real one, which finds nothing but stand-ins on its PATH.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const PROGRAMS = [
  "alpha",
  "beta",
  "gamma",
  "delta",
  "rm",
  "git",
  "npm",
  "curl",
  "python3",
  "node",
  "dd",
  "ssh",
] as const;
const STARTERS = ["env", "xargs", "timeout", "nice", "nohup", "stdbuf", "setsid", "find", "sh", "bash"] as const;
/** Nothing real stands behind these. */
const READERS = ["cat", "tee"] as const;

const NOBODY = 65_534;
const PATIENCE_MS = 20_000;

export interface Tracer {
  /** The names of all programs that bash starts for the line, both when every program succeeds and when every program fails. */
  readonly startedBy: (line: string) => ReadonlySet<string>;
  readonly close: () => void;
}

export const openTracer = (): Tracer => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "quarterdeck-shell-")));
  const bin = join(root, "bin");
  mkdirSync(bin);
  const put = (name: string, then: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> "$LOG"\n${then}\n`, { mode: 0o755 });
  };
  for (const name of PROGRAMS) put(name, 'exit "${RESULT:-0}"');
  for (const name of READERS) put(name, 'while read -r line; do :; done < /dev/stdin; exit "${RESULT:-0}"');
  put("sudo", 'exec "$@"');
  for (const name of STARTERS) put(name, `exec ${realProgram(name)} "$@"`);
  chmodSync(root, 0o755);
  return {
    startedBy: (line) => new Set([...traced(root, bin, line, "0"), ...traced(root, bin, line, "1")]),
    close: () => {
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

const realProgram = (name: string): string => {
  const found = ["/usr/bin", "/bin"].map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`The test of shell lines needs ${name}.`);
  return found;
};

const traced = (root: string, bin: string, line: string, result: string): readonly string[] => {
  const cwd = mkdtempSync(join(root, "run-"));
  const log = join(cwd, ".log");
  const who = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if ("uid" in who) chownSync(cwd, NOBODY, NOBODY);
  const { error } = spawnSync("/bin/bash", ["--norc", "--noprofile", "-c", line], {
    cwd,
    env: { PATH: bin, HOME: cwd, LOG: log, RESULT: result },
    stdio: ["ignore", "ignore", "ignore"],
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
    ...who,
  });
  if (error !== undefined) throw new Error(`bash did not end: ${JSON.stringify(line)}`, { cause: error });
  const names = existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .filter((name) => name !== "")
    : [];
  rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  return names;
};
