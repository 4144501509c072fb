// Hides secrets in what the CLI reports about its configuration: header and environment values, keys in URLs and arguments,
// tokens. Names stay, so a person still sees what is configured. Pure. The recorder's `Redactor` shares the patterns.

export const HIDDEN = "<hidden>";

export interface SecretRule {
  /** The secret is the group `value` if there is one, otherwise the whole match. */
  readonly pattern: RegExp;
  /** Found by the words before it. The same value may appear without them elsewhere. */
  readonly contextual?: true;
}

const SECRET_NAME =
  "(?:api[_-]?key|access[_-]?key(?:[_-]?id)?|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret|private[_-]?key|" +
  "token|password|passwd|passphrase|credentials?|authorization|cookie)";
/** Names of fields and variables whose value is a secret. */
export const SECRET_KEY = new RegExp(`(?:^|[_.-]|(?<=[a-z])(?=[A-Z]))${SECRET_NAME}$`, "i");
/** What follows `password:` in code and help texts: a type, a call. */
const NOT_A_SECRET =
  "(?![A-Za-z_$.]{1,80}\\(|(?:string|number|boolean|object|null|undefined|true|false|none|unknown|any|required|optional|redacted|process\\.env|os\\.environ)\\b)";

// Every pattern runs in linear time: repeats are bounded, or start only where the same run has not started before.
export const SECRET_RULES: readonly SecretRule[] = [
  { pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/dg },
  { pattern: /(?<![\w-])sk-ant-[\w-]{4,}/dg },
  { pattern: /(?<![\w-])(?:sk|rk|pk)[-_](?:proj-|live_|test_)?[A-Za-z0-9_-]{16,}/dg },
  { pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/dg },
  { pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])/dg },
  { pattern: /(?<!\w)(?:gh[pousr]_|github_pat_|glpat-|npm_|hf_|dop_v1_|xox[abeoprs]-|AIza)[\w-]{16,}/dg },
  { pattern: /:\/\/(?<value>[^\s/:@"'\\]{1,256}:[^\s/@"'\\]{1,256})@/dg },
  {
    pattern: /(?<![\w-])(?:Bearer|Basic)\s{1,4}(?<value>(?=[^\s"'\\]{0,400}\d|[^\s"'\\]{20})[\w.~+/-]{8,}={0,2})/dgi,
    contextual: true,
  },
  {
    pattern: new RegExp(
      `${SECRET_NAME}["'\\\\]{0,4}\\s{0,4}[:=]\\s{0,4}(?:Bearer |Basic )?["'\\\\]{0,4}` +
        `${NOT_A_SECRET}(?<value>[^\\s"'\\\\,;&<>(){}[\\]]{6,})`,
      "dgi",
    ),
    contextual: true,
  },
];

/** Returns the text without its secrets. */
export const textWithoutSecrets = (text: string): string => {
  let clean = text.includes("://") ? text.replaceAll(URL_IN_TEXT, urlWithoutSecrets) : text;
  for (const { pattern } of SECRET_RULES) {
    pattern.lastIndex = 0;
    clean = clean.replace(pattern, (match: string, ...rest: unknown[]) => {
      const groups = rest.at(-1) as { value?: string } | undefined;
      const value = typeof groups === "object" ? groups.value : undefined;
      if (value === undefined) return HIDDEN;
      const at = match.lastIndexOf(value);
      return `${match.slice(0, at)}${HIDDEN}${match.slice(at + value.length)}`;
    });
  }
  return clean;
};

/** Returns JSON without its secrets. `key` is the field that contains the value. */
export const withoutSecrets = (value: unknown, key = ""): unknown => {
  if (typeof value === "string") return SECRET_KEY.test(key) ? HIDDEN : textWithoutSecrets(value);
  if (Array.isArray(value)) {
    if (ARGUMENTS.test(key)) return argumentsWithoutSecrets(value);
    return value.map((one) => withoutSecrets(one, key));
  }
  if (typeof value !== "object" || value === null) return value;
  const hidesAll = ALL_VALUES.test(key);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, hidesAll ? hidden(one) : withoutSecrets(one, name)]),
  );
};

/** Fields in which any value may be a secret, whatever its name is. */
const ALL_VALUES = /^(?:headers|env|environment|variables|oauth|auth|credentials?|secrets|tokens)$/i;
const ARGUMENTS = /^(?:args|argv|arguments)$/i;

const hidden = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(hidden);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hidden(one)]));
  return value === null || typeof value === "boolean" ? value : HIDDEN;
};

