// Slash commands: the CLI's live list, and the commands that open parts of the page and are never sent. Pure.

import type { Head } from "@quarterdeck/client";
import { WORDS } from "./words.ts";

export type OwnCommand =
  | "config"
  | "help"
  | "fast"
  | "keybindings-help"
  | "model"
  | "permissions"
  | "mcp"
  | "resume"
  | "btw";

export interface CommandChoice {
  readonly name: string;
  readonly description: string;
  readonly hint: string;
  readonly aliases: readonly string[];
  /** Handled by the page. */
  readonly own?: OwnCommand;
}

const OWN: readonly (CommandChoice & { readonly own: OwnCommand })[] = [
  { own: "model", name: "model", description: WORDS.commands.model, hint: WORDS.aModel, aliases: [] },
  {
    own: "config",
    name: "config",
    description: WORDS.commands.config,
    hint: "",
    aliases: ["settings", "theme"],
  },
  {
    own: "permissions",
    name: "permissions",
    description: WORDS.commands.permissions,
    hint: "",
    aliases: ["allowed-tools"],
  },
  { own: "mcp", name: "mcp", description: WORDS.commands.mcp, hint: "", aliases: [] },
  { own: "resume", name: "resume", description: WORDS.commands.resume, hint: "", aliases: ["continue"] },
  { own: "fast", name: "fast", description: WORDS.commands.fast, hint: "", aliases: [] },
  { own: "help", name: "help", description: WORDS.commands.help, hint: "", aliases: [] },
  {
    own: "keybindings-help",
    name: "keybindings-help",
    description: WORDS.commands["keybindings-help"],
    hint: "",
    aliases: ["keybindings"],
  },
  {
    own: "btw",
    name: "btw",
    description: WORDS.commands.btw,
    hint: WORDS.aQuestion,
    aliases: [],
  },
];

export const commandChoices = (commands: Head["commands"]): readonly CommandChoice[] => {
  const taken = new Set(OWN.map(({ name }) => name));
  const theirs = commands
    .filter(({ name }) => !taken.has(name) && !name.startsWith("__"))
    .map(({ name, description, hint, aliases }) => ({
      name,
      description: description ?? "",
      hint: hint ?? "",
      aliases: aliases ?? [],
    }));
  return [...theirs, ...OWN].toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/** The page handles its own commands. Commands of the CLI are offered if the device may send them. */
export const offeredCommands = (
  choices: readonly CommandChoice[],
  maySend: (name: string) => boolean,
): readonly CommandChoice[] => choices.filter(({ name, own }) => own !== undefined || maySend(name));

/** Best first: a name with this prefix, an alias with this prefix, a part after : or -, the letters in order. */
export const rankCommands = (choices: readonly CommandChoice[], query: string): readonly CommandChoice[] => {
  const wanted = query.toLowerCase();
  const score = ({ name, aliases }: CommandChoice): number => {
    const lower = name.toLowerCase();
    if (lower === wanted) return 5;
    if (lower.startsWith(wanted)) return 4;
    if (aliases.some((alias) => alias.toLowerCase().startsWith(wanted))) return 3;
    if (lower.split(/[:.-]/u).some((part) => part.startsWith(wanted))) return 2;
    return isSubsequence(wanted, lower) ? 1 : 0;
  };
  return choices
    .map((choice) => ({ choice, points: score(choice) }))
    .filter(({ points }) => points > 0)
    .toSorted((a, b) => b.points - a.points || (a.choice.name < b.choice.name ? -1 : 1))
    .map(({ choice }) => choice);
};

const isSubsequence = (letters: string, text: string): boolean => {
  let at = 0;
  for (const letter of text) if (letter === letters[at]) at += 1;
  return at === letters.length;
};

export interface TypedCommand {
  readonly name: string;
  readonly args: string;
}

/** `/name args`. A path such as /usr/bin, or a lone slash, is text. */
export const readCommand = (text: string): TypedCommand | undefined => {
  const match = /^\/([a-z_][\w:.-]*)(?:\s+([\s\S]*))?$/iu.exec(text.trimEnd());
  return match === null ? undefined : { name: match[1]!, args: (match[2] ?? "").trim() };
};

/** Whether a text with a slash is our command, a command of the CLI, or plain text. */
export const judgeCommand = (
  text: string,
  choices: readonly CommandChoice[],
):
  | { readonly kind: "own"; readonly own: OwnCommand; readonly args: string }
  | { readonly kind: "known" | "unknown" | "text" } => {
  const typed = readCommand(text);
  if (typed === undefined) return { kind: "text" };
  const choice = choices.find(({ name, aliases }) => name === typed.name || aliases.includes(typed.name));
  if (choice === undefined) return { kind: "unknown" };
  return choice.own === undefined ? { kind: "known" } : { kind: "own", own: choice.own, args: typed.args };
};
