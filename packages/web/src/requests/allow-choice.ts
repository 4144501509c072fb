// The ways to allow: once, for this session, always, or with another mode. Pure.

import { modeName } from "../words/names.ts";
import { scopeWords, type Destination } from "../words/scopes.ts";
import { forSession, isForSessionOnly, matchedRule, type Asked, type AllowSuggestion } from "./asked.ts";
import { whyOf, type Tested } from "./why-words.ts";
import { WORDS } from "./words.ts";

/** What the card shows in place of the request, or below it. */
export type Face = "plain" | "edit" | "deny";
export type OpenMenu = "allow" | "deny" | undefined;

export type AllowChoiceId = "once" | "session" | "always" | "mode";

export interface AllowChoice {
  readonly id: AllowChoiceId;
  readonly label: string;
  /** Continues the label. */
  readonly about: string;
  /** What the main button says. */
  readonly button: string;
  /** What is sent with the answer. */
  readonly updates: readonly AllowSuggestion[];
}

export const ONCE: AllowChoice = { id: "once", label: WORDS.once, about: "", button: WORDS.allow, updates: [] };

/** Rules for what is asked, or folders where the CLI suggests nothing else. */
export const suggestedRules = (suggestions: readonly AllowSuggestion[]): readonly AllowSuggestion[] =>
  forSession(suggestions).filter(({ kind }) => kind === "rule" || (kind === "directory" && !hasMode(suggestions)));
const hasMode = (suggestions: readonly AllowSuggestion[]): boolean => suggestions.some(({ kind }) => kind === "mode");

/** `to`: where "always" writes. Undefined: this device may not. */
export const allowChoicesOf = (
  suggestions: readonly AllowSuggestion[],
  to: Destination | undefined,
): readonly AllowChoice[] => {
  const rules = suggestedRules(suggestions);
  const choices: AllowChoice[] = [ONCE];
  if (rules.length > 0)
    choices.push({
      id: "session",
      label: WORDS.session,
      about: WORDS.sessionAbout,
      button: WORDS.sessionButton,
      updates: rules.map((rule) => ({ ...rule, destination: "session" })),
    });
  if (rules.length > 0 && to !== undefined && !rules.some(isForSessionOnly))
    choices.push({
      id: "always",
      label: WORDS.always,
      about: WORDS.alwaysAbout(rules[0]!.kind, rules.length, scopeWords(to).file),
      button: WORDS.alwaysButton,
      updates: rules.map((rule) => ({ ...rule, destination: to })),
    });
  const mode = suggestions.find(({ kind }) => kind === "mode");
  if (mode !== undefined) {
    // Folders come with the mode where no rule does.
    const folders = rules.length > 0 ? [] : suggestions.filter(({ kind }) => kind === "directory");
    const words = mode.text === "acceptEdits" ? WORDS.allEdits : WORDS.mode(modeName(mode.text));
    choices.push({
      id: "mode",
      label: words,
      about: WORDS.modeAbout(
        modeName(mode.text),
        folders.map(({ text }) => text),
      ),
      button: mode.text === "acceptEdits" ? WORDS.allEdits : WORDS.modeButton(modeName(mode.text)),
      updates: [mode, ...folders].map((each) => ({ ...each, destination: "session" })),
    });
  }
  return choices;
};

/** An ask rule comes before every allow rule and before the mode, so only "once" is left. */
export const askRuleOf = (asked: Asked, tested: Tested | undefined): string | undefined => {
  const rule = matchedRule(asked);
  if (rule !== undefined) return rule;
  return tested?.behavior === "ask" ? whyOf(asked, tested).rule : undefined;
};
