// The client of clients/python against a real server. It needs python3, which the test does not replace: without it, it fails.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Bench } from "./bench.ts";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "clients/python");
const shared = Bench.shared();

const python = (file: string, cwd: string, env: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve, reject) => {
    const inherited = { PATH: process.env["PATH"] ?? "", PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" };
    execFile("python3", [file], { cwd, env: { ...inherited, ...env } }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (error.code === "ENOENT") reject(new Error("This test needs python3 (3.9 or newer) on the PATH."));
      else reject(new Error(`${stdout}\n${stderr}`, { cause: error }));
    });
  });

it("[E246] a client written from the document pairs, follows, answers once, and survives lost connections", async () => {
  const bench = await shared();
  const admin = await bench.client();
  const { link } = await admin.command("devices/pair", { role: "admin", name: "py" });
  const output = await python(join(import.meta.dirname, "python-journey.py"), bench.cwd, {
    CLIENT: folder,
    VECTORS: join(root, "docs/schemas/canonical-json.json"),
    SERVER: bench.server.url,
    LINK: link,
    WORK: bench.cwd,
  });
  const steps = output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  expect(steps).toEqual([
    { step: "paired twice", code: "unauthenticated", status: 401 },
    { step: "wrong token", code: "unauthenticated" },
    { step: "connected", role: "admin", frame: 1_048_576 },
    { step: "listed", ids: [true] },
    { step: "answered", kind: "permission", by: "py", again: true },
    {
      step: "done",
      text: "Making it.\nMade.",
      kinds: ["prompt", "text", "tool", "text", "turn"],
      prompt: "touch ü 😀",
    },
    { step: "late", code: "already-answered" },
    { step: "too long", code: "too-large" },
    { step: "long", length: 100_000, drafts: 0, again: true },
  ]);
  const answers = bench.linesToCli().filter(({ type }) => type === "control_response");
  expect(answers.filter((line) => JSON.stringify(line).includes('"behavior"'))).toHaveLength(1);
});

it("[E247] the program in the README of clients/python runs as printed", async () => {
  const bench = await shared();
  const [, code] = /^```python\n([\s\S]*?)^```$/mu.exec(readFileSync(join(folder, "README.md"), "utf8")) ?? [];
  const file = join(bench.cwd, "program.py");
  writeFileSync(file, code!);
  const { url, token } = bench.server;
  const env = { QUARTERDECK_URL: url, QUARTERDECK_TOKEN: token, PYTHONPATH: folder };
  expect(await python(file, bench.cwd, env)).toMatch(/^asked: Bash\nMaking it\.\nMade\.\nsessions: \d+\n$/u);
});
