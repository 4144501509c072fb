import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { check } from "./check.ts";
import { contextOf } from "./context.ts";
import { problemsOf } from "./problems.ts";
import { programsOf } from "./programs.ts";
import { parseRule } from "./rule.ts";
import { suggestionsFor } from "./suggestions.ts";
import type { SettingsSource, ToolCall } from "./types.ts";
import { MEASURED_RULE_VERSIONS } from "./versions.ts";

const pieces = fc.constantFrom(
  ..."rm ls git status npm * ** / // ~ ~/ .. . ; && || | & ( ) { } $( ) ` ' \" \\ # > >> < << <<< <( $ ${ } [ ] [[ ]] ! = , : :* \n \t \r if then fi for do done while case esac EOF -rf --x $HOME \u0000 \u00A0 \uD800 mcp__ __ Bash Read Edit %".split(
    " ",
  ),
);
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(" ")),
  fc.array(pieces, { maxLength: 10 }).map((parts) => parts.join("")),
);
const rule = fc.oneof(
  text,
  fc
    .tuple(fc.constantFrom("Bash", "Read", "Edit", "Write", "WebFetch", "Skill", "Task", "mcp__a__b"), text)
    .map(([tool, content]) => `${tool}(${content})`),
);
const tool = fc.constantFrom(
  "Bash",
  "Read",
  "Write",
  "Edit",
  "NotebookEdit",
  "Glob",
  "Grep",
  "WebFetch",
  "Skill",
  "Task",
  "Agent",
  "mcp__a__b",
  "X",
);
const field = fc.constantFrom(
  "command",
  "file_path",
  "path",
  "pattern",
  "url",
  "skill",
  "notebook_path",
  "subagent_type",
);

describe("hostile input", () => {
  it("[L1] never throws: rules, settings and calls", () => {
    fc.assert(
      fc.property(
        fc.record({
          allow: fc.array(rule, { maxLength: 4 }),
          ask: fc.array(rule, { maxLength: 2 }),
          deny: fc.oneof(fc.array(rule, { maxLength: 4 }), fc.jsonValue()),
        }),
        tool,
        fc.dictionary(field, fc.oneof(text, fc.jsonValue()), { maxKeys: 4 }),
        fc.constantFrom(...MEASURED_RULE_VERSIONS),
        fc.constantFrom("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto", "x"),
        (permissions, name, input, cliVersion, mode) => {
          const settings: SettingsSource[] = [{ scope: "userSettings", value: { permissions } }];
          const context = contextOf({ cwd: "/p", home: "/h", mode, settings, cliVersion });
          const call: ToolCall = { tool: name, input };
          expect(["allow", "ask", "deny"]).toContain(check(context, call).behavior);
          suggestionsFor(context, call);
          problemsOf(settings, { cliVersion });
        },
      ),
      { numRuns: roundsOf(1000) },
    );
  });

  it("[L1] an invalid rule, call or source is refused or asks, and a failing realpath is ignored", () => {
    const nothing: readonly never[] = [undefined, null, 5, {}, [], true].map((each) => each as never);
    for (const each of nothing) {
      expect(parseRule(each)).toEqual({ ok: false, error: { message: "A rule is a text.", position: 0 } });
      const context = contextOf({ cwd: "/p", home: "/h", settings: each });
      expect(check(context, each).behavior).toBe("ask");
      expect(check(context, { tool: "Bash", input: each }).behavior).toBe("ask");
      expect(check(context, { tool: each, input: {} }).behavior).toBe("ask");
    }
    const value = { permissions: { allow: ["Bash"] } };
    const settings = [null, { scope: "nonsense", value }, { scope: "constructor", value }] as never;
    const odd = contextOf({ cwd: "/p", home: "/h", settings });
    expect(check(odd, { tool: "Bash", input: { command: "tool" } }).behavior).toBe("ask");
    const realpath = () => {
      throw new Error("EACCES");
    };
    const read = { tool: "Read", input: { file_path: "/p/x" } };
    expect(check(odd, read, { realpath })).toEqual(check(odd, read, { realpath: () => undefined }));
  });

  it("[L1] never throws: command lines", () => {
    fc.assert(
      fc.property(text, (command) => {
        expect(programsOf(command).programs).toBeInstanceOf(Array);
      }),
      { numRuns: roundsOf(1000) },
    );
  });

  const MEGABYTE = 1_000_000;
  it.each([
    "a",
    "$(",
    "(",
    "`",
    '"',
    "<<a ",
    "<(",
    "$((1+",
    "{a,",
    "a[",
    "a=$(b ",
    "${a:-",
    "echo a && ",
    "! ",
    "\\\n",
    "*a",
    "if true; then ",
  ])("[L1] a megabyte of %j is read in linear time", (piece) => {
    const command = piece.repeat(Math.ceil(MEGABYTE / piece.length));
    const settings: SettingsSource[] = [
      { scope: "userSettings", value: { permissions: { allow: ["Bash(a*a*a*b)"], deny: ["Bash(rm:*)"] } } },
    ];
    for (const cliVersion of MEASURED_RULE_VERSIONS) {
      const context = contextOf({ cwd: "/p", home: "/h", settings, cliVersion });
      expect(check(context, { tool: "Bash", input: { command } }).behavior).toBe("ask");
    }
    expect(programsOf(command).understood).toBe(false);
  });

  it("[L1] a path of a megabyte, and a pattern of many stars", () => {
    const settings: SettingsSource[] = [
      {
        scope: "userSettings",
        value: { permissions: { deny: [`Read(${"**/a*".repeat(500)})`, `Read(${"*a".repeat(5000)}b)`] } },
      },
    ];
    const context = contextOf({ cwd: "/p", home: "/h", settings });
    for (const file_path of [`/p/${"a/".repeat(MEGABYTE / 2)}`, `/p/${"a".repeat(MEGABYTE)}`])
      expect(["allow", "deny"]).toContain(check(context, { tool: "Read", input: { file_path } }).behavior);
  });

  it("[L2] the verdict does not depend on rules that do not match", () => {
    const others = Array.from({ length: 5000 }, (_, at) => [
      `Bash(other${at} x:*)`,
      `Bash(other${at} * y)`,
      `Read(//srv/${at}/**)`,
      `Edit(gen${at}/*.x)`,
      `mcp__s${at}__t`,
    ]).flat();
    const context = (allow: readonly string[]) =>
      contextOf({
        cwd: "/p",
        home: "/h",
        settings: [{ scope: "userSettings", value: { permissions: { allow, deny: ["Bash(rm:*)", "Read(*.key)"] } } }],
      });
    const [one, many] = [
      context(["Bash(npm test:*)", "Edit(src/**)"]),
      context([...others, "Bash(npm test:*)", "Edit(src/**)"]),
    ];
    const calls: readonly ToolCall[] = [
      { tool: "Bash", input: { command: "npm test -- x && ls" } },
      { tool: "Bash", input: { command: "npm i" } },
      { tool: "Bash", input: { command: "npm test; rm x" } },
      { tool: "Write", input: { file_path: "/p/src/a/b", content: "" } },
      { tool: "Read", input: { file_path: "/p/a.key" } },
      { tool: "Read", input: { file_path: "/q" } },
      { tool: "mcp__x__y", input: {} },
    ];
    for (const call of calls) expect(check(many, call)).toEqual(check(one, call));
  });
});
