// Bash runs commands in their own process group. Output goes to a file, so that both streams keep their order and a
// command can move to the background at any time.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Json } from "../json.ts";
import { textAt } from "../json.ts";
import { expectsNoOutput, meaningOfExit } from "../shell-command.ts";
import { parseShell } from "../shell-command.ts";
import { shortId } from "../tasks.ts";
import type { ShellTask } from "../tasks.ts";
import { ToolFailure } from "./tool.ts";
import type { Tool, ToolContext, ToolOutcome } from "../session-contract.ts";

/** After this time a foreground command becomes a task that can be seen and moved to the background. */
const TASK_AFTER_MS = 3000;
const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 30_000;
const PREVIEW = 2000;

export const bash: Tool = {
  params: {
    command: "string",
    timeout: "number?",
    description: "string?",
    run_in_background: "boolean?",
    dangerouslyDisableSandbox: "boolean?",
  },
  isParallel: (input, session) => {
    const { opaque, parts } = parseShell(textAt(input, "command") ?? "", session.cwd);
    return opaque === undefined && parts.every(({ kind }) => kind === "reads");
  },
  run: (input, context) => {
    const command = textAt(input, "command") ?? "";
    const description = textAt(input, "description") ?? command;
    const running = start(command, context);
    return input.run_in_background === true
      ? inBackground(running, description, context)
      : inForeground(running, command, description, input, context);
  },
};

interface Running {
  readonly id: string;
  readonly outputFile: string;
  readonly exited: Promise<number>;
  readonly kill: () => void;
}

const start = (command: string, { session }: ToolContext): Running => {
  session.output.pass("tool");
  const id = `b${shortId(8)}`;
  const outputFile = session.tasks.outputFileOf(id);
  mkdirSync(dirname(outputFile), { recursive: true });
  const fd = openSync(outputFile, "w");
  const child = spawn("/bin/bash", ["-c", 'exec 2>&1; eval "$1"', "/bin/bash", command], {
    cwd: session.cwd,
    detached: true,
    stdio: ["ignore", fd, fd],
    env: { ...process.env, CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: session.id },
  });
  closeSync(fd);
  const exited = new Promise<number>((resolve) => {
    child.once("error", () => {
      resolve(127);
    });
    child.once("exit", (code, signal) => {
      resolve(code ?? (signal === "SIGTERM" ? 143 : 137));
    });
  });
  const kill = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGTERM");
    } catch {
      // It ended by itself meanwhile.
    }
  };
  session.onExit(kill);
  return { id, outputFile, exited, kill };
};

const inBackground = (running: Running, description: string, context: ToolContext): ToolOutcome => {
  const { tasks } = context.session;
  tasks.add(shellTaskOf(running, description, context, true), true);
  void settleBackground(running, description, context);
  return backgrounded(
    running,
    `Command running in background with ID: ${running.id}. Output is being written to: ${running.outputFile}. You will be notified when it completes. To check interim output, use Read on that file path.`,
    {},
  );
};

const settleBackground = async (running: Running, description: string, { session }: ToolContext): Promise<void> => {
  const code = await running.exited;
  writeFileSync(running.outputFile, `\n[exited with code ${String(code)}]\n`, { flag: "a" });
  session.tasks.settleShell(running.id, code, description);
};

const inForeground = async (
  running: Running,
  command: string,
  description: string,
  input: Json,
  context: ToolContext,
): Promise<ToolOutcome> => {
  const { session, signal } = context;
  const timeout = typeof input.timeout === "number" ? input.timeout : DEFAULT_TIMEOUT_MS;
  const toBackground = Promise.withResolvers<"background">();
  const late = Promise.withResolvers<"late">();
  const aborted = new Promise<"aborted">((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener(
      "abort",
      () => {
        resolve("aborted");
      },
      { once: true },
    );
  });
  let visible = false;
  const timers = [
    setTimeout(() => {
      visible = true;
      session.tasks.add(
        shellTaskOf(running, description, context, false, () => {
          toBackground.resolve("background");
        }),
        false,
      );
    }, TASK_AFTER_MS),
  ];
  timers.push(
    setTimeout(() => {
      late.resolve("late");
    }, timeout),
  );
  const end = await Promise.race([running.exited, aborted, toBackground.promise, late.promise]);
  for (const timer of timers) clearTimeout(timer);

  if (end === "background") {
    void settleBackground(running, description, context);
    return backgrounded(
      running,
      `Command was manually backgrounded by user with ID: ${running.id}. Output is being written to: ${running.outputFile}. If it is still running after 30m in the background, it will be stopped and you will be notified.`,
      { backgroundedByUser: true },
    );
  }
  if (end === "late") return movedToBackground(running, timeout, description, context);
  if (end === "aborted") {
    running.kill();
    await running.exited;
  }
  if (visible) session.tasks.endForeground(running.id, end === "aborted" ? "stopped" : "completed", description);
  const text = readFileSync(running.outputFile, "utf8").replace(/\s+$/, "");
  rmSync(running.outputFile, { force: true });
  return outcomeOf(command, text, end === "aborted" ? 130 : end, context);
};

