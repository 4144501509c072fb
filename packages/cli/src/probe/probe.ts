// `quarterdeck probe`: compares a `claude` program with what @quarterdeck/protocol knows. It runs the program three
// times: --version, --help and a live `initialize`. The environment is built from nothing, so no key, setting or
// session of the user is touched. It also searches the program's code for names.

import { spawn } from "node:child_process";
import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanPath } from "@quarterdeck/host/find-claude";
import {
  controlRequest,
  decodeLine,
  encodeLine,
  EVERY_FLAG,
  INTERNAL_CONTROL,
  isRecord,
  isResponseOf,
  LineSplitter,
  MESSAGE_KEYS,
} from "@quarterdeck/protocol";
import type { InitializeResponse } from "@quarterdeck/protocol";
import { namesInFile } from "./binary-names.ts";
import type { BinaryNames, Evidence } from "./binary-names.ts";
import { findClaudeFile } from "../claude-program.ts";
import type { ClaudeFile } from "../claude-program.ts";
import { UserError } from "../user-error.ts";

export interface Candidate {
  readonly name: string;
  readonly evidence: Evidence;
}

export interface NameReport {
  /** Known to us and named by the program. */
  readonly known: readonly string[];
  /** Known to us, but not named by the program. */
  readonly absent: readonly string[];
  /** Not known to us. The surroundings show that it is used on the wire. */
  readonly new: readonly Candidate[];
  /** Not known to us. It may never leave the process. */
  readonly perhaps: readonly Candidate[];
}

export interface FlagReport {
  /** Known to us, and in the help or declared in the code. */
  readonly known: readonly string[];
  /** In the help, not known to us. */
  readonly new: readonly string[];
  /** Known flags that the help does not show. */
  readonly hidden: readonly string[];
  readonly absent: readonly string[];
}

export type LiveReport =
  | {
      readonly ok: true;
      readonly afterMs: number;
      readonly lines: number;
      /** Lines that we could not decode, shortened. */
      readonly undecoded: readonly string[];
      readonly capabilities: readonly string[];
      readonly newCapabilities: readonly string[];
      readonly commands: readonly string[];
      readonly models: readonly string[];
      readonly agents: readonly string[];
      readonly permissionMode: string | null;
      /** Whether the answer has the expected form. */
      readonly answerFits: boolean;
    }
  | { readonly ok: false; readonly reason: string };

export interface ProbeReport {
  readonly program: ClaudeFile;
  readonly version: string | null;
  readonly flags: FlagReport;
  readonly messages: NameReport;
  readonly controlRequests: NameReport;
  /** Subtypes whose message type the code does not show. */
  readonly unplaced: readonly Candidate[];
  /** Values of `type` that belong to something else: the API, screens, settings. */
  readonly ignoredTypes: readonly string[];
  readonly live: LiveReport;
}

/** Seen in answers of 2.1.325. */
const KNOWN_CAPABILITIES: ReadonlySet<string> = new Set([
  "ask_user_question_unanswered_v1",
  "interrupt_cancel_queued_v1",
  "interrupt_receipt_v1",
  "interrupt_requeue_taken_v1",
  "interrupt_send_now_v1",
  "lifecycle_wakeup_source_v1",
  "mcp_call_check_permissions_v1",
  "mcp_call_result_not_for_model_v1",
  "mcp_read_resource_v1",
  "mcp_tool_ui_meta_v1",
  "msg_lifecycle_v1",
  "reload_plugins_refuse_if_busy_v1",
  "request_marker_lists_v1",
  "sdk_mcp_manifests",
  "sdk_mcp_tools_list_changed",
  "ui_pane_widget_v1",
  "ui_surface_v1",
  "voice_call_talk_line_v1",
  "withdrawn_files_note_v2",
]);

/**
 * Types that the schema of 2.1.325 calls internal and that @quarterdeck/protocol does not type. They are listed one by
 * one, because a new message may share its name with a known control request.
 */
const INTERNAL_TYPES: ReadonlySet<string> = new Set([
  // On stdin, from the vendor's own programs. Two of them are also written to stdout, where the protocol has them.
  "bash_command",
  "queued_notification",
  "session_notice",
  "update_environment_variables",
]);

export interface ProbeOptions {
  readonly claude?: string;
  readonly signal?: AbortSignal;
  /** Per run. */
  readonly timeoutMs?: number;
}

