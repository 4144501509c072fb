// Plain words for the wire's names. Tooltips show the wire's own name.

import type { Phase } from "@quarterdeck/client";
import { toolTitle } from "@quarterdeck/client/content";
import { MODE_NAMES, MODES as MODE_FACTS, modeOf, type Mode, type ModeFacts } from "@quarterdeck/permissions/words";
import { english as englishModes } from "./en/modes.ts";
import { english } from "./en/names.ts";
import { inLanguage } from "./language.ts";

export const WORDS = inLanguage("names", english);
const MODE_WORDS = inLanguage("modes", englishModes);

/** Modes that a person can choose, without other names for the same mode and without those of old versions. */
export const MODE_LIST: readonly ModeFacts[] = MODE_NAMES.map((mode) => {
  const { name, about, allows, asks } = MODE_WORDS[mode];
  return { ...MODE_FACTS[mode], name, about, allows, asks };
}).filter(({ sameAs, until }) => sameAs === undefined && until === undefined);

export const modeName = (mode: string | undefined): string => {
  const known = modeOf(mode ?? "default");
  return known === undefined ? mode! : MODE_WORDS[known].name;
};

/** What the key for the next mode goes through. */
const CYCLE: readonly string[] = ["default", "acceptEdits", "plan"] satisfies Mode[];
export const modeAfter = (mode: string | undefined): string => CYCLE[(CYCLE.indexOf(mode ?? "default") + 1) % 3]!;

/** `claude-opus-5-5-20260101[1m]` is "Opus 5.5 1M". */
export const modelName = (model: string | undefined): string => {
  if (model === undefined || model === "") return WORDS.model;
  const match = /^(?:[\w.]+\/)?claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?(?:\[(\w+)\])?$/u.exec(model);
  if (match === null) {
    const old = /^claude-(\d+)(?:-(\d{1,2}))?-([a-z]+)(?:-\d{8})?$/u.exec(model);
    if (old !== null) return `${capital(old[3]!)} ${old[1]!}${old[2] === undefined ? "" : `.${old[2]}`}`;
    return /^[a-z]+$/u.test(model) ? capital(model) : model;
  }
  const [, family, major, minor, window] = match;
  return `${capital(family!)} ${major!}${minor === undefined ? "" : `.${minor}`}${window === undefined ? "" : ` ${window.toUpperCase()}`}`;
};

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const PHASE_WORDS: Readonly<Record<Phase, string>> = WORDS.phases;

/** What Claude wants to do with a tool. `otherwise` is for tools without their own words. */
export const wantsTo = (tool: string, otherwise = WORDS.use(toolTitle(tool))): string =>
  Object.hasOwn(WANTS, tool) ? WANTS[tool]! : otherwise;
const WANTS: Readonly<Record<string, string>> = {
  Bash: WORDS.run,
  PowerShell: WORDS.run,
  Edit: WORDS.edit,
  MultiEdit: WORDS.edit,
  Write: WORDS.write,
  NotebookEdit: WORDS.notebook,
  Read: WORDS.read,
  Glob: WORDS.search,
  Grep: WORDS.search,
  WebFetch: WORDS.fetch,
  WebSearch: WORDS.web,
  Agent: WORDS.agent,
  Task: WORDS.agent,
};
