// Reads a value from incomplete JSON, as if everything open were closed.

/** The value of a prefix of a JSON text, or `undefined` if it has no value yet. */
export const parsePartialJson = (prefix: string): unknown => {
  const closed = closePartialJson(prefix);
  if (closed === undefined) return undefined;
  try {
    return JSON.parse(closed) as unknown;
  } catch {
    // Not a prefix of JSON.
    return undefined;
  }
};

type Open = "}" | "]";
/** The depth limit of the decoder. Each level is copied below, so a text of brackets alone would take forever. */
const MOST_LEVELS = 500;

const closePartialJson = (text: string): string | undefined => {
  const stack: Open[] = [];
  /** The last place where only closing brackets were missing, and the brackets open there. */
  let good: { end: number; stack: readonly Open[] } | undefined;
  const complete = (end: number) => {
    good = { end, stack: [...stack] };
  };
  let at = 0;
  let expectsKey = false;
  while (at < text.length) {
    const char = text[at]!;
    if (char === '"') {
      const end = endOfString(text, at);
      if (end === -1) {
        if (expectsKey) break;
        return close(text.slice(0, at) + closeString(text.slice(at)), stack);
      }
      at = end;
      if (!expectsKey) complete(at);
    } else if (char === "{" || char === "[") {
      if (stack.push(char === "{" ? "}" : "]") > MOST_LEVELS) return undefined;
      expectsKey = char === "{";
      at++;
      complete(at);
    } else if (char === "}" || char === "]") {
      stack.pop();
      expectsKey = false;
      at++;
      complete(at);
    } else if (char === ",") {
      expectsKey = stack.at(-1) === "}";
      at++;
    } else if (char === ":") {
      expectsKey = false;
      at++;
    } else if (/\s/.test(char)) at++;
    else {
      const word = /^[^\s,:{}[\]"]+/.exec(text.slice(at, at + 40))?.[0] ?? char;
      at += word.length;
      // A number may continue after the end of the text. A literal must be whole.
      if (at < text.length || /^(?:true|false|null|-?\d+)$/.test(word)) complete(at);
    }
  }
  return good === undefined ? undefined : close(text.slice(0, good.end), good.stack);
};

const close = (text: string, stack: readonly Open[]): string => text + stack.toReversed().join("");

const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return -1;
};

/** Omits an escape that is cut in the middle. */
const closeString = (text: string): string =>
  `${text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, (cut, at: number) => (isEscaped(text, at) ? cut : ""))}"`;
const isEscaped = (text: string, at: number): boolean => {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
};