export const probe = async ({ claude, signal, timeoutMs = 60_000 }: ProbeOptions = {}): Promise<ProbeReport> => {
  const program = findClaudeFile(claude);
  const names = namesInFile(program.file).catch((error: Error) => {
    throw new UserError(`Cannot read ${program.file}: ${error.message}`);
  });
  // Awaited below. A failure must not be unhandled while the program runs.
  names.catch(() => undefined);
  return await inCleanRoom(async (room) => {
    const run = { program, room, timeoutMs, ...(signal !== undefined && { signal }) };
    const version = await runOnce({ ...run, args: ["--version"] });
    if (version.failure !== undefined) throw new UserError(`${program.command} does not run: ${version.failure}`);
    const help = await runOnce({ ...run, args: ["--help"] });
    const live = await initialize(run);
    return {
      program,
      version: version.stdout.trim() || null,
      ...compareWithHelp(await names, flagsInHelp(help.stdout)),
      live,
    };
  });
};

/** Compares the names of a program with those that we know. */
export const compareWithHelp = (
  names: BinaryNames,
  inHelp: readonly string[],
): Omit<ProbeReport, "program" | "version" | "live"> => {
  const isControl = (key: string) => key.startsWith("control_request/");
  const control = [
    ...MESSAGE_KEYS.filter(isControl),
    ...INTERNAL_CONTROL.map((subtype) => `control_request/${subtype}`),
  ];
  const messages = MESSAGE_KEYS.filter((key) => !isControl(key));
  const known = new Set([...messages, ...control]);
  const subtypes = new Set([...known].map(subtypeOf));
  const isKnown = (name: string) => known.has(name) || INTERNAL_TYPES.has(name);
  const isNamed = (key: string) =>
    names.messages.has(key) || names.unplaced.has(subtypeOf(key)) || names.otherTypes.has(key);
  // The schema of a record about a message looks like a request. If a message has that name, it is not news.
  const found = [...names.messages]
    .filter(([name]) => !isKnown(name) && !(isControl(name) && known.has(`system/${subtypeOf(name)}`)))
    .map(([name, evidence]) => ({ name, evidence }))
    .toSorted(byName);
  const isSure = ({ name, evidence }: Candidate) =>
    evidence === "declared" || evidence === "sent" || (isControl(name) && evidence === "compared");
  const reportOf = (ours: readonly string[], theirs: readonly Candidate[]): NameReport => ({
    known: ours.filter(isNamed),
    absent: ours.filter((key) => !isNamed(key)),
    new: theirs.filter(isSure),
    perhaps: theirs.filter((candidate) => !isSure(candidate)),
  });
  return {
    flags: compareFlags(inHelp, names.flags),
    messages: reportOf(
      messages,
      found.filter(({ name }) => !isControl(name)),
    ),
    controlRequests: reportOf(
      control,
      found.filter(({ name }) => isControl(name)),
    ),
    unplaced: [...names.unplaced]
      .filter(([name]) => !subtypes.has(name))
      .map(([name, evidence]) => ({ name, evidence }))
      .toSorted(byName),
    ignoredTypes: [...names.otherTypes].filter((name) => !isKnown(name)).toSorted(),
  };
};

const compareFlags = (inHelp: readonly string[], declared: ReadonlySet<string>): FlagReport => {
  const ours = EVERY_FLAG.map(([, { flag, aliases = [] }]) => ({ flag, names: [flag, ...aliases] }));
  const known = new Set<string>(["--help", "--version", ...ours.flatMap(({ names }) => names)]);
  const [shown, isDeclared] = [new Set(inHelp), (name: string) => declared.has(name)];
  const isShown = (names: readonly string[]) => names.some((name) => shown.has(name));
  const isHidden = (names: readonly string[]) => !isShown(names) && names.some(isDeclared);
  const flagsWhere = (holds: (names: readonly string[]) => boolean) =>
    ours.filter(({ names }) => holds(names)).map(({ flag }) => flag);
  return {
    known: flagsWhere((names) => isShown(names) || isHidden(names)),
    new: inHelp.filter((name) => !known.has(name)),
    hidden: flagsWhere(isHidden),
    absent: flagsWhere((names) => !isShown(names) && !isHidden(names)),
  };
};

const subtypeOf = (key: string): string => key.slice(key.indexOf("/") + 1);
const byName = (a: Candidate, b: Candidate): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** The flags of a help text: each line of its options that begins with one. Commands have their own options. */
export const flagsInHelp = (help: string): string[] => {
  const options = help.split(/^Commands:/m)[0] ?? "";
  const flags = [...options.matchAll(/^ {2,6}((?:-\w|--[\w-]+)(?:, (?:-\w|--[\w-]+))*)/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/--[\w-]+/g)].map(([flag]) => flag),
  );
  return [...new Set(flags)];
};

