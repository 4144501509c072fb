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
  /** Tools that need no permission inside the project if no rule says otherwise. `all`: all but questions. */
  readonly safeTools: readonly string[] | "all";
  /** How much runs unasked, from 0 (least) to 5 (all). */
  readonly width: 0 | 1 | 2 | 3 | 4 | 5;
  /** The role that a device needs to choose it. In the modes of admins, the CLI asks nobody. */
  readonly chosenBy: "operate" | "admin";
  /** Whether a resumed session gets it again. The CLI forgets it, so the host repeats it. */
  readonly survivesResume: boolean;
  /** The first and last version that know it. Absent: no limit was measured. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Another name of this mode. */
  readonly sameAs?: Mode | undefined;
}

/** Tools that never need permission. */
export const FREE_TOOLS: readonly string[] = (
  "TodoRead TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop BashOutput AgentOutputTool KillShell KillBash " +
  "EnterPlanMode ToolSearch ListMcpResourcesTool StructuredOutput Sleep Brief"
).split(" ");
/** Tools that read files. */
export const READING_TOOLS: readonly string[] = ["Read", "Glob", "Grep", "LS", "NotebookRead"];
/** Tools that change files. */
export const WRITING_TOOLS: readonly string[] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
const AGENTS = ["Task", "Agent"];
const PLANNING = [...FREE_TOOLS, ...READING_TOOLS];
const ASKING = [...PLANNING, ...AGENTS];
const EDITING = [...ASKING, ...WRITING_TOOLS];

export const MODES: Readonly<Record<Mode, ModeFacts>> = {
  default: {
    mode: "default",
    name: "Ask first",
    about: "Asks before it edits files or runs commands",
    allows: "Reading inside the project.",
    asks: "Changes, programs and the network.",
    safeTools: ASKING,
    width: 2,
    chosenBy: "operate",
    survivesResume: true,
  },
  plan: {
    mode: "plan",
    name: "Plan only",
    about: "Reads and plans; changes nothing",
    allows: "Reading inside the project.",
    asks: "Changes, and the plan itself.",
    safeTools: PLANNING,
    width: 0,
    chosenBy: "operate",
    survivesResume: true,
  },
  acceptEdits: {
    mode: "acceptEdits",
    name: "Accept edits",
    about: "Edits files without asking; asks before commands",
    allows: "Reading and changing files inside the project, and file commands such as mkdir, mv and rm there.",
    asks: "Other programs, the network and MCP tools.",
    safeTools: EDITING,
    width: 3,
    chosenBy: "operate",
    survivesResume: true,
  },
  dontAsk: {
    mode: "dontAsk",
    name: "Deny unless allowed",
    about: "Denies anything that no rule allows",
    allows: "What a rule allows, and reading inside the project.",
    asks: "Nothing: what would ask is refused.",
    safeTools: ASKING,
    width: 1,
    chosenBy: "operate",
    survivesResume: true,
  },
  auto: {
    mode: "auto",
    name: "Auto",
    about: "Claude judges each action",
    allows: "What a classifier of the CLI takes for harmless.",
    asks: "What the classifier does not take for harmless.",
    safeTools: EDITING,
    width: 4,
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
    safeTools: "all",
    width: 5,
    chosenBy: "admin",
    survivesResume: false,
  },
  manual: {
    mode: "manual",
    name: "Ask first",
    about: "Asks before it edits files or runs commands",
    allows: "Reading inside the project.",
    asks: "Changes, programs and the network.",
    safeTools: ASKING,
    width: 2,
    chosenBy: "operate",
    survivesResume: true,
    since: "2.1.200",
    sameAs: "default",
  },
  delegate: {
    mode: "delegate",
    name: "Delegate to agents",
    about: "Asks before it edits files or runs commands",
    allows: "Reading inside the project.",
    asks: "Changes, programs and the network.",
    safeTools: ASKING,
    width: 2,
    chosenBy: "operate",
    survivesResume: false,
    until: "2.1.38",
  },
};

export const MODE_NAMES = Object.keys(MODES) as readonly Mode[];

/** The mode that a word names, or undefined. */
export const modeOf = (word: unknown): Mode | undefined =>
  typeof word === "string" && Object.hasOwn(MODES, word) ? (word as Mode) : undefined;

/** In this mode the CLI asks nobody, so only an admin chooses it, and no settings file may choose it for a session. */
export const asksNobody = (mode: Mode): boolean => MODES[mode].chosenBy === "admin";
