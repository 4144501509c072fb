import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMMANDS, EVERY_FLAG, FLAGS, MEASURED_VERSIONS, isInVersion } from "./flags.ts";
import type { Flag, MeasuredVersion } from "./flags.ts";

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/help/${name}`, import.meta.url), "utf8");
const hiddenFlags = JSON.parse(fixture("hidden.json")) as Record<MeasuredVersion, Record<string, string>>;

interface Listed {
  readonly names: readonly string[];
  /** `<value>`, `[value]` or nothing. */
  readonly form: string;
  readonly choices: readonly string[];
}

/** The options of a `--help`. A description may have several lines, with more indentation. */
const optionsIn = (version: MeasuredVersion): Listed[] => {
  const section = /\nOptions:\n(.*?)\n\nCommands:/s.exec(fixture(`${version}.txt`))?.[1] ?? "";
  return section.split(/\n(?= {2}-)/).map((entry) => {
    const [, names = "", form = ""] = /^ {2}(-[\w-]+(?:, -[\w-]+)*)(?: (<[^>]+>|\[[^\]]+\]))?/.exec(entry) ?? [];
    const choices = /\(choices:\s(.*?)(?:,\s+(?:default|preset):.*?)?\)/s.exec(entry)?.[1] ?? "";
    return {
      names: names.split(", "),
      form,
      choices: [...choices.matchAll(/"([^"]+)"/g)].map(([, choice = ""]) => choice),
    };
  });
};

const commandsIn = (version: MeasuredVersion): string[] => {
  const section = /\nCommands:\n(.*)$/s.exec(fixture(`${version}.txt`))?.[1] ?? "";
  return [...section.matchAll(/^ {2}([a-z][\w|-]*)/gm)].flatMap(([, names = ""]) => names.split("|"));
};

const namesOf = (flag: Flag): string[] => [flag.flag, ...(flag.aliases ?? [])];
const named = (name: string): Flag | undefined => EVERY_FLAG.find(([, flag]) => namesOf(flag).includes(name))?.[1];
const isListed = (flag: Flag, version: MeasuredVersion): boolean =>
  flag.in.includes(version) && !(flag.hidden ?? []).includes(version);

/** What `--help` shows after the flag: a value, an optional value, nothing. */
const kindOf = (form: string): string => (form === "" ? "nothing" : form.startsWith("<") ? "value" : "optional");
const kindOfFlag = (flag: Flag): string =>
  flag.takes === "nothing" ? "nothing" : flag.optional ? "optional" : "value";

describe.each(MEASURED_VERSIONS)("the table and %s", (version) => {
  it("has exactly the options that its --help lists", () => {
    const listed = optionsIn(version).flatMap(({ names }) => names);
    const ours = EVERY_FLAG.filter(([, flag]) => isListed(flag, version)).flatMap(([, flag]) => namesOf(flag));
    expect(ours.toSorted()).toEqual(listed.toSorted());
  });

  it("accepts the values that its --help shows", () => {
    for (const { names, form } of optionsIn(version)) {
      const [name = ""] = names;
      const flag = named(name)!;
      // `--tmux=classic` is only in its description.
      expect([name, name === "--tmux" ? "optional" : kindOf(form)]).toEqual([name, kindOfFlag(flag)]);
      // A list that `--help` shows as variadic. Older CLIs showed `--plugin-dir` like this, but accept it repeated as
      // well.
      if (flag.list !== "repeated") expect([name, form.endsWith("...>")]).toEqual([name, flag.list === "variadic"]);
    }
  });

  it("has the choices that its --help lists", () => {
    for (const { names, choices } of optionsIn(version).filter((option) => option.choices.length > 0)) {
      const [name = ""] = names;
      const flag = named(name)!;
      if (flag.takes === "switch") continue;
      const ours = flag.choices!.filter((choice) => (flag.choiceIn?.[choice] ?? flag.in).includes(version));
      // Measured: 2.1.325 accepts `default` but does not list it.
      const unlisted = version === "2.1.325" && name === "--permission-mode" ? ["default"] : [];
      expect(ours.toSorted()).toEqual([...choices, ...unlisted].toSorted());
    }
  });

  it("has exactly the hidden flags that were found, with their form", () => {
    const row = (name: string, kind: string, variadic: boolean) => `${name} ${kind}${variadic ? " variadic" : ""}`;
    const ours = EVERY_FLAG.filter(([, flag]) => flag.hidden?.includes(version)).map(([, flag]) =>
      row(flag.flag, kindOfFlag(flag), flag.list === "variadic"),
    );
    const found = Object.entries(hiddenFlags[version]).map(([name, form]) =>
      row(name, kindOf(form), form.endsWith("...>")),
    );
    expect(ours.toSorted()).toEqual(found.toSorted());
  });
});

describe("the table", () => {
  it("has every flag that S0 to S4 name", () => {
    const seeds =
      "--print --continue --resume --output-format --input-format --include-partial-messages --verbose --model --effort " +
      "--permission-prompt-tool --append-system-prompt --system-prompt --max-budget-usd --dangerously-skip-permissions " +
      "--session-id --replay-user-messages --permission-mode --max-turns --fork-session --tools --plugin-dir --help " +
      "--add-dir --no-session-persistence --mcp-config --max-thinking-tokens --from-pr --fallback-model --settings " +
      "--disallowedTools --disallowed-tools --debug --allowedTools --allowed-tools --agent --json-schema --agents " +
      "--disable-slash-commands --debug-file";
    expect(seeds.split(" ").filter((name) => named(name) === undefined)).toEqual([]);
  });

  it("names each option after its flag", () => {
    for (const [option, { flag }] of EVERY_FLAG) {
      expect(option).toBe(flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
    }
  });

  it("has no name twice", () => {
    const names = EVERY_FLAG.flatMap(([, flag]) => namesOf(flag));
    expect(new Set(names).size).toBe(names.length);
  });

  it("hides a flag only in versions that have it, and limits only choices that exist", () => {
    for (const [option, flag] of EVERY_FLAG) {
      expect([option, (flag.hidden ?? []).filter((version) => !flag.in.includes(version))]).toEqual([option, []]);
      expect(flag.choices ?? []).toEqual(expect.arrayContaining(Object.keys(flag.choiceIn ?? {})));
    }
  });

  it("has rules only about existing options and choices", () => {
    const options: Readonly<Record<string, Flag>> = FLAGS;
    const terms = EVERY_FLAG.flatMap(([, { rules = [] }]) =>
      rules.flatMap((rule) => [...(rule.needs ?? []), ...(rule.excludes ?? []), ...(rule.with ?? [])]),
    );
    expect(terms.length).toBeGreaterThan(30);
    for (const term of terms.filter((one) => one !== "prompt")) {
      const [option = "", choice] = term.split("=");
      expect(Object.keys(options)).toContain(option);
      if (choice !== undefined) expect(options[option]?.choices).toContain(choice);
    }
  });

  it("knows the commands of all versions", () => {
    const listed = new Set(MEASURED_VERSIONS.flatMap(commandsIn));
    expect([...COMMANDS].toSorted()).toEqual([...listed].toSorted());
  });
});

describe("a version that was not measured", () => {
  it.each([
    ["2.1.325", true, true],
    ["2.1.38", false, true],
    ["2.1.200", false, true],
    ["2.1.400", true, true],
    ["2.2.0", true, true],
    ["3.0.1", true, true],
    ["2.1.5", false, true],
    ["1.0.128", false, true],
  ])("%s has what its measured neighbors have", (version, hasName, hasModel) => {
    expect([isInVersion(FLAGS.name.in, version), isInVersion(FLAGS.model.in, version)]).toEqual([hasName, hasModel]);
  });

  it("between two measured ones lacks what the newer one dropped", () => {
    const versions = ["2.1.38", "2.1.39", "2.1.325"];
    expect(versions.map((version) => isInVersion(FLAGS.mcpDebug.in, version))).toEqual([true, false, false]);
  });
});
