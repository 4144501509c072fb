import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { check } from "./check.ts";
import { contextOf } from "./context.ts";
import { problemsOf } from "./problems.ts";
import type { Behavior, Problem, Scope, SettingsSource, ToolCall } from "./types.ts";
import { MEASURED_RULE_VERSIONS } from "./versions.ts";

const [cwd, home] = ["/home/ada/proj", "/home/ada"];

const shadows = (
  permissions: Readonly<Record<string, readonly string[]>>,
  more: { readonly scope?: Scope; readonly cliVersion?: string } = {},
): readonly Problem[] =>
  problemsOf([{ scope: more.scope ?? "projectSettings", value: { permissions } }], {
    ...{ cwd, home, folderTrusted: true },
    cliVersion: more.cliVersion,
  }).filter(({ kind }) => kind === "shadowed");

describe("rules that can never decide", () => {
  it.each([
    ["Read(src/a.ts)", "Read(src/**)"],
    ["Read(src/*.ts)", "Read(src/*)"],
    ["Read(src/deep/*.test.ts)", "Read(*.ts)"],
    ["Read(**/secrets/key)", "Read(secrets)"],
    ["Read(~/proj/x/y)", "Read(/x)"],
    ["Read(//home/ada/notes/**)", "Read(~/**)"],
    ["Read(SRC/A.ts)", "Read(/src/*.TS)"],
    ["Read(log/[0-9].txt)", "Read(log/?.txt)"],
    ["Edit(src/*.ts)", "Edit(./**)"],
    ["WebFetch(domain:docs.example.com)", "WebFetch(domain:*.example.com)"],
    ["WebFetch(domain:*.docs.example.com)", "WebFetch(domain:*.example.com)"],
    ["WebFetch(domain:docs-*.example.com)", "WebFetch(domain:docs*)"],
    ["WebFetch(domain:Example.com)", "WebFetch(domain:*)"],
  ])("[S4] allow %s has no effect under deny %s, but not the other way round", (weak, strong) => {
    expect(shadows({ allow: [weak], deny: [strong] })).toMatchObject([{ rule: weak, behavior: "allow" }]);
    expect(shadows({ allow: [weak], deny: [strong] })[0]?.words).toContain(`${strong} (deny, This project, shared)`);
    expect(shadows({ allow: [strong], deny: [weak] })).toEqual([]);
  });

  it.each([
    // File commands of the shell do not look at ask rules and whole tools.
    ["allow", "Read(//srv/**)", "ask", "Read(//srv/**)"],
    ["allow", "Read(//srv/**)", "deny", "Read"],
    // What may be edited may be read.
    ["allow", "Edit(//srv/**)", "deny", "Edit(//srv/**)"],
    ["allow", "Edit(src/**)", "deny", "Read(src/**)"],
    ["allow", "Read(src/**)", "deny", "Read(src/*.ts)"],
    ["allow", "Read(src)", "deny", "Read(src/)"],
    ["allow", "Read(log/?.txt)", "deny", "Read(log/[0-9].txt)"],
    ["allow", "WebFetch(domain:example.com)", "deny", "WebFetch(domain:*.example.com)"],
    // An ask rule holds in added folders too.
    ["ask", "Read(x)", "deny", "Read(/x)"],
  ] as const)("[S4] %s %s keeps an effect beside %s %s", (behavior, weak, stronger, strong) => {
    expect(shadows({ [behavior]: [weak], [stronger]: [strong] })).toEqual([]);
  });

  it("[S4] one slash is another folder in each scope, so the same text is not the same rule", () => {
    const value = { permissions: { deny: ["Edit(/x)"] } };
    const sources: SettingsSource[] = [
      { scope: "userSettings", value },
      { scope: "projectSettings", value },
    ];
    expect(problemsOf(sources, { cwd, home })).toEqual([]);
    expect(shadows({ allow: ["Edit(//etc/x)"], deny: ["Edit(/etc/x)"] }, { scope: "policySettings" })).toEqual([]);
    const twice: SettingsSource[] = [{ scope: "localSettings", value }, ...sources.slice(1)];
    expect(problemsOf(twice, { cwd, home })).toMatchObject([{ kind: "shadowed", scope: "projectSettings" }]);
  });

  it("[S4] without the folders, patterns below different roots are not compared", () => {
    const of = (allow: string, deny: string) =>
      problemsOf([{ scope: "projectSettings", value: { permissions: { allow: [allow], deny: [deny] } } }]);
    expect(of("Read(//home/ada/x)", "Read(~/x)")).toEqual([]);
    expect(of("Read(~/x/y)", "Read(~/x)")).toMatchObject([{ kind: "shadowed" }]);
  });

  it("[S4] a star that needs a word covers no bare command", () => {
    const of = (allow: string, cliVersion: string) =>
      problemsOf([{ scope: "userSettings", value: { permissions: { allow: [allow], ask: ["Bash(git *)"] } } }], {
        cliVersion,
      });
    for (const bare of ["Bash(git)", "Bash(git:*)"]) {
      expect(of(bare, "2.1.38")).toEqual([]);
      expect(of(bare, "2.1.325")).toMatchObject([{ kind: "shadowed", rule: bare }]);
    }
    expect(of("Bash(git push)", "2.1.38")).toMatchObject([{ kind: "shadowed" }]);
  });

  const name = fc.constantFrom("a", "b", "ab", "*", "?", "a*", "*b", "[ab]", "[!a]", "**", "A", "x.ts", "*.ts");
  // A few patterns that meet often, and many that meet seldom.
  const meeting = fc.constantFrom("a", "a/b", "/a", "//srv/a", "//srv/**", "~/a", "~/**", "/a/**", "//more/a");
  const varied = fc
    .tuple(
      fc.constantFrom("", "", "/", "//", "~/", "./", "//home/ada/", "//home/ada/proj/", "~/proj/", "//srv/"),
      fc.array(name, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "", "/", "/**"),
    )
    .map(([start, names, end]) => start + names.join("/") + end);
  const pathContent = fc.oneof(meeting, varied);
  const label = fc.constantFrom("a", "b", "*", "a*", "*b", "A", "com");
  const domain = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join("."));
  const command = fc
    .array(fc.constantFrom("git", "push", "a", "*", "rm"), { minLength: 1, maxLength: 3 })
    .chain((words) => fc.constantFrom("", ":*", " *").map((end) => words.join(" ") + end));
  const ruleOf = fc.oneof(
    { weight: 4, arbitrary: pathContent.map((content) => `Read(${content})`) },
    { weight: 4, arbitrary: pathContent.map((content) => `Edit(${content})`) },
    { weight: 3, arbitrary: domain.map((content) => `WebFetch(domain:${content})`) },
    { weight: 3, arbitrary: command.map((content) => `Bash(${content})`) },
    fc.constantFrom("Read", "Edit", "Read(*)", "Edit(*)", "WebFetch", "Bash", "Bash(*)", "mcp__a", "mcp__a__b"),
  );
  const plain = fc.constantFrom("a", "b", "ab", "x.ts", "c");
  const near = fc.constantFrom("a", "a/b", "/srv/a", "/srv/a/b", "/home/ada/a", "/more/a", "/home/ada/.claude/a");
  const far = fc
    .tuple(
      fc.constantFrom("", "/", "/home/ada/", "/home/ada/proj/", "/srv/", "/more/", "/home/ada/.claude/"),
      fc.array(plain, { minLength: 1, maxLength: 4 }),
    )
    .map(([start, names]) => start + names.join("/"));
  const path = fc.oneof(near, far);
  const host = fc
    .array(fc.constantFrom("a", "b", "ab", "com"), { minLength: 1, maxLength: 4 })
    .map((labels) => labels.join("."));
  const call: fc.Arbitrary<ToolCall> = fc.oneof(
    fc
      .tuple(fc.constantFrom("Read", "Edit", "Write"), path)
      .map(([tool, file_path]) => ({ tool, input: { file_path, content: "", old_string: "", new_string: "x" } })),
    fc.tuple(fc.constantFrom("Glob", "Grep"), path).map(([tool, at]) => ({ tool, input: { pattern: "x", path: at } })),
    host.map((at) => ({ tool: "WebFetch", input: { url: `https://${at}/x` } })),
    fc
      .tuple(fc.constantFrom("cat ", "touch ", "rm ", "echo x > ", "git push ", "a ", ""), path)
      .map(([start, at]) => ({ tool: "Bash", input: { command: start + at } })),
    fc
      .array(fc.constantFrom("git", "push", "a", "rm", "&&", "c"), { minLength: 1, maxLength: 4 })
      .map((words) => ({ tool: "Bash", input: { command: words.join(" ") } })),
    fc.constantFrom("mcp__a__b", "mcp__a__c").map((tool) => ({ tool, input: {} })),
  );
  const link: Readonly<Record<string, string>> = { "/home/ada/proj/a": "/srv/a", "/srv/b": "/home/ada/proj/b" };
  const realpath = (at: string): string => link[at] ?? at;

  it("[S4] a rule that is called useless can be taken away: no call is decided otherwise", () => {
    let found = 0;
    const scope = fc.constantFrom<Scope>("userSettings", "projectSettings", "localSettings", "policySettings");
    const placed = fc.tuple(scope, fc.constantFrom<Behavior>("allow", "allow", "ask", "deny"), ruleOf);
    fc.assert(
      fc.property(
        fc.array(placed, { minLength: 2, maxLength: 6 }),
        fc.array(call, { minLength: 20, maxLength: 20 }),
        fc.constantFrom(...MEASURED_RULE_VERSIONS),
        fc.constantFrom("default", "acceptEdits", "dontAsk", "bypassPermissions", "plan"),
        (rules, calls, cliVersion, mode) => {
          const sources = rules.map(([at, behavior, rule]): SettingsSource => ({
            scope: at,
            value: { permissions: { [behavior]: [rule] } },
          }));
          const contextFor = (settings: readonly SettingsSource[]) =>
            contextOf({ cwd, home, mode, settings, cliVersion, folderTrusted: true, additionalDirectories: ["/more"] });
          const problems = problemsOf(sources, { cwd, home, cliVersion, folderTrusted: true });
          const useless = problems.find(({ kind }) => kind === "shadowed");
          if (useless === undefined) return;
          found += 1;
          const at = rules.findIndex(
            ([from, behavior, rule]) =>
              from === useless.scope && behavior === useless.behavior && rule === useless.rule,
          );
          const [all, fewer] = [contextFor(sources), contextFor(sources.filter((_, index) => index !== at))];
          for (const asked of calls)
            for (const options of [{}, { realpath }])
              expect([asked, check(fewer, asked, options).behavior]).toEqual([
                asked,
                check(all, asked, options).behavior,
              ]);
        },
      ),
      { numRuns: 1000 },
    );
    // Otherwise the property says nothing.
    expect(found).toBeGreaterThan(20);
  });
});
