// The published packages: packed, unpacked into an empty folder, and used as other people use them.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { programWords } from "@quarterdeck/test-kit/programs";
import { packAll } from "../scripts/packed-packages.ts";
import type { Packed, PackedManifest } from "../scripts/packed-packages.ts";
import { checkConsumer, checkContents, checkLicences, checkVersions, exampleIn } from "../scripts/release.ts";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "quarterdeck-packed-"));
const modules = join(folder, "app", "node_modules");

let packed: readonly Packed[];

beforeAll(() => {
  // `npm test` has checked the types before.
  packed = packAll(folder, { check: false });
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));

it("starts from the tarball: the page, the link, the demo agent, and a clean end", async () => {
  const { bin } = JSON.parse(readFileSync(join(modules, "quarterdeck", "package.json"), "utf8")) as PackedManifest;
  const program = join(modules, "quarterdeck", bin!["quarterdeck"]!);
  expect(readFileSync(program, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/u);
  const child = spawn(process.execPath, [program, "--port", "0", "--no-open"], {
    cwd: folder,
    env: { HOME: folder, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const link = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString("utf8");
        const match = /http:\/\/\S+#pair=\S+/u.exec(said);
        if (match !== null && said.includes("Ctrl-C")) resolve(match[0]);
      });
    }
    child.once("close", () => reject(new Error(said)));
  });
  try {
    expect(said).toContain("demo mode: a script answers");
    const page = await fetch(new URL("/", link));
    const html = await page.text();
    expect([page.status, html]).toEqual([200, expect.stringContaining("<title>Quarterdeck</title>")]);
    const script = /src="(\/assets\/[^"]+\.js)"/u.exec(html)![1]!;
    const asset = await fetch(new URL(script, link), { headers: { "accept-encoding": "br" } });
    expect([asset.status, asset.headers.get("content-encoding"), asset.headers.get("cache-control")]).toEqual([
      200,
      "br",
      "public, max-age=31536000, immutable",
    ]);
    const run = spawn(
      process.execPath,
      [program, "run", "--cwd", join(folder, ".local/share/quarterdeck-demo/harbour"), "demo"],
      {
        env: { HOME: folder, PATH: "/usr/bin:/bin", NO_COLOR: "1" },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let answer = "";
    run.stdout.on("data", (chunk: Buffer) => (answer += chunk.toString("utf8")));
    expect([(await once(run, "close"))[0], answer]).toEqual([0, expect.stringContaining("The tour has these prompts")]);
  } finally {
    child.kill("SIGTERM");
  }
  expect((await once(child, "close"))[0]).toBe(0);
});

it("passes every check of a release", () => {
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const findings = [...checkVersions(packed, changelog), ...checkContents(packed, modules), checkLicences(packed)];
  expect([...findings, ...checkConsumer(packed, join(folder, "app"))].filter(({ ok }) => !ok)).toEqual([]);
});

it("reports what a release must not contain", () => {
  const [first] = packed;
  const files = first!.files.filter((path) => path !== "LICENSE").concat("dist/index.test.js");
  const [finding] = checkContents([{ ...first!, files }], modules);
  expect(finding).toMatchObject({ ok: false, text: expect.stringContaining("LICENSE is missing") as unknown });
  expect(finding!.text).toContain("index.test.js should not be there");
  const other = { ...first!, manifest: { ...first!.manifest, version: "9.9.9" } };
  expect(checkVersions([other, ...packed], "# Changelog\n")).toMatchObject([{ ok: false }, { ok: false }]);
});

it("runs the example of the library's README as printed", async () => {
  const home = join(folder, "reader");
  const work = join(home, "code");
  mkdirSync(work, { recursive: true });
  mkdirSync(join(home, "bin"));
  const scenario = join(home, "scenario.json");
  writeFileSync(
    scenario,
    JSON.stringify({ name: "reader", scripts: [{ when: "Hello", steps: [{ say: [{ text: "Hello, reader." }] }] }] }),
  );
  const claude = `#!/bin/sh\nQUARTERDECK_SCENARIO=${scenario} exec ${process.execPath} ${programWords("quarterdeck-sim").join(" ")} "$@"\n`;
  writeFileSync(join(home, "bin", "claude"), claude, { mode: 0o755 });
  const printed = exampleIn(readFileSync(join(root, "packages/host/README.md"), "utf8"));
  const program = join(folder, "app", "reader.ts");
  // Only the folder is the reader's own.
  writeFileSync(program, printed.replace("/home/me/code", work));
  const env = { HOME: home, PATH: `${join(home, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin` };
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [program], { cwd: work, env }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(stderr, { cause: error })),
    );
  });
  expect(output).toContain("Hello, reader.");
});
