// The compiler and the linter enforce the package boundaries. This test checks that they do. On a copy of the layout
// with one forbidden line, the rules must fail. Without that line, they must pass.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A workspace with one package and one source file, under the repository's own configuration. */
const workspace = (pkg: string, source: string, file = "tried.ts"): string => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-purity-"));
  folders.push(folder);
  mkdirSync(join(folder, pkg, "src"), { recursive: true });
  for (const each of ["tsconfig.json", ".oxlintrc.json", `${pkg}/package.json`, `${pkg}/tsconfig.json`])
    cpSync(join(root, each), join(folder, each));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, pkg, "src", file), source);
  return folder;
};
const run = (folder: string, tool: string, ...args: string[]) => {
  const done = spawnSync(join(root, "node_modules", ".bin", tool), args, { cwd: folder, encoding: "utf8" });
  return { ok: done.status === 0, output: `${done.stdout}${done.stderr}` };
};
const compile = (pkg: string, source: string) => run(workspace(pkg, source), "tsc", "-p", `${pkg}/tsconfig.json`);
const lint = (pkg: string, source: string, file?: string) => run(workspace(pkg, source, file), "oxlint", pkg);

const PROTOCOL = "packages/protocol";
const SIMULATOR = "packages/simulator";
const node = 'import { readFileSync } from "node:fs";\nexport const text = readFileSync("x", "utf8");\n';

describe("the compiler", () => {
  it.each([
    ["a Node module", node],
    ["a Node global", "export const id = process.pid;\n"],
    ["the DOM", 'export const page = document.querySelector("x");\n'],
    ["a timer", "export const later = setTimeout(() => {}, 1);\n"],
  ])("refuses %s in a pure package", (_, source) => {
    expect(compile(PROTOCOL, source)).toMatchObject({
      ok: false,
      output: expect.stringMatching(/Cannot find (name|module)/) as unknown,
    });
  });

  it("accepts a pure package, and Node where it is allowed", () => {
    expect(compile(PROTOCOL, "export const one = 1;\n")).toEqual({ ok: true, output: "" });
    expect(compile(SIMULATOR, node)).toEqual({ ok: true, output: "" });
  });
});

describe("the linter", () => {
  const uses = (module: string) => `import { x } from "${module}";\nexport const y = x;\n`;

  it.each([
    [PROTOCOL, "node:fs"],
    [PROTOCOL, "@quarterdeck/simulator"],
    [PROTOCOL, "../../simulator/src/index.ts"],
    ["packages/permissions", "node:fs"],
    ["packages/permissions", "@quarterdeck/protocol"],
    ["packages/session", "node:fs"],
    ["packages/session", "@quarterdeck/simulator"],
    ["packages/session", "../../protocol/src/schema.ts"],
    ["packages/host", "@quarterdeck/simulator"],
    ["packages/host", "quarterdeck"],
    ["packages/host", "../../session/src/fold.ts"],
    [SIMULATOR, "quarterdeck"],
    [SIMULATOR, "../../cli/src/quarterdeck.ts"],
    [SIMULATOR, "../../protocol/src/schema.ts"],
    ["packages/server", "../../protocol/src/schema.ts"],
    ["packages/server", "quarterdeck"],
    ["packages/server", "@quarterdeck/test-kit/clean-env"],
    ["packages/server", "../../../e2e/bridge/bench.ts"],
    ["packages/cli", "../../server/src/start-server.ts"],
    ["packages/cli", "@quarterdeck/web"],
    ["packages/client", "node:fs"],
    ["packages/client", "zod"],
    ["packages/client", "@quarterdeck/host"],
    ["packages/web", "@quarterdeck/session"],
    ["packages/web", "@quarterdeck/host"],
    ["packages/web", "../../client/src/index.ts"],
  ])("rejects in %s an import of %s", (pkg, module) => {
    expect(lint(pkg, uses(module))).toMatchObject({
      ok: false,
      output: expect.stringContaining("no-restricted-imports") as unknown,
    });
  });

  it("rejects an import of e2e in a package's test, and accepts the test kit", () => {
    const test = (module: string) => lint("packages/server", uses(module), "tried.test.ts").output;
    expect(test("../../../e2e/bridge/bench.ts")).toContain("no-restricted-imports");
    expect(test("@quarterdeck/test-kit/clean-env")).not.toContain("no-restricted-imports");
  });

  it.each([
    ["Date.now()", "no-restricted-globals"],
    ["new Date()", "no-restricted-globals"],
    ["Math.random()", "no-restricted-properties"],
  ])("rejects %s in a pure package", (expression, rule) => {
    expect(lint(PROTOCOL, `export const x = ${expression};\n`)).toMatchObject({
      ok: false,
      output: expect.stringContaining(rule) as unknown,
    });
    expect(lint(SIMULATOR, `export const x = ${expression};\n`).ok).toBe(true);
  });

  it.each([
    ["packages/cli", 'process.stdout.write("x")', "no-restricted-properties"],
    ["packages/cli", 'process["stderr"].write("x")', "no-restricted-properties"],
    ["packages/cli", "Object.keys(globalThis.process)", "no-restricted-properties"],
    ["packages/cli", 'console.log("x")', "no-console"],
    ["packages/server", 'process.stdout.write("x")', "no-restricted-properties"],
    ["packages/server", 'console.log("x")', "no-console"],
  ])("[S38] rejects in %s the code %s: only printer.ts writes to the terminal", (pkg, expression, rule) => {
    expect(lint(pkg, `export const x = ${expression};\n`)).toMatchObject({
      ok: false,
      output: expect.stringContaining(rule) as unknown,
    });
  });

  it.each(["node:process", "node:readline", "node:readline/promises", "node:tty", "node:console"])(
    "[S38] rejects %s in the command",
    (module) => {
      expect(lint("packages/cli", uses(module))).toMatchObject({
        ok: false,
        output: expect.stringContaining("no-restricted-imports") as unknown,
      });
    },
  );

  it.each([
    [PROTOCOL, "./schema.ts"],
    ["packages/permissions", "unbash"],
    ["packages/session", "@quarterdeck/protocol"],
    ["packages/session", "@quarterdeck/permissions"],
    ["packages/web", "@quarterdeck/permissions/words"],
    ["packages/host", "@quarterdeck/session"],
    [SIMULATOR, "@quarterdeck/protocol"],
    [SIMULATOR, "node:fs"],
    ["packages/server", "@quarterdeck/simulator"],
    ["packages/cli", "@quarterdeck/server/files"],
  ])("accepts in %s an import of %s", (pkg, module) => {
    expect(lint(pkg, uses(module)).ok).toBe(true);
  });
});