const movedToBackground = (
  running: Running,
  timeout: number,
  description: string,
  context: ToolContext,
): ToolOutcome => {
  const { tasks } = context.session;
  if (!tasks.toBackground(running.id)) tasks.add(shellTaskOf(running, description, context, true), true);
  void settleBackground(running, description, context);
  const text = readFileSync(running.outputFile, "utf8").replace(/\s+$/, "");
  const moved = `Command did not complete within its ${seconds(timeout)} timeout and was moved to the background (ID: ${running.id}). Output is being written to: ${running.outputFile}. You will be notified when it completes. If it is still running after 30m in the background, it will be stopped and you will be notified. It is running now: do not start a second copy while it runs. If it is no longer needed, stop it with TaskStop. To check interim output, use Read on that file path.`;
  return backgrounded(running, text === "" ? moved : `${text}\n${moved}`, { stdout: text, timedOutAfterMs: timeout });
};

const outcomeOf = (command: string, text: string, code: number, context: ToolContext): ToolOutcome => {
  const meaning = meaningOfExit(command, code);
  if (code !== 0 && meaning === undefined) {
    throw new ToolFailure(`Exit code ${String(code)}${text === "" ? "" : `\n${text}`}`);
  }
  const persisted = text.length > MAX_OUTPUT ? persist(text, context) : undefined;
  return {
    content: persisted?.content ?? (text === "" ? "(Bash completed with no output)" : text),
    saysNoError: true,
    result: {
      stdout: text.slice(0, MAX_OUTPUT),
      stderr: "",
      interrupted: false,
      isImage: false,
      ...(meaning === undefined ? {} : { returnCodeInterpretation: meaning }),
      noOutputExpected: expectsNoOutput(command),
      ...persisted?.fields,
    },
  };
};

const persist = (text: string, { session }: ToolContext): { readonly content: string; readonly fields: Json } => {
  const path = join(session.store.folder, session.id, "tool-results", `b${shortId(8)}.txt`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${text}\n`);
  const size = Buffer.byteLength(text) + 1;
  const preview = text.slice(0, PREVIEW);
  const whole = preview.slice(0, preview.lastIndexOf("\n"));
  return {
    content: `<persisted-output>\nOutput too large (${(size / 1024).toFixed(1)}KB). Full output saved to: ${path}\n\nPreview (first 2KB):\n${whole === "" ? preview : whole}\n...\n</persisted-output>`,
    fields: { persistedOutputPath: path, persistedOutputSize: size },
  };
};

const backgrounded = (running: Running, content: string, extra: Json): ToolOutcome => ({
  content,
  saysNoError: true,
  result: {
    stdout: "",
    stderr: "",
    interrupted: false,
    isImage: false,
    noOutputExpected: false,
    backgroundTaskId: running.id,
    ...extra,
  },
});

const shellTaskOf = (
  running: Running,
  description: string,
  { toolUseId }: ToolContext,
  background: boolean,
  toBackground?: () => void,
): ShellTask => ({
  kind: "local_bash",
  id: running.id,
  toolUseId,
  description,
  outputFile: running.outputFile,
  background,
  stop: running.kill,
  ...(toBackground === undefined ? {} : { toBackground }),
});

const seconds = (ms: number): string =>
  ms >= 60_000
    ? `${String(Math.floor(ms / 60_000))}m ${String(Math.round((ms % 60_000) / 1000))}s`
    : `${String(Math.round(ms / 1000))}s`;
