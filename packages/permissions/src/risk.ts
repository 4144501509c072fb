// How much an allow rule gives away.

import type { Risk, Rule } from "./types.ts";
import { PATH_TOOLS } from "./rule-problems.ts";

/** Programs that run whatever they are told. */
const INTERPRETERS = new Set(
  (
    "python python2 python3 node nodejs deno bun ruby perl php lua Rscript osascript awk gawk mawk nawk tclsh bash sh zsh dash ksh " +
    "fish csh tcsh pwsh powershell cmd eval source exec env xargs sudo doas su command builtin nohup timeout nice time ssh " +
    "docker podman kubectl make npx pnpx bunx uvx pipx tsx ts-node find"
  ).split(" "),
);
/** The same, with their subcommand. */
const RUNNERS = new Set(
  (
    "uv run,uv tool,poetry run,pipenv run,pdm run,hatch run,rye run,conda run,deno run,deno eval,bun run,bun x,npm exec," +
    "npm x,pnpm exec,pnpm dlx,yarn exec,yarn dlx,go run,cargo run,bundle exec,mise exec,nix run,nix shell"
  ).split(","),
);
const DESTROYERS = new Set(
  "rm rmdir shred dd mkfs chmod chown mv truncate kill killall pkill shutdown reboot".split(" "),
);
/** Programs that send files elsewhere. */
const SENDERS = new Set("curl wget scp rsync nc ncat telnet ftp sftp".split(" "));

const high = (words: string): Risk => ({ level: "high", words });
const medium = (words: string): Risk => ({ level: "medium", words });

/** Undefined where nothing is remarkable. */
export const riskOf = ({ toolName, ruleContent }: Rule): Risk | undefined => {
  if (toolName === "*" || toolName === "mcp__*") return high("This allows every tool.");
  if (toolName === "Bash" || toolName === "PowerShell") return bashRisk(ruleContent);
  const isWhole = ruleContent === undefined || ruleContent === "*";
  if (/^(?:Write|Edit|MultiEdit|NotebookEdit)$/u.test(toolName)) {
    if (isWhole) return medium("This allows changing every file that this tool can reach.");
    if (/^(?:\/\/(?:\*\*?)?$|\/\/\*\*|~\/?(?:\*\*?)?$|~\/\*\*)/u.test(ruleContent))
      return high("This allows changing files far outside the project.");
    if (/(?:^|\/)\.(?:claude|git|ssh|config)(?:\/|$)/u.test(ruleContent))
      return medium("This allows changing files that decide what programs do.");
  }
  if (PATH_TOOLS.has(toolName) && !isWhole && /^\/\/\*\*|^~\/\*\*|\.ssh|\.aws|\.gnupg/u.test(ruleContent))
    return medium("This allows reading keys and private files.");
  if (toolName === "WebFetch" && (isWhole || ruleContent.includes("*")))
    return medium("This allows sending text to many hosts.");
  if (/^mcp__(?:(?!__).)+$|__\*$/u.test(toolName))
    return medium("This allows all tools of the server, also ones that it adds later.");
  return undefined;
};

const bashRisk = (content: string | undefined): Risk | undefined => {
  if (content === undefined || content === "*" || content === "* *") return high("This allows every command.");
  const isOpen = content.endsWith(":*") || content.includes("*");
  const plain = content.replace(/:\*$/u, "").replace(/\*.*$/su, "");
  const words = plain
    .replace(/^\s*(?:[A-Za-z_]\w*=\S*\s+)+/u, "")
    .trim()
    .split(/\s+/u);
  const first = words[0] === "" ? "" : words[0]!.slice(words[0]!.lastIndexOf("/") + 1);
  if (isOpen && first === "") return high("This begins with a star, so it allows almost every command.");
  if (INTERPRETERS.has(first.replace(/[\d.]+$/u, "")) || INTERPRETERS.has(first)) {
    if (isOpen && words.length === 1)
      return high(`${first} can run any other program, so this allows almost everything.`);
    if (/\s-(?:c|e|-eval)\b/u.test(` ${content}`)) return high(`${first} runs the code that follows.`);
  }
  if (isOpen && words.length === 2 && RUNNERS.has(words.join(" ")))
    return high(`${words.join(" ")} can run any other program, so this allows almost everything.`);
  if (DESTROYERS.has(first) && isOpen) return high(`${first} can destroy files or stop programs.`);
  if (SENDERS.has(first) && isOpen) return medium(`${first} can send files to other machines.`);
  if (first === "git" && isOpen && (words.length === 1 || words[1] === "push" || words[1] === "config"))
    return medium("git can change history, settings and other repositories.");
  if (/^(?:npm|yarn|pnpm|bun|pip|pip3|cargo|go|gem)$/u.test(first) && isOpen && words.length === 1)
    return medium(`${first} can install and run code of others.`);
  return undefined;
};
