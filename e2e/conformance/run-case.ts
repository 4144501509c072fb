// Runs one case on one player, with a fresh folder for HOME, cwd and TMPDIR, and a scripted API or the simulator's own
// model. The phases run in order. Returns the recordings and the files that are left in the cwd.
import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { spawnSync } from "node:child_process";
import { startApi } from "@quarterdeck/simulator";
import type { RecordedRequest } from "@quarterdeck/simulator";
import { STREAM_ARGS } from "./case.ts";
import type { Case, Phase } from "./case.ts";
import { cacheFolder } from "@quarterdeck/test-kit/claude-cache";
import type { CliProgram } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";
import { drive } from "./drive.ts";
import type { Patience, Recording } from "./drive.ts";
import { filled } from "./match.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

export type Player =
  | { readonly kind: "cli"; readonly version: string; readonly program: CliProgram }
  | { readonly kind: "simulator"; readonly version: "simulator" };

export interface CaseRun {
  readonly phases: readonly Recording[];
  readonly requests: readonly RecordedRequest[];
  /** Every file in the cwd, by relative path. */
  readonly files: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly ms: number;
}

const NOBODY = 65534;

export const runCase = async (wanted: Case, player: Player, patience?: Patience): Promise<CaseRun> => {
  const began = performance.now();
  const uid = wanted.unprivileged === true && process.getuid?.() === 0 ? NOBODY : undefined;
  const root = realpathSync(mkdtempSync(join(tmpdir(), "qd-")));
  try {
    const variables: Record<string, string> = {};
    for (const name of ["cwd", "home", "tmp", "outside"]) {
      const folder = join(root, name);
      mkdirSync(folder);
      variables[name] = folder;
    }
    const folder = (name: string): string => variables[name] ?? "";
    for (const [path, content] of Object.entries(wanted.files ?? {})) {
      const file = join(folder("cwd"), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    const scenarioFile = join(root, "scenario.json");
    writeFileSync(scenarioFile, JSON.stringify(filled(wanted.scenario, variables)));
    const program = programFor(player, uid, root);
    if (uid !== undefined) chownAll(root, uid);

    const api = await startApi({ scenario: wanted.scenario, variables });
    try {
      const env = cleanEnv({
        home: folder("home"),
        tmp: folder("tmp"),
        apiUrl: api.url,
        compileCache: join(cacheFolder(), "compiled"),
        extra: {
          ...(filled(wanted.env ?? {}, variables) as Record<string, string>),
          ...(player.kind === "simulator" && { QUARTERDECK_SCENARIO: scenarioFile }),
        },
      });
      const recordings: Recording[] = [];
      for (const phase of wanted.phases) {
        const { args, host, answers, bareArgs } = filled(phase, variables) as Phase;
        const recording = await drive(
          {
            command: program.command,
            args: [...program.args, ...(bareArgs === true ? [] : STREAM_ARGS), ...args],
            cwd: folder("cwd"),
            env,
            ...(uid !== undefined && { uid }),
          },
          host,
          answers,
          patience,
        );
        recordings.push(recording);
        variables.session = sessionOf(recording) ?? variables.session ?? "";
        if (recording.faults.length > 0) break;
      }
      return {
        phases: recordings,
        requests: [...api.requests],
        files: filesIn(folder("cwd")),
        variables,
        ms: Math.round(performance.now() - began),
      };
    } finally {
      await api.close();
    }
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
};

const sessionOf = (recording: Recording): string | undefined => {
  const init = recording.lines.findLast((line) => line.dir === "out" && line.msg?.subtype === "init");
  return typeof init?.msg?.session_id === "string" ? init.msg.session_id : undefined;
};

const programFor = (
  player: Player,
  uid: number | undefined,
  root: string,
): { readonly command: string; readonly args: readonly string[] } => {
  if (player.kind === "simulator") {
    return { command: process.execPath, args: programWords("quarterdeck-sim") };
  }
  const { program } = player;
  if (uid === undefined || [program.command, ...program.args].every((file) => isReadableFor(uid, file))) return program;
  // The cache or Node itself may be in a folder that only root may enter, so the run gets a copy.
  const lent = join(root, "lent");
  cpSync(program.root, lent, { recursive: true });
  const inCopy = (file: string): string => {
    if (file.startsWith(program.root)) return join(lent, relative(program.root, file));
    const copy = join(lent, "node");
    if (!existsSync(copy)) copyFileSync(file, copy);
    chmodSync(copy, 0o755);
    return copy;
  };
  return { command: inCopy(program.command), args: program.args.map(inCopy) };
};

const isReadableFor = (uid: number, file: string): boolean =>
  spawnSync("/bin/test", ["-r", file], { uid, gid: uid, stdio: "ignore" }).status === 0;

const chownAll = (folder: string, uid: number): void => {
  chownSync(folder, uid, uid);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), uid, uid);
  }
};

const filesIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [relative(folder, path), readFileSync(path, "utf8")];
      }),
  );
