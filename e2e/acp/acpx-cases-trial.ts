// acpx's own conformance cases at `quarterdeck acp`, with acpx's own runner and the simulator. The cases expect words of acpx's mock
// agent ("unrecognized prompt"), so scripts say them here. The npm package has no cases: take a checkout of the repository. Not part
// of `npm test`.
// Usage: npm install --prefix <folder> acpx@0.19
//        node --conditions=source e2e/acp/acpx-cases-trial.ts <checkout with conformance/> <folder>

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Script } from "@quarterdeck/simulator";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";
import { makePlace, startServer } from "../bridge/server-process.ts";
import { runWith } from "../claude/callers.ts";

const [, , checkout = "", folder = ""] = process.argv;

const text = (words: string) => ({ say: [{ text: words }] });
const bash = (command: string) => ({ say: [{ tool: "Bash", input: { command } }] });
const slow = (deltaMs: number, words: string) => ({ say: [{ text: words }], pace: { deltaMs, deltaChars: 4 } });
const cases = join(resolve(checkout), "conformance/cases");
interface Case {
  readonly id: string;
  readonly permission_mode?: string;
  readonly steps?: readonly { readonly prompt?: readonly { readonly text?: string }[] }[];
  readonly checks?: readonly { readonly type: string; readonly text?: string }[];
}
const all = readdirSync(cases).map((name) => JSON.parse(readFileSync(join(cases, name), "utf8")) as Case);
const wordsOf = (prompt: string): string =>
  all
    .filter(({ steps }) => steps?.some((step) => step.prompt?.some((block) => block.text?.startsWith(prompt) === true)))
    .flatMap(({ checks = [] }) => checks.flatMap(({ text: words }) => (words === undefined ? [] : [words])))
    .join(" ");

/** What was asked and done is in the calls. These are only the words that the cases look for. */
const scripts: readonly Script[] = [
  { when: "echo after-cancel", steps: [text("after-cancel")] },
  { when: "echo", steps: [text("ok")] },
  { when: "sleep 5000", steps: [slow(100, "Slow. ".repeat(5000))] },
  { when: "sleep 80", steps: [slow(10, "slept for a while")] },
  { when: "this-command-does-not-exist", steps: [text("unrecognized prompt")] },
  { when: "conformance-resource", steps: [text('{"type":"resource"}')] },
  { when: "write README.md blocked", steps: [bash("touch blocked.txt"), text("permission denied")] },
  { when: "write ", steps: [bash("touch written.txt"), text(wordsOf("write"))] },
  { when: "read README.md", steps: [bash("touch read.txt"), text(wordsOf("read README.md"))] },
  {
    when: "late-tool",
    steps: [{ say: [{ text: wordsOf("late-tool") }, { tool: "Bash", input: { command: "touch late.txt" } }] }],
  },
];

const place = makePlace({ name: "acpx-cases", scripts });
const server = await startServer(place);
const bin = join(place.root, "bin");
mkdirSync(bin);
const words = [process.execPath, ...programWords("quarterdeck")].map((word) => `'${word}'`).join(" ");
writeFileSync(join(bin, "quarterdeck"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
const copy = join(place.root, "acpx");
cpSync(join(resolve(checkout), "conformance"), join(copy, "conformance"), { recursive: true });
if (existsSync(join(resolve(checkout), "src")))
  cpSync(join(resolve(checkout), "src"), join(copy, "src"), { recursive: true });
writeFileSync(join(copy, "package.json"), JSON.stringify({ type: "module" }));
symlinkSync(join(resolve(folder), "node_modules"), join(copy, "node_modules"));
writeFileSync(join(place.cwd, "README.md"), "a file\n");

const ids = all.flatMap(({ id }) => ["--case", id]);
const ran = await runWith(
  {
    cwd: copy,
    env: {
      PATH: [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
      HOME: place.home,
      TMPDIR: place.root,
      LANG: "C.UTF-8",
      QUARTERDECK_DATA_DIR: place.dataDir,
      ...COMPILED,
    },
  },
  process.execPath,
  ["conformance/runner/run.ts", "--agent-command", "quarterdeck acp", "--cwd", place.cwd, ...ids],
);
console.log(ran.stdout, ran.stderr);
console.log(`files: ${readdirSync(place.cwd).join(", ")}`);
await server.stop();
place.remove();
process.exitCode = ran.code === 0 ? 0 : 1;
