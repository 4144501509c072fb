// The published packages: packed, unpacked into an empty folder, and used as other people use them.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Script } from "@quarterdeck/simulator";
import { IS_WHOLE } from "@quarterdeck/test-kit/how-much";
import { writeScriptedClaude } from "@quarterdeck/test-kit/programs";
import { packAll } from "../scripts/packed-packages.ts";
import type { Packed, PackedManifest } from "../scripts/packed-packages.ts";
import {
  checkConsumer,
  checkContents,
  checkLicences,
  checkProvenance,
  checkVersions,
  exampleIn,
  recipesIn,
} from "../scripts/release.ts";
import { endServer, runWith } from "./claude/callers.ts";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "quarterdeck-packed-"));
const modules = join(folder, "app", "node_modules");

let packed: readonly Packed[];

beforeAll(() => {
  // Only the check of a release, which `npm run test:all` runs, reads declarations.
  packed = packAll(folder, { types: IS_WHOLE });
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));

it("[E260] starts from the tarball: the page, the link, the demo agent, and a clean end", async () => {
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

it("[E74] passes every check of a release", { tags: "long" }, () => {
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const findings = [
    ...checkVersions(packed, changelog),
    ...checkContents(packed, modules),
    checkLicences(packed),
    checkProvenance(packed),
  ];
  expect([...findings, ...checkConsumer(packed, join(folder, "app"))].filter(({ ok }) => !ok)).toEqual([]);
});

it("[E74] reports what a release must not contain", () => {
  const [first] = packed;
  const files = first!.files.filter((path) => path !== "LICENSE").concat("dist/index.test.js");
  const [finding] = checkContents([{ ...first!, files }], modules);
  expect(finding).toMatchObject({ ok: false, text: expect.stringContaining("LICENSE is missing") as unknown });
  expect(finding!.text).toContain("index.test.js should not be there");
  const other = { ...first!, manifest: { ...first!.manifest, version: "9.9.9" } };
  expect(checkVersions([other, ...packed], "# Changelog\n")).toMatchObject([{ ok: false }, { ok: false }]);
  // A release without the address of the source says what to add.
  const homeless = { ...first!, manifest: { ...first!.manifest, repository: undefined } };
  const words = expect.stringContaining('"repository": {') as unknown;
  expect(checkProvenance([homeless], false)).toMatchObject({ ok: false, text: words });
  expect(checkProvenance([homeless], true)).toMatchObject({ ok: true, isLeft: true, text: words });
  const known = { ...first!, manifest: { ...first!.manifest, repository: { type: "git" } } };
  expect(checkProvenance([known], false)).toMatchObject({ ok: true });
});

/** A home with the simulator as `claude` on its PATH. */
const readerWith = (name: string, scripts: readonly Script[]) => {
  const home = join(folder, name);
  const work = join(home, "code");
  mkdirSync(work, { recursive: true });
  mkdirSync(join(home, "bin"), { recursive: true });
  writeScriptedClaude(join(home, "bin", "claude"), scripts);
  const env = { HOME: home, PATH: `${join(home, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin` };
  const runProgram = (file: string, code: string): Promise<string> => {
    const program = join(folder, "app", file);
    writeFileSync(program, code);
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [program], { cwd: work, env }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${file}: ${stderr}`, { cause: error })),
      );
    });
  };
  return { home, work, env, runProgram };
};

it(
  "[E260] opens every door from the tarballs: the library, `claude`, `acp`, `run` and `attach`",
  { tags: "long" },
  async () => {
    const { home, work, env, runProgram } = readerWith("doors", [
      { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
      { when: "editor", steps: [{ say: [{ text: "Hello, editor." }] }] },
      { when: "script", steps: [{ say: [{ text: "Hello, script." }] }] },
    ]);
    const { bin } = JSON.parse(readFileSync(join(modules, "quarterdeck", "package.json"), "utf8")) as PackedManifest;
    for (const [name, path] of Object.entries(bin!))
      symlinkSync(join(modules, "quarterdeck", path), join(home, "bin", name));
    mkdirSync(join(home, ".config", "quarterdeck"), { recursive: true });
    writeFileSync(join(home, ".config", "quarterdeck", "config.json"), JSON.stringify({ port: 0 }));
    const shell = (command: string) => runWith({ cwd: work, env }, "/bin/sh", ["-c", command]);
    try {
      // The command of docs/claude.md. It starts a server, which the other doors use.
      const page = readFileSync(join(root, "docs/claude.md"), "utf8");
      const piped = [...page.matchAll(/^```sh\n([^]*?)^```$/gmu)].map((match) => match[1]!)[1]!;
      const relayed = await shell(piped);
      expect(relayed).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(relayed.stdout.trim().split("\n").at(-1)!)).toMatchObject({ result: "Hello there." });
      const editor = await editorAt("quarterdeck", ["acp"], { cwd: work, env });
      expect(editor).toEqual({ stopReason: "end_turn", text: "Hello, editor.", code: 0 });
      expect(await shell("quarterdeck run 'a script asks'")).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Hello, script.") as unknown,
      });
      const attached = await shell("quarterdeck attach --last --no-follow");
      expect(attached).toMatchObject({ code: 0, stdout: expect.stringContaining("Hello, script.") as unknown });
      expect(await shell("quarterdeck ls --all")).toMatchObject({
        stdout: expect.stringMatching(/hello[^]*editor|editor[^]*hello/u) as unknown,
      });
      // The library says what to do about a folder that the server has.
      const code = `import { openHost } from "@quarterdeck/host";
      openHost().then(() => console.log("opened"), (error) => console.log(error.message));`;
      expect(await runProgram("beside.mjs", code)).toContain("@quarterdeck/client");
    } finally {
      await endServer(join(home, ".local", "share", "quarterdeck"));
    }
  },
);

/** Asks an agent as an editor does, with nothing but lines of JSON. */
const editorAt = async (
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ stopReason: unknown; text: string; code: unknown }> => {
  const child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  let text = "";
  const answers = new Map<number, (result: Record<string, unknown>) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as {
      id?: number;
      result?: Record<string, unknown>;
      params?: { update?: { sessionUpdate: string; content?: { text?: string } } };
    };
    if (message.params?.update?.sessionUpdate === "agent_message_chunk")
      text += message.params.update.content?.text ?? "";
    if (message.id !== undefined) answers.get(message.id)?.(message.result ?? {});
  });
  const ask = (method: string, params: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      const id = answers.size;
      answers.set(id, resolve);
      void closed.then(() => reject(new Error("The agent has ended.")));
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  await ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await ask("session/new", { cwd: options.cwd, mcpServers: [] });
  const { stopReason } = await ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "an editor asks" }] });
  child.stdin.end();
  const [code] = await closed;
  return { stopReason, text, code };
};

it("[E245] runs the example of the library's README as printed", async () => {
  const { work, runProgram } = readerWith("reader", [
    { when: "Hello", steps: [{ say: [{ text: "Hello, reader." }] }] },
  ]);
  const printed = exampleIn(readFileSync(join(root, "packages/host/README.md"), "utf8"));
  // Only the folder is the reader's own.
  expect(await runProgram("reader.ts", printed.replace("/home/me/code", work))).toContain("Hello, reader.");
});

const says = (text: string): Script["steps"][number] => ({ say: [{ text }] });
const calls = (tool: string, input: Record<string, unknown>): Script["steps"][number] => ({ say: [{ tool, input }] });
const runs = (command: string): Script["steps"][number] => calls("Bash", { command });

/** What the model does in each recipe. */
const COOKING: readonly Script[] = [
  { when: "then delete them", steps: [runs("cat seen.txt"), runs("rm -r *"), says("Deleting was denied.")] },
  {
    when: "then fetch a page",
    steps: [runs("touch made.txt"), runs("curl -s https://example.com"), says("No network.")],
  },
  { when: "Review the last", steps: [calls("StructuredOutput", { ok: false, findings: ["a", "b"] }), says("Done.")] },
  { when: "Which port", steps: [calls("StructuredOutput", { port: 7433 }), says("Done.")] },
  { when: "Is there rope", steps: [calls("mcp__store__in_stock", { item: "rope" }), says("Yes, 12.")] },
  {
    when: "then the tides",
    steps: [
      calls("mcp__charts__chart", { of: "nothing" }),
      calls("mcp__charts__chart", { of: "tides" }),
      says("Drawn."),
    ],
  },
  { when: "Push with --force", steps: [runs("git push --force"), says("I may not.")] },
  { when: "When is the release", steps: [says("On Friday.")] },
  ...["one", "two", "three"].map((word) => ({ when: `What is ${word}`, steps: [says(`It is ${word}.`)] })),
];

/** What each recipe prints. */
const DISHES: Readonly<Record<string, string>> = {
  "approve-by-policy-1.ts": "Deleting was denied.\n",
  "approve-by-policy-2.ts": "No network.\ntouch made.txt files\ncurl -s https://example.com no network\n",
  "structured-output-1.ts": "false 2\n",
  "structured-output-2.ts": "{ port: 7433 }\n",
  "own-tools-1.ts": "Yes, 12.\n",
  "own-tools-2.ts": "failed done Drawn.\n",
  "own-hooks-1.ts": "I may not.\n",
  "own-hooks-2.ts": "UserPromptSubmit\nOn Friday.\n",
  "several-sessions-1.ts": "It is one. true\nIt is two. true\nIt is three. true\n",
  "several-sessions-2.ts": "tools: true\nIt is two. 2\n",
};

it("[E245] runs every recipe of the library's README as printed", { tags: "long" }, async () => {
  const recipes = recipesIn(readFileSync(join(root, "packages/host/README.md"), "utf8"));
  expect(recipes.map(([name]) => name)).toEqual(Object.keys(DISHES));
  const { work, runProgram } = readerWith("cook", COOKING);
  writeFileSync(join(work, "seen.txt"), "seen\n");
  // One after the other: they share a data folder.
  for (const [name, code] of recipes) expect([name, await runProgram(name, code)]).toEqual([name, DISHES[name]]);
  expect(readdirSync(work).toSorted()).toEqual(["made.txt", "seen.txt"]);
});
