// The official demos with a scripted API, once with the real program and once with `quarterdeck claude` in its place. Not part of
// `npm test`: it needs their repository, a folder with their dependencies, and a Python with the SDK. docs/claude.md says which ran.
// Usage: node --conditions=source e2e/claude/demos-trial.ts <repository> <folder with node_modules> <repository of the Python SDK> <python> [name]

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { Script } from "@quarterdeck/simulator";
import { comparable, makePlace, runWith, until } from "./callers.ts";
import type { Place } from "./callers.ts";

const [, , repository = "", dependencies = "", sdk = "", python = "python3", only = ""] = process.argv;

const text = (words: string) => ({ say: [{ text: words }] });
const tool = (name: string, input: Readonly<Record<string, unknown>>) => ({ say: [{ tool: name, input }] });
const bash = (command: string) => tool("Bash", { command, description: "Run" });
const agent = { subagent_type: "researcher", description: "Crabs", prompt: "Look up crabs.", run_in_background: false };

const scriptsFor = (home: string): readonly Script[] => {
  const cwd = join(dirname(home), "cwd");
  return [
    {
      when: "Hello, Claude! Please introduce yourself",
      // The hook of the demo lets scripts be written in one folder only.
      steps: [tool("Write", { file_path: join(cwd, "hello-world/agent/x.ts"), content: "1" }), text("I am Claude.")],
    },
    { when: "Hello! Introduce yourself", steps: [text("I am Claude.")] },
    { when: "What is 5 + 3", steps: [text("8")] },
    { when: "Multiply that by 2", steps: [text("16")] },
    { when: "capital of France", steps: [text("Paris")] },
    { when: "My favorite color is blue", steps: [text("Noted.")] },
    { when: "What is my favorite color", steps: [text("Blue.")] },
    {
      when: "create a professional 1-page resume",
      steps: [
        tool("Write", {
          file_path: join(cwd, "resume-generator/agent/custom_scripts/generate_resume.js"),
          content: "1",
        }),
        bash("printf resume > agent/custom_scripts/resume.docx"),
        text("The resume is ready."),
      ],
    },
    { when: "first message", steps: [bash("echo chat"), text("One.")] },
    { when: "second message", steps: [text("Two.")] },
    { when: "Tell me about crabs", steps: [tool("Agent", agent), text("Crabs walk sideways.")] },
    {
      when: "Look up crabs.",
      steps: [
        tool("Write", { file_path: join(cwd, "research-agent/files/research_notes/crabs.md"), content: "Sideways." }),
        text("Noted."),
      ],
    },
  ];
};

interface Outcome {
  readonly code: number | string | null;
  readonly output: unknown;
  readonly files: readonly string[];
}
type Demo = (place: Place, folder: string, env: Readonly<Record<string, string>>) => Promise<Omit<Outcome, "files">>;

/** A demo names no program, so one setting is added to each of its calls. */
const withProgram = (file: string): void => {
  const setting = "pathToClaudeCodeExecutable: process.env.CLAUDE_PATH";
  const source = readFileSync(file, "utf8");
  const changed = source
    .replaceAll("options: {", `options: { ${setting},`)
    .replaceAll("{ model: 'sonnet' }", `{ model: 'sonnet', ${setting} }`);
  if (changed === source) throw new Error(`${file} has no options.`);
  writeFileSync(file, changed);
};

const script =
  (file: string, ...args: readonly string[]): Demo =>
  async (_place, cwd, env) => {
    withProgram(join(cwd, file));
    const { code, stdout, stderr } = await runWith({ cwd, env }, TSX, [file, ...args]);
    return { code, output: code === 0 ? stdout : stdout + stderr };
  };
