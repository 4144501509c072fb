// The compiler and the linter enforce the package boundaries. This test checks that they do. On a copy of the layout
// with one forbidden line, the rules must fail. Without that line, they must pass.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Tried {
  readonly pkg: string;
  readonly source: string;
  readonly file?: string;
}

/** A workspace with these packages and sources, under the repository's own configuration. */
const workspace = (tried: readonly Tried[]): string => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-purity-"));
  folders.push(folder);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const each of ["tsconfig.json", ".oxlintrc.json"]) cpSync(join(root, each), join(folder, each));
  for (const { pkg, source, file = "tried.ts" } of tried) {
    mkdirSync(join(folder, pkg, "src"), { recursive: true });
    for (const each of ["package.json", "tsconfig.json"]) cpSync(join(root, pkg, each), join(folder, pkg, each));
    writeFileSync(join(folder, pkg, "src", file), source);
  }
  return folder;
};
const run = (folder: string, tool: string, ...args: string[]) => {
  const done = spawnSync(join(root, "node_modules", ".bin", tool), args, { cwd: folder, encoding: "utf8" });
  return { ok: done.status === 0, output: `${done.stdout}${done.stderr}` };
};
const compile = (pkg: string, source: string) => run(workspace([{ pkg, source }]), "tsc", "-p", `${pkg}/tsconfig.json`);

/** One run of the linter for all sources: the codes of what it reports, for each source. */
const lint = (tried: readonly Tried[]): readonly (readonly string[])[] => {
  const named = tried.map((each, at) => ({ ...each, file: `tried-${String(at)}${each.file ?? ".ts"}` }));
  const { output } = run(workspace(named), "oxlint", "--format=json", "packages");
  const { diagnostics } = JSON.parse(output) as { diagnostics: { filename: string; code: string }[] };
  return named.map(({ pkg, file }) =>
    diagnostics.filter(({ filename }) => filename === `${pkg}/src/${file}`).map(({ code }) => code),
  );
};

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

const uses = (module: string) => `import { x } from "${module}";\nexport const y = x;\n`;
const value = (expression: string) => `export const x = ${expression};\n`;

const FORBIDDEN_IMPORTS = [
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
] as const;
const ALLOWED_IMPORTS = [
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
] as const;
const CLOCKS = [
  ["Date.now()", "no-restricted-globals"],
  ["new Date()", "no-restricted-globals"],
  ["Math.random()", "no-restricted-properties"],
] as const;
const TERMINAL_WRITES = [
  ["packages/cli", 'process.stdout.write("x")', "no-restricted-properties"],
  ["packages/cli", 'process["stderr"].write("x")', "no-restricted-properties"],
  ["packages/cli", "Object.keys(globalThis.process)", "no-restricted-properties"],
  ["packages/cli", 'console.log("x")', "no-console"],
  ["packages/server", 'process.stdout.write("x")', "no-restricted-properties"],
  ["packages/server", 'console.log("x")', "no-console"],
] as const;
const TERMINAL_MODULES = ["node:process", "node:readline", "node:readline/promises", "node:tty", "node:console"];
const SERVER_TEST = { pkg: "packages/server", file: ".test.ts" } as const;

describe("the linter", () => {
  const tried: Tried[] = [
    ...[...FORBIDDEN_IMPORTS, ...ALLOWED_IMPORTS].map(([pkg, module]) => ({ pkg, source: uses(module) })),
    ...CLOCKS.flatMap(([expression]) => [PROTOCOL, SIMULATOR].map((pkg) => ({ pkg, source: value(expression) }))),
    ...TERMINAL_WRITES.map(([pkg, expression]) => ({ pkg, source: value(expression) })),
    ...TERMINAL_MODULES.map((module) => ({ pkg: "packages/cli", source: uses(module) })),
    ...["../../../e2e/bridge/bench.ts", "@quarterdeck/test-kit/clean-env"].map((module) => ({
      ...SERVER_TEST,
      source: uses(module),
    })),
  ];
  let reported: readonly (readonly string[])[];
  beforeAll(() => {
    reported = lint(tried);
  });
  const reports = (pkg: string, source: string, file?: string): readonly string[] => {
    const at = tried.findIndex((each) => each.pkg === pkg && each.source === source && each.file === file);
    return reported[at]!;
  };
  const rule = (name: string) => expect.arrayContaining([expect.stringContaining(name) as unknown]) as unknown;

  it.each(FORBIDDEN_IMPORTS)("rejects in %s an import of %s", (pkg, module) => {
    expect(reports(pkg, uses(module))).toEqual(rule("no-restricted-imports"));
  });

  it("rejects an import of e2e in a package's test, and accepts the test kit", () => {
    const test = (module: string) => reports(SERVER_TEST.pkg, uses(module), SERVER_TEST.file);
    expect(test("../../../e2e/bridge/bench.ts")).toEqual(rule("no-restricted-imports"));
    expect(test("@quarterdeck/test-kit/clean-env")).not.toEqual(rule("no-restricted-imports"));
  });

  it.each(CLOCKS)("rejects %s in a pure package", (expression, name) => {
    expect(reports(PROTOCOL, value(expression))).toEqual(rule(name));
    expect(reports(SIMULATOR, value(expression))).toEqual([]);
  });

  it.each(TERMINAL_WRITES)(
    "[S38] rejects in %s the code %s: only printer.ts writes to the terminal",
    (pkg, expression, name) => {
      expect(reports(pkg, value(expression))).toEqual(rule(name));
    },
  );

  it.each(TERMINAL_MODULES)("[S38] rejects %s in the command", (module) => {
    expect(reports("packages/cli", uses(module))).toEqual(rule("no-restricted-imports"));
  });

  it.each(ALLOWED_IMPORTS)("accepts in %s an import of %s", (pkg, module) => {
    expect(reports(pkg, uses(module))).toEqual([]);
  });
});
