// Patterns over messages, as data: a pattern names what must be there and ignores the rest. Also the variables in
// patterns, scripts and arguments.

/**
 * An object matches if each named field matches. A list entry matches any entry. `has`, `absent` and `present` are
 * described below.
 */
export type Pattern =
  | string
  | number
  | boolean
  | null
  | readonly Pattern[]
  | { readonly [field: string]: Pattern }
  | Special;

export interface Special {
  readonly $: "absent" | "present" | "has" | "not" | "empty";
  readonly text?: string;
  readonly value?: string | number | boolean | null;
}

export const absent: Special = { $: "absent" };
export const present: Special = { $: "present" };
export const empty: Special = { $: "empty" };
/** A string (or anything, as JSON) that contains the text. */
export const has = (text: string): Special => ({ $: "has", text });
export const not = (value: string | number | boolean | null): Special => ({ $: "not", value });

export const matches = (pattern: Pattern, value: unknown): boolean => {
  if (isSpecial(pattern)) return matchesSpecial(pattern, value);
  if (Array.isArray(pattern)) {
    return (
      Array.isArray(value) && pattern.every((wanted: Pattern) => value.some((entry: unknown) => matches(wanted, entry)))
    );
  }
  if (typeof pattern !== "object" || pattern === null) return Object.is(pattern, value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(pattern).every(([field, wanted]) =>
    matches(wanted, (value as Readonly<Record<string, unknown>>)[field]),
  );
};

const isSpecial = (pattern: Pattern): pattern is Special =>
  typeof pattern === "object" && pattern !== null && !Array.isArray(pattern) && "$" in pattern;

const matchesSpecial = (pattern: Special, value: unknown): boolean => {
  switch (pattern.$) {
    case "absent":
      return value === undefined;
    case "present":
      return value !== undefined && value !== null;
    case "empty":
      return value === "" || (Array.isArray(value) && value.length === 0);
    case "not":
      return value !== pattern.value;
    case "has":
      return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).includes(pattern.text ?? "");
  }
};

/** Replaces `{{name}}` in every string. An unknown variable stays as it is. */
export const filled = (value: unknown, variables: Readonly<Record<string, string>>): unknown => {
  if (typeof value === "string")
    return value.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => variables[name] ?? whole);
  if (Array.isArray(value)) return value.map((entry: unknown) => filled(entry, variables));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [filled(key, variables) as string, filled(entry, variables)]),
  );
};
