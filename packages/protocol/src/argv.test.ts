import { readdirSync, readFileSync } from "node:fs";
import { fc } from "./property.fixture.ts";
import { describe, expect, expectTypeOf, it } from "vitest";
import { HOST_OPTIONS } from "./argv-options.ts";
import type { ClaudeOptions } from "./argv-options.ts";
import { parseArgv } from "./argv-parse.ts";
import { ArgvError, argvOf } from "./argv.ts";
import { EVERY_FLAG } from "./flags.ts";
import type { Flag, OptionKey, FlagRule, Term } from "./flags.ts";
import { PERMISSION_MODES } from "./permission.ts";

const UUID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const MEASURED = ["2.1.38", "2.1.325"] as const;

type Refusal = Record<(typeof MEASURED)[number], string> & { readonly argv: string[] };
/**
 * Command lines for real CLIs without input and without an API, and the line with which they refused. It is empty if they
 * accepted the flags, even if they failed later because the API or the session was missing.
 */
const refusals = JSON.parse(
  readFileSync(new URL("../fixtures/help/refusals.json", import.meta.url), "utf8"),
) as Refusal[];

const errorOf = (options: Record<string, unknown>, version?: string): ArgvError | undefined => {
  try {
    argvOf(options, version === undefined ? {} : { version });
  } catch (error) {
    if (error instanceof ArgvError) return error;
    throw error;
  }
  return undefined;
};

// Any value that an option may have