interface CleanRoom {
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** A scratch folder as home, and an address that answers every call with an error. Both are removed afterwards. */
const inCleanRoom = async <T>(work: (room: CleanRoom) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), "quarterdeck-probe-"));
  const nobody = createServer((_request, response) => response.writeHead(503).end());
  try {
    const [home, cwd] = [join(folder, "home"), join(folder, "work")];
    await Promise.all([mkdir(home), mkdir(cwd), listening(nobody)]);
    const env = {
      PATH: cleanPath(process.env["PATH"]),
      HOME: home,
      TMPDIR: folder,
      LANG: "C.UTF-8",
      TERM: "dumb",
      ANTHROPIC_API_KEY: "sk-ant-not-a-key",
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${(nobody.address() as AddressInfo).port}`,
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      NO_COLOR: "1",
    };
    return await work({ env, cwd });
  } finally {
    nobody.close();
    nobody.closeAllConnections();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
};

const listening = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });

interface Run {
  readonly program: ClaudeFile;
  readonly room: CleanRoom;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}
interface Ran {
  readonly stdout: string;
  readonly failure?: string;
}

const start = ({ program, room, timeoutMs, signal }: Run, args: readonly string[]) =>
  spawn(program.command, [...program.prefixArgs, ...args], {
    ...room,
    stdio: "pipe",
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    ...(signal !== undefined && { signal }),
  });

const runOnce = (run: Run & { readonly args: readonly string[] }): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = start(run, run.args);
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.stdin.on("error", ignoreClosedPipe).end();
    child.on("error", (error) => {
      if (run.signal?.aborted === true) reject(error);
      else resolve({ stdout: "", failure: error.message });
    });
    child.on("close", (code, killed) => {
      const text = Buffer.concat(stdout).toString("utf8");
      if (code === 0) resolve({ stdout: text });
      else resolve({ stdout: text, failure: endOf(code, killed, Buffer.concat(stderr).toString("utf8")) });
    });
  });

const endOf = (code: number | null, killed: string | null, stderr: string): string => {
  const how = killed === null ? `it ended with ${String(code)}` : `it was ended by ${killed} (no end in time)`;
  const words = stderr.trim().slice(0, 400);
  return words === "" ? how : `${how}, saying: ${words}`;
};

const STREAM_JSON = ["-p", "--output-format", "stream-json", "--input-format", "stream-json", "--verbose"];
const REQUEST_ID = "quarterdeck-probe";

/** Sends `initialize` to a live process, ends its input and reads until it exits. */
const initialize = (run: Run): Promise<LiveReport> =>
  new Promise((resolve, reject) => {
    const child = start(run, STREAM_JSON);
    const began = performance.now();
    const splitter = new LineSplitter();
    const undecoded: string[] = [];
    let lines = 0;
    let stderr = "";
    let answer: { readonly afterMs: number; readonly body: unknown; readonly error: string | undefined } | undefined;
    const read = (line: ReturnType<LineSplitter["push"]>[number]): void => {
      lines++;
      const decoded = decodeLine(line);
      if (decoded.kind !== "message") {
        undecoded.push((typeof line === "string" ? line : "(bytes)").slice(0, 200));
        return;
      }
      const response: unknown = decoded.message.type === "control_response" ? decoded.message.response : undefined;
      if (!isRecord(response) || response["request_id"] !== REQUEST_ID) return;
      const error = response["subtype"] === "error" ? String(response["error"]) : undefined;
      answer = { afterMs: Math.round(performance.now() - began), body: response["response"], error };
      child.stdin.end();
    };
    child.stdout.on("data", (chunk: Buffer) => {
      for (const line of splitter.push(chunk)) read(line);
    });
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
    child.stdin.on("error", ignoreClosedPipe);
    child.stdin.write(encodeLine(controlRequest(REQUEST_ID, { subtype: "initialize" })));
    child.on("error", (error) => {
      if (run.signal?.aborted === true) reject(error);
      else resolve({ ok: false, reason: error.message });
    });
    child.on("close", (code, killed) => {
      for (const line of splitter.end()) read(line);
      if (answer === undefined) resolve({ ok: false, reason: `no answer: ${endOf(code, killed, stderr)}` });
      else if (answer.error !== undefined) resolve({ ok: false, reason: `refused: ${answer.error}` });
      else resolve({ ok: true, afterMs: answer.afterMs, lines, undecoded, ...inAnswer(answer.body) });
    });
  });

const inAnswer = (body: unknown) => {
  const answerFits = isResponseOf("initialize", body);
  const answer: Partial<InitializeResponse> = answerFits ? body : {};
  const capabilities = answer.capabilities ?? [];
  return {
    answerFits,
    capabilities,
    newCapabilities: capabilities.filter((name) => !KNOWN_CAPABILITIES.has(name)),
    commands: (answer.commands ?? []).map(({ name }) => name),
    models: (answer.models ?? []).map(({ value }) => value),
    agents: (answer.agents ?? []).map(({ name }) => name),
    permissionMode: answer.current_permission_mode ?? null,
  };
};

const ignoreClosedPipe = (): void => {
  // It exited before it read its input. Its exit is reported.
};
