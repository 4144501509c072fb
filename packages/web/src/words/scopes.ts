// Plain words for the places that rules come from.

import { SCOPE_NAMES, SCOPES, type Scope } from "@quarterdeck/permissions/words";
import { english } from "./en/scopes.ts";
import { inLanguage } from "./language.ts";

const WORDS = inLanguage("scopes", english);

export type Destination = "session" | "localSettings" | "projectSettings" | "userSettings";

/** Where a person can put a rule. */
export const DESTINATIONS = SCOPE_NAMES.filter((scope): scope is Destination => SCOPES[scope].canWrite);

export interface ScopeWords {
  readonly name: string;
  /** The file, or what stands for it. */
  readonly file: string;
  readonly about: string;
}

export const scopeWords = (scope: string): ScopeWords => {
  if (!Object.hasOwn(SCOPES, scope)) return { name: scope === "" ? WORDS.unknown : scope, file: scope, about: "" };
  const { file = scope === "session" ? WORDS.thisSession : "" } = SCOPES[scope as Scope];
  const { name, about } = WORDS.names[scope as Scope];
  return { name, file, about };
};

/** `this project, shared, line 8`: where the rule is. Empty if no rule decided. */
export const placeWords = ({
  scope,
  line,
}: {
  readonly scope?: string | undefined;
  readonly line?: number | undefined;
}): string => {
  if (scope === undefined) return "";
  const { name } = scopeWords(scope);
  const place = name.charAt(0).toLowerCase() + name.slice(1);
  return line === undefined ? place : WORDS.line(place, line);
};