const printable = fc.string({ minLength: 1, unit: "grapheme" });
const isPlain = (text: string): boolean => !/^[-{]|^\s*\{|\p{Cc}/u.test(text);
const word = printable.filter(isPlain);
const text = fc
  .array(word, { minLength: 1, maxLength: 3 })
  .map((lines) => lines.join("\n"))
  .filter((lines) => !lines.startsWith("-"));
const json = fc
  .dictionary(fc.string(), fc.jsonValue())
  .map((object) => JSON.parse(JSON.stringify(object)) as Record<string, unknown>);

const oneOf = (flag: Flag): fc.Arbitrary<unknown> => {
  switch (flag.takes) {
    case "nothing":
      return fc.constant(true);
    case "switch":
      return fc.boolean();
    case "text":
      return flag.empty ? fc.oneof(text, fc.constant("")) : text;
    case "uuid":
      return fc.uuid();
    case "tool":
      return fc.stringMatching(/^[A-Za-z_]{1,9}(\([a-z *:,/]{1,9}\))?$/);
    case "integer":
      return fc.integer({ min: flag.min ?? 1 });
    case "number":
      return fc.double({ min: 1e-9, max: 1e9, noNaN: true });
    case "choice":
      return fc.constantFrom(...(flag.choices ?? []));
    case "json":
      return json;
    case "json-or-path":
      return fc.oneof(json, word);
    case "word":
    case "path":
      return flag.pattern ? fc.constantFrom("auto", "500k", "/a").filter((value) => flag.pattern!.test(value)) : word;
  }
};

const anyOf = (flag: Flag): fc.Arbitrary<unknown> => {
  if (flag.list) return fc.array(oneOf(flag), { minLength: flag.empty ? 0 : 1, maxLength: 4 });
  return flag.optional ? fc.oneof(fc.constant(true), oneOf(flag)) : oneOf(flag);
};

/** The option with the fewest other options that its rules need. */
const withNeeds = (option: string, value: unknown): Record<string, unknown> => {
  const flag = EVERY_FLAG.find(([key]) => key === option)![1];
  const rules = (flag.rules ?? []).filter((rule) => !rule.with && [undefined, value].includes(rule.when));
  const needed = rules.flatMap((rule) => (rule.needs ?? []).slice(0, 1)).map(settingOf);
  return Object.assign({}, ...needed, { [option]: value }) as Record<string, unknown>;
};
/** Options for which the term is true. */
const settingOf = (term: Term): Record<string, unknown> => {
  const [option = "", wanted] = term.split("=");
  return option === "prompt" ? { prompt: "Say hello." } : withNeeds(option, wanted ?? sampleOf(option));
};
const samples = new Map<string, unknown>(
  EVERY_FLAG.map(([option, flag]) => [option, fc.sample(anyOf(flag), { numRuns: 1, seed: 7 })[0]]),
);
const sampleOf = (option: string): unknown => samples.get(option);

const anyOptions = fc
  .tuple(
    fc.constantFrom({}, { ...HOST_OPTIONS }),
    fc.array(
      fc.constantFrom(...EVERY_FLAG).chain(([option, flag]) => anyOf(flag).map((value) => withNeeds(option, value))),
      { maxLength: 6 },
    ),
    fc.option(
      text.map((prompt) => ({ prompt })),
      { nil: {} },
    ),
  )
  .map(([base, parts, prompt]) => Object.assign({}, base, ...parts, prompt) as Record<string, unknown>);

/** Removes what a rule forbids, until nothing is refused. */
const allowed = (options: Record<string, unknown>): ClaudeOptions => {
  const error = errorOf(options);
  if (error === undefined) return options;
  expect(error.code).toMatch(/^(forbidden-combination|positional-prompt)$/);
  return allowed(Object.fromEntries(Object.entries(options).filter(([option]) => option !== error.option)));
};

const flagTokens = new Set(EVERY_FLAG.map(([, flag]) => flag.flag as string));
const isOurs = (token: string): boolean =>
  token === "--" || flagTokens.has(token) || /^--(debug|tmux)=[^-]/.test(token);

describe("argvOf", () => {
  it("writes the usual host options", () => {
    expect(argvOf({ ...HOST_OPTIONS, model: "opus", permissionMode: "plan" }, { version: "2.1.325" })).toEqual({
      argv: [
        ...["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
        ...["--include-partial-messages", "--replay-user-messages", "--model", "opus", "--permission-mode", "plan"],
        ...["--permission-prompt-tool", "stdio"],
      ],
      lacking: [],
    });
  });

  it("writes every form of value", () => {
    const { argv } = argvOf({
      print: true,
      verbose: false,
      resume: UUID,
      worktree: true,
      maxBudgetUsd: 0.5,
      systemPrompt: "One\nTwo",
      tools: [],
      allowedTools: ["Read", "Bash(git log, git diff)"],
      settings: { model: "opus" },
      settingSources: ["user", "local"],
      mcpConfig: [{ mcpServers: {} }, "servers.json"],
      pluginDir: ["a", "b"],
      debug: "api,hooks",
      prompt: "Say hello.",
    });
    expect(argv).toEqual([
      ...["--print", "--resume", UUID, "--worktree", "--max-budget-usd", "0.5", "--system-prompt", "One\nTwo"],
      ...["--tools", "", "--allowedTools", "Read", "Bash(git log, git diff)", "--settings", '{"model":"opus"}'],
      ...["--setting-sources", "user,local", "--mcp-config", '{"mcpServers":{}}', "servers.json"],
      ...["--plugin-dir", "a", "--plugin-dir", "b", "--debug=api,hooks", "--", "Say hello."],
    ]);
  });

  it("reports flags that a version lacks, and omits them", () => {
    const options: ClaudeOptions = { ...HOST_OPTIONS, includeHookEvents: true, effort: "high", mcpDebug: true };
    expect(argvOf(options, { version: "2.1.22" }).lacking).toEqual([
      { flag: "--include-hook-events", option: "includeHookEvents", version: "2.1.22" },
      { flag: "--effort", option: "effort", version: "2.1.22" },
    ]);
    const newest = argvOf(options, { version: "2.1.325 (Claude Code)" });
    expect(newest.lacking).toEqual([{ flag: "--mcp-debug", option: "mcpDebug", version: "2.1.325" }]);
    expect(newest.argv).toContain("--effort");
    expect(newest.argv).not.toContain("--mcp-debug");
    expect(argvOf(options).lacking).toEqual([]);
  });

  it.each(PERMISSION_MODES.map((mode) => [mode, mode !== "auto" && mode !== "manual", mode !== "delegate"] as const))(
    "knows which version accepts mode %s",
    (permissionMode, old, current) => {
      const codes = ["2.1.22", "2.1.38", "2.1.325"].map((version) => errorOf({ permissionMode }, version)?.code);
      const inOld = old ? undefined : "unknown-mode";
      expect(codes).toEqual([inOld, inOld, current ? undefined : "unknown-mode"]);
    },
  );

  it("has typed fields", () => {
    expectTypeOf<ClaudeOptions["outputFormat"]>().toEqualTypeOf<"text" | "json" | "stream-json" | undefined>();
    expectTypeOf<ClaudeOptions["resume"]>().toEqualTypeOf<string | true | undefined>();
    expectTypeOf<ClaudeOptions["tmux"]>().toEqualTypeOf<"classic" | true | undefined>();
    expectTypeOf<ClaudeOptions["maxTurns"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<ClaudeOptions["settingSources"]>().toEqualTypeOf<
      readonly ("user" | "project" | "local")[] | undefined
    >();
  });
});

describe("a command line", () => {
  it.each(EVERY_FLAG)("comes back with %s", (option) => {
    const options = withNeeds(option, sampleOf(option));
    const parsed = parseArgv(argvOf(options).argv);
    expect(parsed).toEqual({ options, unknown: [], invalid: [], positional: [] });
  });

  it("reads back as the same options, and no value looks like a flag", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyOptions, (given) => {
        const options = allowed(given);
        const { argv } = argvOf(options);
        for (const option of Object.keys(options)) seen.add(option);
        expect(argv.filter((token) => token.startsWith("-") && !isOurs(token))).toEqual([]);
        const { prompt } = options;
        expect(parseArgv(argv)).toEqual({
          options,
          unknown: [],
          invalid: [],
          positional: prompt === undefined ? [] : [prompt],
        });
      }),
      { numRuns: 500 },
    );
    expect(EVERY_FLAG.map(([option]) => option).filter((option) => !seen.has(option))).toEqual([]);
  });

  it("refuses a hostile value, or makes it harmless", () => {
    const hostile = fc.oneof(
      fc.array(fc.integer({ min: 0, max: 0x17f })).map((codes) => String.fromCharCode(...codes)),
      fc.constantFrom(
        "-p",
        "--print",
        "--",
        "-",
        "a\nb",
        "\0",
        "a\0b",
        "\u001b[2J",
        "",
        " ",
        "--x=y",
        "\u0085",
        "update",
      ),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...EVERY_FLAG.map(([option]) => option as string), "prompt"),
        hostile,
        (option, value) => {
          const flag = EVERY_FLAG.find(([key]) => key === option)?.[1];
          const base = flag ? withNeeds(option, sampleOf(option)) : {};
          const options = { ...base, [option]: flag?.list ? [value] : value };
          if (errorOf(options)) return;
          const { argv } = argvOf(options);
          expect(argv.filter((token) => token.startsWith("-") && !isOurs(token))).toEqual([]);
          const controls = flag === undefined || flag.takes === "text" ? /[^\P{Cc}\n\r\t]/u : /\p{Cc}/u;
          expect(argv.filter((token) => token === value && controls.test(token))).toEqual([]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("refused options", () => {
  it.each<[string, Record<string, unknown>, string, string]>([
    ["a prompt with stream-json input", { ...HOST_OPTIONS, prompt: "hi" }, "positional-prompt", "prompt"],
    ["a prompt that is a command", { print: true, prompt: "update" }, "positional-prompt", "prompt"],
    ["a prompt that begins with a dash", { prompt: "-v" }, "leading-dash", "prompt"],
    ["an empty prompt", { prompt: "" }, "invalid-value", "prompt"],
    ["a prompt with NUL", { prompt: "a\0b" }, "control-character", "prompt"],
    ["a value that begins with a dash", { model: "-p" }, "leading-dash", "model"],
    ["one in a list", { addDir: ["a", "--print"] }, "leading-dash", "addDir"],
    ["one of an optional value", { resume: "--fork-session" }, "leading-dash", "resume"],
    ["one of a path", { settings: "-x.json" }, "leading-dash", "settings"],
    ["one of a joined value", { debug: "-x" }, "leading-dash", "debug"],
    ["one of a text", { systemPrompt: "- be brief" }, "leading-dash", "systemPrompt"],
    ["a line break in a name", { model: "a\nb" }, "control-character", "model"],
    ["an escape in a text", { systemPrompt: "a\u001b[2J" }, "control-character", "systemPrompt"],
    ["a C1 control character", { name: "a\u009b2J" }, "control-character", "name"],
    ["NUL in a list", { allowedTools: ["Read", "a\0"] }, "control-character", "allowedTools"],
    ["an empty value", { model: "" }, "invalid-value", "model"],
    ["an empty value in a list", { tools: [""] }, "invalid-value", "tools"],
    ["an unknown mode", { permissionMode: "yolo" }, "unknown-mode", "permissionMode"],
    ["an unknown inherited mode", { inheritPermissionMode: "yolo" }, "unknown-mode", "inheritPermissionMode"],
    ["an unknown choice", { outputFormat: "xml" }, "invalid-value", "outputFormat"],
    ["an unknown source", { settingSources: ["user", "all"] }, "invalid-value", "settingSources"],
    ["an id that is not a UUID", { sessionId: "abc" }, "invalid-value", "sessionId"],
    ["a budget of nothing", { maxBudgetUsd: 0 }, "invalid-value", "maxBudgetUsd"],
    ["an endless budget", { maxBudgetUsd: Infinity }, "invalid-value", "maxBudgetUsd"],
    ["a budget that is not a number", { maxBudgetUsd: NaN }, "invalid-value", "maxBudgetUsd"],
    ["a budget in letters", { maxBudgetUsd: "5" }, "invalid-value", "maxBudgetUsd"],
    ["no turns", { maxTurns: 0 }, "invalid-value", "maxTurns"],
    ["half a turn", { maxTurns: 1.5 }, "invalid-value", "maxTurns"],
    ["negative thinking", { maxThinkingTokens: -1 }, "invalid-value", "maxThinkingTokens"],
    ["JSON as text", { settings: '{"model":"opus"}' }, "invalid-value", "settings"],
    ["JSON that is not an object", { jsonSchema: ["string"] }, "invalid-value", "jsonSchema"],
    ["JSON that cannot be written", { agents: { a: 1n } }, "invalid-value", "agents"],
    // oxlint-disable-next-line no-restricted-globals -- an object with a `toJSON` of its own; no clock is asked
    ["an object that is not an object in JSON", { jsonSchema: new Date(0) }, "invalid-value", "jsonSchema"],
    ["two tools in one element", { tools: ["Read,Edit"] }, "invalid-value", "tools"],
    ["two tools with a space", { allowedTools: ["Bash(git *) Edit"] }, "invalid-value", "allowedTools"],
    ["a text instead of a list", { addDir: "a" }, "invalid-value", "addDir"],
    ["a flag that is not on or off", { verbose: "yes" }, "invalid-value", "verbose"],
    ["a window of a strange form", { autocompact: "much" }, "invalid-value", "autocompact"],
    [
      "the main model as its own fallback",
      { model: "a", fallbackModel: "a" },
      "forbidden-combination",
      "fallbackModel",
    ],
    ["an option that does not exist", { modle: "opus" }, "unknown-option", "modle"],
    ["an option of every object", { toString: "x" }, "unknown-option", "toString"],
  ])("%s", (_, options, code, option) => {
    const error = errorOf(options);
    expect([error?.code, error?.option]).toEqual([code, option]);
    expect(error?.message).toMatch(/\.$/);
  });

  it("include a level, a path or a version that the version does not know", () => {
    expect(errorOf({ effort: "xhigh" }, "2.1.38")?.code).toBe("invalid-value");
    expect(errorOf({ effort: "xhigh" }, "2.1.325")).toBeUndefined();
    expect(errorOf({ agents: "agents.json" }, "2.1.38")?.code).toBe("invalid-value");
    expect(errorOf({ agents: "agents.json" }, "2.1.325")).toBeUndefined();
    expect(errorOf({}, "latest")?.option).toBe("version");
  });

  const everyRule = EVERY_FLAG.flatMap(([option, flag]) => (flag.rules ?? []).map((rule) => ({ option, rule })));
  /** Options that break only this rule. */
  const breaking = (option: OptionKey, rule: FlagRule, clash?: Term): Record<string, unknown> => {
    const value = rule.when ?? sampleOf(option);
    if (clash !== undefined) return { ...settingOf(clash), ...withNeeds(option, value) };
    const others = Object.assign({}, ...(rule.with ?? []).slice(0, 1).map(settingOf)) as Record<string, unknown>;
    const missing = (rule.needs ?? []).map((term) => term.replace(/=.*/, ""));
    const options = { ...others, ...withNeeds(option, value) };
    return Object.fromEntries(Object.entries(options).filter(([key]) => !missing.includes(key)));
  };

  it.each(everyRule.filter(({ rule }) => rule.needs))("$option without what $rule needs", ({ option, rule }) => {
    const error = errorOf(breaking(option, rule));
    expect(error?.code).toBe("forbidden-combination");
    expect(error?.message).toContain("needs");
  });

  it.each(everyRule.flatMap(({ option, rule }) => (rule.excludes ?? []).map((clash) => ({ option, rule, clash }))))(
    "$option with $clash",
    ({ option, rule, clash }) => {
      const error = errorOf(breaking(option, rule, clash));
      expect(error?.code).toBe("forbidden-combination");
    },
  );
});

describe("real CLIs", () => {
  /** Options that 2.1.325 accepts and then ignores or misreads. */
  const stricter = [
    "--include-hook-events -- hi there",
    "--fork-session",
    "--max-turns 0",
    "--max-budget-usd Infinity",
    "--system-prompt-file /etc/hostname",
    "--append-system-prompt-file /etc/hostname",
    "--fallback-model sonnet",
    "--verbose hello",
    "--chrome --no-chrome",
    "--continue",
    "--effort zzz",
  ];
  const isStricter = (argv: readonly string[]): boolean => stricter.some((end) => argv.join(" ").endsWith(end));
  const isRefused = (argv: readonly string[], version: string): boolean => {
    const { options, invalid } = parseArgv(argv);
    return invalid.length > 0 || errorOf({ ...options }, version) !== undefined || lacks(options, version);
  };
  const lacks = (options: ClaudeOptions, version: string): boolean => argvOf(options, { version }).lacking.length > 0;

  it.each(MEASURED)("refuse what we refuse, and accept what we accept (%s)", (version) => {
    for (const { argv, [version]: said } of refusals) {
      const refused = said !== "" || isStricter(argv);
      expect([argv.join(" "), isRefused(argv, version)]).toEqual([argv.join(" "), refused]);
    }
  });

  it("were recorded with command lines that we can read", () => {
    const root = new URL("../fixtures/recordings/", import.meta.url);
    const metas = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".meta.json"),
    );
    expect(metas.length).toBeGreaterThan(100);
    for (const file of metas) {
      const { args } = JSON.parse(readFileSync(new URL(file, root), "utf8")) as { args: string[] };
      const { unknown, invalid } = parseArgv(args);
      expect({ file, unknown, invalid }).toEqual({ file, unknown: [], invalid: [] });
    }
  });

  it("are not stricter than we say", () => {
    const ends = refusals.filter((one) => one["2.1.325"] === "").map(({ argv }) => argv.join(" "));
    expect(stricter.filter((end) => !ends.some((line) => line.endsWith(end)))).toEqual([]);
  });
});