const TSX = join(dependencies, "node_modules", ".bin", "tsx");

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** The server of the chat, with two messages of a browser. */
const chat: Demo = async (_place, cwd, env) => {
  withProgram(join(cwd, "server", "ai-client.ts"));
  const port = await freePort();
  const child = spawn(TSX, ["server/server.ts"], {
    cwd,
    env: { ...env, PORT: String(port) },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<number | string | null>((resolve) =>
    child.on("close", (code, signal) => resolve(code ?? signal)),
  );
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  await until(() => said.includes("Server running") || child.exitCode !== null);
  const url = `http://127.0.0.1:${String(port)}`;
  const { id } = (await (await fetch(`${url}/api/chats`, { method: "POST" })).json()) as { readonly id: string };
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  const seen: Readonly<Record<string, unknown>>[] = [];
  socket.addEventListener("message", ({ data }) => {
    const {
      cost: _cost,
      duration: _duration,
      ...message
    } = JSON.parse(String(data)) as Readonly<Record<string, unknown>>;
    seen.push(message);
  });
  await until(() => seen.length > 0);
  const results = (): number => seen.filter(({ type }) => type === "result" || type === "error").length;
  for (const [at, content] of ["first message", "second message"].entries()) {
    socket.send(JSON.stringify({ type: "chat", chatId: id, content }));
    await until(() => results() > at);
  }
  socket.close();
  child.kill("SIGTERM");
  return { code: await ended, output: seen };
};

const research: Demo = async (place, cwd, env) => {
  const bin = join(place.root, "path");
  mkdirSync(bin);
  symlinkSync(place.executable, join(bin, "claude"));
  const { code, stdout } = await runWith(
    { cwd, env },
    python,
    ["-m", "research_agent.agent"],
    "Tell me about crabs\nexit\n",
    {
      PATH: `${bin}:${dirname(python)}:${env["PATH"] ?? ""}`,
      PYTHONPATH: `${join(sdk, "src")}:${cwd}`,
      // As root, the CLI allows everything only in a sandbox.
      IS_SANDBOX: "1",
    },
  );
  return { code, output: stdout.replaceAll(/session_\d+_\d+/gu, "session_<time>") };
};

const DEMOS: Readonly<Record<string, readonly [string, Demo]>> = {
  "hello-world": ["hello-world", script("hello-world.ts")],
  "hello-world-v2 basic": ["hello-world-v2", script("v2-examples.ts", "basic")],
  "hello-world-v2 multi-turn": ["hello-world-v2", script("v2-examples.ts", "multi-turn")],
  "hello-world-v2 one-shot": ["hello-world-v2", script("v2-examples.ts", "one-shot")],
  "hello-world-v2 resume": ["hello-world-v2", script("v2-examples.ts", "resume")],
  "resume-generator": ["resume-generator", script("resume-generator.ts", "Jane Doe")],
  "simple-chatapp": ["simple-chatapp", chat],
  "research-agent": ["research-agent", research],
};

const outcomeOf = async ([name, demo]: readonly [string, Demo], isRelayed: boolean): Promise<Outcome> => {
  const place = await makePlace(isRelayed, scriptsFor);
  try {
    const folder = join(place.cwd, name);
    cpSync(join(repository, name), folder, { recursive: true });
    mkdirSync(join(folder, "agent"), { recursive: true });
    symlinkSync(join(dependencies, "node_modules"), join(folder, "node_modules"));
    const env = { ...place.env, CLAUDE_PATH: place.executable };
    const before = new Set(filesIn(folder));
    const done = await demo(place, folder, env);
    const files = filesIn(folder).filter((file) => !before.has(file) && !/__pycache__|session_/u.test(file));
    return comparable({ ...done, files }, place) as Outcome;
  } finally {
    await place.close();
  }
};

const filesIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((file) => !file.startsWith("node_modules")).toSorted();

/** The server of the chat is ended with SIGTERM. */
const GOOD: ReadonlySet<unknown> = new Set([0, 143, "SIGTERM"]);

let different = 0;
for (const [title, demo] of Object.entries(DEMOS).filter(([name]) => name.includes(only))) {
  const [direct, relayed] = await Promise.all([outcomeOf(demo, false), outcomeOf(demo, true)]);
  const isSame = JSON.stringify(direct) === JSON.stringify(relayed);
  if (!isSame || !GOOD.has(direct.code)) different += 1;
  console.log(`${isSame ? "same   " : "DIFFERS"} exit ${String(direct.code)} ${title}: ${JSON.stringify(direct)}`);
  if (!isSame) console.log(`  relayed: ${JSON.stringify(relayed)}`);
}
process.exitCode = different === 0 ? 0 : 1;
