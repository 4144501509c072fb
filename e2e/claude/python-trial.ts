// The e2e tests of the Python SDK with a scripted API, once with the real program and once with `quarterdeck claude` in its
// place. Not part of `npm test`: it needs the SDK's repository and a Python with its dependencies and pytest.
// Usage: node --conditions=source e2e/claude/python-trial.ts <repository of the Python SDK> <python> [arguments of pytest]

import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Script } from "@quarterdeck/simulator";
import { makePlace, runWith } from "./callers.ts";

const [, , sdk = "", python = "python3", ...more] = process.argv;

const text = (words: string) => ({ say: [{ text: words }] });
const tool = (name: string, input: Readonly<Record<string, unknown>>) => ({ say: [{ tool: name, input }] });
const bash = (command: string) => tool("Bash", { command, description: "Run" });
const answer = (input: Readonly<Record<string, unknown>>) => tool("StructuredOutput", input);
/** The prompt of the subagent must not be part of the prompt that starts it. */
const greet = { subagent_type: "greeter", description: "Greet", prompt: "Welcome aboard.", run_in_background: false };

/** The first that fits is played. `home` is where the tests write. */
const scriptsFor = (home: string): readonly Script[] => [
  { when: "Run the command: touch", steps: [bash("touch /tmp/sdk_permission_test_trial.txt"), text("Touched.")] },
  {
    when: "Use the Write tool to create the file",
    steps: [
      tool("Write", { file_path: join(home, ".agent_sdk_permission_e2e_trial.txt"), content: "hello" }),
      text("Written."),
    ],
  },
  { when: "Run this bash command: echo 'hello'", steps: [bash("echo 'hello'"), text("Said.")] },
  { when: "Run: echo", steps: [bash("echo 'test'"), text("Said.")] },
  { when: "Call the mcp__test__echo tool", steps: [tool("mcp__test__echo", { text: "hi" }), text("Echoed.")] },
  { when: "Call the mcp__noperm__echo tool", steps: [tool("mcp__noperm__echo", { text: "hi" }), text("Not allowed.")] },
  {
    when: "First use the greet tool",
    steps: [tool("mcp__test__greet", { name: "Alice" }), tool("mcp__test__echo", { text: "test" }), text("Greeted.")],
  },
  {
    when: "Call mcp__multi__echo",
    steps: [tool("mcp__multi__echo", { text: "test" }), tool("mcp__multi__greet", { name: "Bob" }), text("Both.")],
  },
  { when: "Use the Agent tool exactly once", steps: [tool("Agent", greet), text("DONE")] },
  { when: "Welcome aboard.", steps: [text("Hello, and welcome.")] },
  {
    when: "Count from 1 to 100 slowly",
    steps: [{ say: [{ text: "one two three ".repeat(500) }], pace: { deltaMs: 50, deltaChars: 8 } }],
  },
  { when: "Count how many Python files", steps: [answer({ file_count: 5, has_tests: true, test_file_count: 2 })] },
  {
    when: "Analyze this text",
    steps: [answer({ analysis: { word_count: 2, character_count: 11 }, words: ["Hello", "world"] })],
  },
  {
    when: "Search for test files",
    steps: [answer({ has_tests: true, test_framework: "pytest", test_count: 3 })],
  },
  { when: "Count how many files are", steps: [answer({ file_count: 3, has_readme: false })] },
  {
    when: "Reply with: pong",
    steps: [{ fail: [{ status: 404, type: "not_found_error", message: "No such model.", always: true }] }],
  },
  {
    when: "Think",
    steps: [
      { say: [{ thinking: "2 and 2 are 4, or a joke." }, { text: "Why did the crab never share? It was shellfish." }] },
    ],
  },
  ...["What is", "Reply with exactly", "Say hello", "List available agents"].map((when) => ({
    when,
    steps: [text("Four.")],
  })),
];

/** The tests name files after a random number, which a script cannot know. */
const copyTests = (to: string): void => {
  for (const name of ["src", "e2e-tests", "pyproject.toml"])
    cpSync(join(sdk, name), join(to, name), { recursive: true });
  const folder = join(to, "e2e-tests");
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".py"))) {
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("uuid.uuid4().hex[:8]", '"trial"'));
  }
};

const outcomes = async (isRelayed: boolean): Promise<ReadonlyMap<string, string>> => {
  const place = await makePlace(isRelayed, scriptsFor);
  try {
    copyTests(place.cwd);
    const bin = join(place.root, "path");
    mkdirSync(bin);
    symlinkSync(place.executable, join(bin, "claude"));
    const env = {
      ...place.env,
      PATH: `${bin}:${dirname(python)}:${place.env["PATH"] ?? ""}`,
      PYTHONPATH: join(place.cwd, "src"),
    };
    const args = ["-m", "pytest", "e2e-tests", "-m", "e2e", "-q", "-rA", "-p", "no:cacheprovider", ...more];
    const { stdout, stderr } = await runWith({ cwd: place.cwd, env }, python, args);
    writeFileSync(join(tmpdir(), `quarterdeck-python-trial-${isRelayed ? "relayed" : "direct"}.log`), stdout + stderr);
    return new Map(
      [...stdout.matchAll(/^(PASSED|FAILED|ERROR) e2e-tests\/(\S+)/gmu)].map(([, outcome = "", name = ""]) => [
        name,
        outcome,
      ]),
    );
  } finally {
    await place.close();
  }
};

const [direct, relayed] = await Promise.all([outcomes(false), outcomes(true)]);
for (const name of new Set([...direct.keys(), ...relayed.keys()])) {
  const [before = "missing", after = "missing"] = [direct.get(name), relayed.get(name)];
  console.log(`${before === after ? "same  " : "DIFFERS"} ${before.padEnd(8)} ${after.padEnd(8)} ${name}`);
}
const different = [...direct].filter(([name, outcome]) => relayed.get(name) !== outcome).length;
console.log(`${String(direct.size)} tests, ${String(different)} differ`);
process.exitCode = different === 0 && direct.size > 0 ? 0 : 1;
