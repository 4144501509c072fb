// The command `rules`: decodes its arguments, and loads its modules only then.

import packageJson from "../../package.json" with { type: "json" };
import { dataDirOf, parse, refuseFlags, signalled, UsageError } from "../command.ts";
import type { CliCommand } from "../command.ts";
import { isInteractive, looks } from "../terminal/printer.ts";

const FLAGS = {
  json: { type: "boolean" },
  cwd: { type: "string" },
  "data-dir": { type: "string" },
  allow: { type: "boolean" },
  ask: { type: "boolean" },
  deny: { type: "boolean" },
  scope: { type: "string" },
  yes: { type: "boolean" },
  tool: { type: "string" },
  mode: { type: "string" },
  preset: { type: "string" },
  name: { type: "string" },
  session: { type: "string" },
  times: { type: "string" },
  hours: { type: "string" },
} as const;

/** What each action takes, beside --json, --cwd and --data-dir. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  list: [],
  test: ["tool", "mode"],
  add: ["allow", "ask", "deny", "scope", "yes"],
  remove: ["allow", "ask", "deny", "scope", "yes"],
  "policy list": [],
  "policy add": ["allow", "ask", "deny", "preset", "name", "session", "times", "hours"],
  "policy on": [],
  "policy off": [],
  "policy remove": [],
};
const EVERYWHERE = new Set(["json", "cwd", "data-dir"]);

export const RULES_COMMAND: CliCommand = {
  usage: "quarterdeck rules [list | test | add RULE | remove RULE | policy …] [options]",
  about: "shows permission rules, tests a call against them, changes them; manages policies",
  options: [
    ["list", "rules of all settings files for the folder, with file and line (the default)"],
    ["test INPUT", "says whether Claude Code would allow a call, and why (exit code 0 allow, 3 ask, 4 deny)"],
    ["  --tool TOOL", "the tool (default Bash); INPUT is its command, path or URL, or a JSON object"],
    ["  --mode MODE", "as in this permission mode (default: that of the settings)"],
    ["add RULE", "adds a rule after showing the change of its file (--allow, --ask or --deny)"],
    ["remove RULE", "removes a rule after showing the change of its file"],
    ["  --scope SCOPE", "local (this project, only you; the default), project (shared) or user (all projects)"],
    ["  --yes", "saves without a question"],
    ["policy [list]", "policies of this host, which decide above the rules of Claude Code"],
    ["policy add [RULE]...", "adds a policy for the folder: --preset ID, or rules with --allow, --ask or --deny"],
    ["  --times N, --hours H", "how often, and how long, it decides"],
    ["  --name N, --session ID", "its name; one session instead of the folder"],
    ["policy on | off | remove ID", "by its id, the start of it, or its name"],
    ["--cwd DIR", "the folder (default: this one)"],
    ["--json", "prints JSON"],
    ["--data-dir DIR", "the data directory of the server on this machine"],
  ],
  run: async (args) => {
    const { values, positionals } = parse(args, FLAGS);
    const [first = "list", ...rest] = positionals;
    const [action, words] = first === "policy" ? [`policy ${rest[0] ?? "list"}`, rest.slice(1)] : [first, rest];
    const takes = TAKES[action];
    if (takes === undefined) throw new UsageError(`There is no \`rules ${action}\`.`);
    const others = Object.keys(values).filter((name) => !EVERYWHERE.has(name) && !takes.includes(name));
    refuseFlags(values, others, `cannot be used with \`rules ${action}\`.`);
    const shared = {
      dataDir: await dataDirOf(values["data-dir"]),
      version: packageJson.version,
      cwd: values.cwd ?? process.cwd(),
      env: process.env,
      json: values.json === true,
      ...looks(),
    };
    const behavior = oneOf(values);
    const one = (what: string): string => {
      const [word, ...more] = words;
      if (word === undefined || more.length > 0) throw new UsageError(`rules ${action} needs ${what}.`);
      return word;
    };
    const none = (): void => {
      if (words.length > 0) throw new UsageError(`rules ${action} does not accept \`${words[0]!}\`.`);
    };
    if (action.startsWith("policy ")) {
      const { addPolicy, changePolicy, listPolicies } = await import("./policies.ts");
      if (action === "policy list") {
        none();
        return listPolicies(shared);
      }
      if (action !== "policy add") {
        const wanted = one("the id or the name of a policy");
        return changePolicy({ ...shared, action: action.slice(7) as "on" | "off" | "remove", wanted });
      }
      return addPolicy({
        ...shared,
        rules: words,
        ...(behavior !== undefined && { behavior }),
        ...(values.preset !== undefined && { preset: values.preset }),
        ...(values.name !== undefined && { name: values.name }),
        ...(values.session !== undefined && { session: values.session }),
        ...(values.times !== undefined && { times: numberOf("times", values.times) }),
        ...(values.hours !== undefined && { hours: numberOf("hours", values.hours) }),
      });
    }
    const { addRule, listRules, removeRule, scopeOf } = await import("./rules.ts");
    if (action === "list") {
      none();
      return listRules(shared);
    }
    if (action === "test") {
      const { testCall } = await import("./test-call.ts");
      return testCall({
        ...shared,
        tool: values.tool ?? "Bash",
        text: one('one input, such as "npm test" in quotes, or --tool Read secret.env'),
        ...(values.mode !== undefined && { mode: values.mode }),
      });
    }
    const scope = scopeOf(values.scope);
    const change = action === "add" ? addRule : removeRule;
    return change({
      ...shared,
      rule: one("a rule, such as 'Bash(npm test:*)'"),
      yes: values.yes === true,
      interactive: isInteractive(),
      signal: signalled(),
      ...(behavior !== undefined && { behavior }),
      ...(scope !== undefined && { scope }),
    });
  },
};

const oneOf = (values: { readonly allow?: boolean; readonly ask?: boolean; readonly deny?: boolean }) => {
  const given = (["allow", "ask", "deny"] as const).filter((name) => values[name] === true);
  if (given.length > 1) throw new UsageError("Use only one of --allow, --ask and --deny.");
  return given[0];
};

const numberOf = (flag: string, text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(`--${flag} needs a number above 0.`);
  return value;
};
