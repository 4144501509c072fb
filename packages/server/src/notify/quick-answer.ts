// Which requests a notification may answer. A notification shows one line, so the whole request must fit in it and be harmless: reading
// inside the project, or one plain command. Everything else is answered on the page, after it was read.

import { isAbsolute, resolve } from "node:path";
import { programsOf } from "@quarterdeck/permissions";
import type { OpenRequest } from "@quarterdeck/session";
import { isInside } from "../files/contained-path.ts";

const LONGEST = 120;
/** Plain words. Nothing that a shell would expand, join, redirect or hide, and nothing that is not ASCII. */
const PLAIN = /^[\w./:=@,+ -]+$/u;
const SECRETS =
  /(?:^|[/. _-])(?:env|ssh|aws|gnupg|npmrc|netrc|credentials?|secrets?|tokens?|passwords?|id_[a-z0-9]+)(?:$|[/. _-])|\.(?:pem|key)\b/iu;

/** They change or read files of the project, and cannot run other programs. */
const HARMLESS: ReadonlySet<string> = new Set(
  "ls cat head tail wc stat du pwd echo whoami uname which touch mkdir grep diff cmp basename dirname true".split(" "),
);
/** These run code of the project, which the agent could have changed before. Their tests and checks are what people allow most. */
const WITH_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: new Set(["status", "diff", "log", "show", "branch", "add"]),
  npm: new Set(["test"]),
  pnpm: new Set(["test"]),
  yarn: new Set(["test"]),
  cargo: new Set(["check", "test", "build"]),
  go: new Set(["test", "vet", "build"]),
};
const FLAGS_WITH_WORDS: ReadonlySet<string> = new Set(["--stat", "--oneline", "--short", "--cached", "--staged"]);
const READERS: ReadonlySet<string> = new Set(["Read", "Glob", "Grep", "LS"]);
const SHOWN_OF_BASH: ReadonlySet<string> = new Set(["command", "description", "timeout"]);

/** The line to show, if a notification may answer the request. */
export const quickLine = ({ kind, request }: OpenRequest, cwd: string): string | undefined => {
  if (kind !== "permission" || request.subtype !== "can_use_tool") return undefined;
  const { tool_name: tool, input } = request;
  if (tool === "Bash") return quickCommand(input, cwd);
  if (!READERS.has(tool)) return undefined;
  const path = input["file_path"] ?? input["path"] ?? cwd;
  const pattern = input["pattern"] ?? "";
  if (typeof path !== "string" || typeof pattern !== "string") return undefined;
  const line = `${tool} ${pattern} ${path}`.replaceAll(/ +/gu, " ");
  return isShort(line) && !pattern.includes("..") && !isAbsolute(pattern) && isInside(resolve(cwd, path), cwd)
    ? line
    : undefined;
};

const quickCommand = (input: Readonly<Record<string, unknown>>, cwd: string): string | undefined => {
  const { command } = input;
  if (typeof command !== "string" || !isShort(command) || !Object.keys(input).every((name) => SHOWN_OF_BASH.has(name)))
    return undefined;
  const { programs, understood } = programsOf(command);
  const [program] = programs;
  if (!understood || program === undefined || programs.length !== 1) return undefined;
  const [word = ""] = program.args;
  const isKnown =
    HARMLESS.has(program.name) ||
    (Object.hasOwn(WITH_WORDS, program.name) &&
      WITH_WORDS[program.name]!.has(word) &&
      program.args.every((arg) => !arg.startsWith("-") || FLAGS_WITH_WORDS.has(arg)));
  const staysInside = program.args.every((arg) => {
    const path = arg.slice(arg.indexOf("=") + 1);
    return isInside(resolve(cwd, path), cwd);
  });
  return isKnown && staysInside ? command : undefined;
};

const isShort = (line: string): boolean => line.length <= LONGEST && PLAIN.test(line) && !SECRETS.test(line);
