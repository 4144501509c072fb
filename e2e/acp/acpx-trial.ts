// The commands of acpx, a client for terminals, at `quarterdeck acp` with the simulator. The commands of docs/editors.md run as
// printed. Not part of `npm test`: it needs acpx.
// Usage: npm install --prefix <folder> acpx@0.19
//        node --conditions=source e2e/acp/acpx-trial.ts <folder>

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";
import { makePlace, startServer } from "../bridge/server-process.ts";
import { runWith, until } from "../claude/callers.ts";
import type { Ran } from "../claude/callers.ts";

const [, , folder = ""] = process.argv;
const acpx = join(resolve(folder), "node_modules/.bin");

const place = makePlace({
  name: "acpx",
  scripts: [
    { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
    { when: "summarize", steps: [{ say: [{ text: "It is a ship." }] }] },
    {
      when: "touch",
      steps: [{ say: [{ tool: "Bash", input: { command: "touch made.txt" } }] }, { say: [{ text: "As you wish." }] }],
    },
    {
      when: "slow",
      steps: [{ say: [{ text: "All quiet on deck. ".repeat(5000) }], pace: { deltaMs: 100, deltaChars: 4 } }],
    },
  ],
});
const server = await startServer(place);
const bin = join(place.root, "bin");
mkdirSync(bin);
const words = [process.execPath, ...programWords("quarterdeck")].map((word) => `'${word}'`).join(" ");
writeFileSync(join(bin, "quarterdeck"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
const env = {
  PATH: [bin, acpx, dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
  HOME: place.home,
  TMPDIR: place.root,
  LANG: "C.UTF-8",
  QUARTERDECK_DATA_DIR: place.dataDir,
  ...COMPILED,
};
const shell = (command: string): Promise<Ran> => runWith({ cwd: place.cwd, env }, "/bin/sh", ["-c", command]);
const run = (args: string): Promise<Ran> => shell(`acpx --agent "quarterdeck acp" ${args}`);

let failed = 0;
let passed = 0;
const check = (name: string, isRight: boolean, ran: Ran): void => {
  if (isRight) passed += 1;
  else failed += 1;
  const detail = `\n  exit ${String(ran.code)}\n  ${ran.stdout.slice(-1500)}\n  ${ran.stderr.slice(-1500)}`;
  console.log(`${isRight ? "ok    " : "FAILED"} ${name}${isRight ? "" : detail}`);
};
const made = join(place.cwd, "made.txt");
const linesOf = ({ stdout }: Ran): readonly Record<string, unknown>[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

try {
  const page = readFileSync(new URL("../../docs/editors.md", import.meta.url), "utf8");
  const [, block = ""] = /^```sh\n(acpx [^]*?)^```$/mu.exec(page) ?? [];
  const printed = block.trim().split("\n");
  const [made1, asked] = [await shell(printed[0] ?? "false"), await shell(printed[1] ?? "false")];
  check("docs: sessions new", made1.code === 0 && printed.length === 2, made1);
  check("docs: a prompt", asked.code === 0 && asked.stdout.includes("It is a ship."), asked);

  const prompt = await run('prompt "hello"');
  check("prompt", prompt.code === 0 && prompt.stdout.includes("Hello there."), prompt);
  const once = await run('exec "hello"');
  check("exec", once.code === 0 && once.stdout.includes("Hello there."), once);
  const quiet = await run('--format quiet exec "hello"');
  check("--format quiet", quiet.code === 0 && quiet.stdout.trim() === "Hello there.", quiet);
  const lines = await run('--format json --json-strict exec "hello"');
  check("--format json", lines.code === 0 && linesOf(lines).some((line) => "result" in line), lines);

  const denied = await run('--deny-all prompt "touch it"');
  check("--deny-all", !existsSync(made) && denied.stdout.includes("As you wish."), denied);
  const allowed = await run('--approve-all prompt "touch it"');
  check("--approve-all", allowed.code === 0 && existsSync(made), allowed);
  rmSync(made, { force: true });
  const policy = { autoApprove: ["execute"], defaultAction: "deny" };
  writeFileSync(join(place.root, "policy.json"), JSON.stringify(policy));
  const ruled = await run(`--permission-policy ${join(place.root, "policy.json")} prompt "touch it"`);
  check("--permission-policy", ruled.code === 0 && existsSync(made), ruled);

  const mode = await run("set-mode plan");
  check("set-mode", mode.code === 0 && mode.stdout.includes("plan"), mode);
  const back = await run("set-mode default");
  check("set-mode, back", back.code === 0, back);
  const badMode = await run("set-mode nonsense");
  check("set-mode, unknown", badMode.code !== 0, badMode);
  const effort = await run("set effort high");
  check("set effort", effort.code === 0 && effort.stdout.includes("high"), effort);
  const model = await run("set model haiku");
  check("set model", model.code === 0 && model.stdout.includes("haiku"), model);

  const status = await run("status");
  check("status", status.code === 0 && /running|idle|alive/iu.test(status.stdout), status);
  for (const [command, shown] of [
    ["sessions list", /[0-9a-f]{8}-[0-9a-f]{4}/u],
    ["sessions show", /[0-9a-f]{8}-[0-9a-f]{4}/u],
    ["sessions history", /touch it/u],
    ["sessions read", /Hello there\./u],
    ["sessions ensure", /[0-9a-f]{8}-[0-9a-f]{4}/u],
  ] as const) {
    const ran = await run(command);
    check(command, ran.code === 0 && shown.test(ran.stdout), ran);
  }

  // Another process of acpx cancels the prompt of this one.
  const slow = run('prompt "slow"');
  await until(() => place.linesToCli().some((line) => JSON.stringify(line).includes('"slow"')));
  let stopped: Ran = { code: null, stdout: "", stderr: "" };
  await until(async () => {
    stopped = await run("cancel");
    return stopped.stdout.includes("cancel requested");
  });
  check("cancel", stopped.code === 0, stopped);
  const ended = await slow;
  check("the cancelled prompt ends", /cancelled|All quiet/u.test(ended.stdout), ended);
  const after = await run('prompt "hello"');
  check("a prompt after it", after.code === 0 && after.stdout.includes("Hello there."), after);

  const closed = await run("sessions close");
  check("sessions close", closed.code === 0, closed);
  const fresh = await run("sessions new");
  const again = await run('prompt "hello"');
  check("a new session", fresh.code === 0 && again.stdout.includes("Hello there."), again);
  const end = await run("sessions close");
  check("sessions close, again", end.code === 0, end);
} finally {
  await server.stop();
  place.remove();
}
const { version } = JSON.parse(readFileSync(join(acpx, "../acpx/package.json"), "utf8")) as { version: string };
console.log(`acpx ${version}: ${String(passed)} passed, ${String(failed)} failed`);
process.exitCode = failed > 0 ? 1 : 0;
