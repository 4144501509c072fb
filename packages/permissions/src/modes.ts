// The permission modes: one table for every surface.

import type { Mode } from "./types.ts";

export interface ModeFacts {
  readonly mode: Mode;
  /** For a person. */
  readonly name: string;
  /** The mode in a few words, for a list to choose from. */
  readonly about: string;
  /** One sentence: what runs unasked. */
  readonly allows: string;
  /** One sentence: what asks. */
  readonly asks: string;
  /** How much runs unasked, from 0 (nothing but reading) to 3 (all). */
  readonly width: 0 | 1 | 2 | 3;
  /** The role that may choose it, from a device. */
  readonly chosenBy: "answer" | "prompt" | "admin";
  /** Whether a resumed session has it again unless it is told so. */
  readonly survivesResume: boolean;
  /** The first and last version that know it. Absent: no limit was measured. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Another name of this mode. */
  readonly sameAs?: Mode | undefined;
}

export const MODES: Readonly<Record<Mode, ModeFacts>> = {
  default: {
    mode: "default",
    name: "Ask first",
    about: "Asks before it edits files or runs commands",
    allows: "Reading inside the project.",
    asks: "Changes, programs and the network.",
    width: 0,
    chosenBy: "prompt",
    survivesResume: false,
  },
  plan: {
    mode: "plan",
    name: "Plan only",
    about: "Reads and plans; changes nothing",
    allows: "Reading inside the project.",
    asks: "Changes, and the plan itself.",
    width: 0,
    chosenBy: "prompt",
    survivesResume: false,
  },
  acceptEdits: {
    mode: "acceptEdits",
    name: "Accept edits",
    about: "Edits files without asking; asks before commands",
    allows: "Reading and changing files inside the project, and file commands such as mkdir, mv and rm there.",
    asks: "Other programs, the network and MCP tools.",
    width: 1,
    chosenBy: "prompt",
    survivesResume: false,
  },
  dontAsk: {
    mode: "dontAsk",
    name: "Deny unless allowed",
    about: "Denies anything that no rule allows",
    allows: "What a rule allows, and reading inside the project.",
    asks: "Nothing: what would ask is refused.",
    width: 0,
    chosenBy: "prompt",
    survivesResume: false,
  },
  auto: {
    mode: "auto",
    name: "Auto",
    about: "Claude judges each action",
    allows: "What a classifier of the CLI takes for harmless.",
    asks: "What the classifier does not take for harmless.",
    width: 2,
    chosenBy: "admin",
    survivesResume: false,
    since: "2.1.200",
  },
  bypassPermissions: {
    mode: "bypassPermissions",
    name: "Allow everything",
    about: "Runs everything without asking",
    allows: "Everything but questions, what an ask rule names, and the removal of whole systems.",
    asks: "Questions, plans, and ask rules.",
    width: 3,
    chosenBy: "admin",
    survivesResume: false,
  },
  manual: {
    mode: "manual",
    name: "Ask first",
    about: "Asks before it edits files or runs commands",
    allows: "Reading inside the project.",
    asks: "Changes, programs and the network.",
    width: 0,
    chosenBy: "prompt",
    survivesResume: false,
    since: "2.1.200",
    sameAs: "default",
  },
  delegate: {
    mode: "delegate",
    name: "Delegate to agents",
    about: "Asks before it edits files or runs commands",
    allows: "Reading inside the project.",
    asks: "Changes, programs and the network.",
    width: 0,
    chosenBy: "prompt",
    survivesResume: false,
    until: "2.1.38",
  },
};

export const MODE_NAMES = Object.keys(MODES) as readonly Mode[];

/** The mode that a word names, or undefined. */
export const modeOf = (word: unknown): Mode | undefined =>
  typeof word === "string" && Object.hasOwn(MODES, word) ? (word as Mode) : undefined;
