// Stands in until the protocol package reads command lines; the answer has the form of its `parseArgv`.
export interface ParsedArgv {
  readonly options: Readonly<Record<string, boolean | string | readonly string[]>>;
  readonly unknown: readonly string[];
  readonly positional: readonly string[];
}

const BOOLEANS =
  "print verbose include-partial-messages replay-user-messages include-hook-events forward-subagent-text dangerously-skip-permissions allow-dangerously-skip-permissions continue fork-session no-session-persistence disable-slash-commands await-initialize strict-mcp-config bare safe-mode restricted ide chrome no-chrome brief exclude-dynamic-system-prompt-sections ax-screen-reader enable-auth-status session-mirror";
const VALUES =
  "output-format input-format permission-mode permission-prompt-tool permission-prompts model fallback-model session-id max-turns max-budget-usd max-thinking-tokens thinking json-schema settings setting-sources agents agent append-system-prompt append-system-prompt-file system-prompt system-prompt-file system-prompt-snapshot name effort autocompact debug-file plugin-dir plugin-url resume-session-at rewind-files";
const LISTS = "allowed-tools disallowed-tools tools add-dir mcp-config betas file";
const OPTIONAL = "resume debug prompt-suggestions worktree from-pr";
const SHORT: Readonly<Record<string, string>> = {
  "-p": "print",
  "-c": "continue",
  "-r": "resume",
  "-d": "debug",
  "-n": "name",
  "-w": "worktree",
};
const SPELLINGS: Readonly<Record<string, string>> = {
  allowedTools: "allowed-tools",
  disallowedTools: "disallowed-tools",
};

export const parseArgv = (argv: readonly string[]): ParsedArgv => {
  const options: Record<string, boolean | string | string[]> = {};
  const unknown: string[] = [];
  const positional: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    if (!word.startsWith("-")) {
      positional.push(word);
      continue;
    }
    const equals = word.indexOf("=");
    const bare = equals < 0 ? word : word.slice(0, equals);
    const spelled = SHORT[bare] ?? bare.replace(/^--/, "");
    const flag = SPELLINGS[spelled] ?? spelled;
    const key = flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const next = (): string | undefined => {
      if (equals >= 0) return word.slice(equals + 1);
      const value = argv[at + 1];
      if (value === undefined || value.startsWith("-")) return undefined;
      at++;
      return value;
    };
    if (isIn(BOOLEANS, flag)) options[key] = true;
    else if (isIn(OPTIONAL, flag)) options[key] = next() ?? true;
    else if (isIn(VALUES, flag)) options[key] = next() ?? "";
    else if (isIn(LISTS, flag)) {
      const values: string[] = [];
      for (let value = next(); value !== undefined; value = equals >= 0 ? undefined : next()) values.push(value);
      options[key] = [...((options[key] as string[] | undefined) ?? []), ...values];
    } else unknown.push(word);
  }
  return { options, unknown, positional };
};

const isIn = (names: string, flag: string): boolean => names.split(" ").includes(flag);