const URL_IN_TEXT = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>`\\]+/gi;

/** Keeps the scheme, the host and plain parts of the path. Removes parts that can contain a key. */
const urlWithoutSecrets = (url: string): string => {
  const [, scheme = "", rest = ""] = /^([^:]*:\/\/)([\s\S]*)$/.exec(url) ?? [];
  const [, before = "", query, fragment] = /^([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(rest) ?? [];
  const slash = before.indexOf("/");
  const [authority, path] = slash === -1 ? [before, ""] : [before.slice(0, slash), before.slice(slash)];
  const at = authority.lastIndexOf("@");
  const host = at === -1 ? authority : `${HIDDEN}@${authority.slice(at + 1)}`;
  const shown = path
    .split("/")
    .map((part) => (looksLikeKey(part) ? HIDDEN : part))
    .join("/");
  const asked = (query ?? "")
    .split("&")
    .map((pair) => {
      const is = pair.indexOf("=");
      if (is !== -1) return `${pair.slice(0, is + 1)}${HIDDEN}`;
      return looksLikeKey(pair.replace("?", "")) ? `${pair.startsWith("?") ? "?" : ""}${HIDDEN}` : pair;
    })
    .join("&");
  return `${scheme}${host}${shown}${asked}${fragment === undefined ? "" : `#${HIDDEN}`}`;
};

const SECRET_FLAG =
  /^--?(?:H|(?:[\w-]*[-_])?(?:token|key|secret|pass\w*|pwd|auth\w*|credentials?|headers?|bearer|cookie|pat|dsn))$/i;
const ASSIGNED = /^(--?[\w.-]+|[A-Za-z_][\w.]*)=([\s\S]+)$/;
const ASSIGNED_IN_TEXT = /(?<![\w$-])([A-Z][A-Z0-9_]{2,}=)("[^"]*"|'[^']*'|[^\s"']+)/g;
const NAMED = /^([A-Za-z][\w-]{0,60}:\s*)\S/;

const argumentsWithoutSecrets = (args: readonly unknown[]): unknown[] =>
  args.map((arg, at) => {
    if (typeof arg !== "string") return withoutSecrets(arg, "args");
    const before = args[at - 1];
    if (typeof before === "string" && SECRET_FLAG.test(before)) {
      const name = NAMED.exec(arg)?.[1];
      return name === undefined ? HIDDEN : `${name}${HIDDEN}`;
    }
    const assigned = ASSIGNED.exec(arg);
    // `--port=80` is useful. The value of a variable is always hidden.
    if (assigned !== null && (!arg.startsWith("-") || SECRET_FLAG.test(assigned[1]!) || looksLikeKey(assigned[2]!)))
      return `${assigned[1]!}=${HIDDEN}`;
    if (looksLikeKey(arg)) return HIDDEN;
    return textWithoutSecrets(arg.replaceAll(ASSIGNED_IN_TEXT, `$1${HIDDEN}`));
  });

/** Long, with letters and digits, and not shaped like words. */
const looksLikeKey = (text: string): boolean =>
  text.length >= 16 && /^[\w~.+=:%-]+$/.test(text) && /\d/.test(text) && /[A-Za-z]/.test(text) && !isPlainName(text);

/** Parts that are words or short numbers: `claude-opus-5-5`, `2026-01-31T10:00`, `server-everything@1.2.3`. */
const isPlainName = (text: string): boolean =>
  text.split(/[._:-]/).every((part) => /^(?:[A-Za-z]{0,14}|[A-Za-z]{0,3}\d{1,4}[A-Za-z]{0,2})$/.test(part));
