// JSON with positions, and small edits of its text that leave the rest as it is. Strict: what JSON.parse refuses is refused here.

export type JsonNode = { readonly start: number; readonly end: number; readonly line: number } & (
  | { readonly kind: "object"; readonly members: readonly JsonMember[] }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "other" }
);
export interface JsonMember {
  readonly name: string;
  readonly start: number;
  readonly value: JsonNode;
}
export type ParsedJson =
  | { readonly ok: true; readonly node: JsonNode }
  | { readonly ok: false; readonly error: { readonly message: string; readonly line: number } };

class JsonProblem extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

// oxlint-disable-next-line no-control-regex -- JSON does not allow them
const STRING = /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const OTHER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/uy;
const DEEPEST = 200;

export const parseJson = (text: string): ParsedJson => {
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  const lineOf = (at: number): number => {
    let low = 0;
    let high = lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (lineStarts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
  const space = (from: number): number => {
    let at = from;
    while (at < text.length && " \t\n\r".includes(text[at]!)) at++;
    return at;
  };
  const take = (pattern: RegExp, at: number, message: string): string => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) throw new JsonProblem(message, at);
    return match[0];
  };
  const expect = (char: string, at: number): number => {
    if (text[at] !== char) throw new JsonProblem(`Expected ${char}`, at);
    return at + 1;
  };
  const list = (open: number, close: string, each: (at: number) => number): number => {
    let at = space(open + 1);
    if (text[at] === close) return at + 1;
    for (;;) {
      at = space(each(at));
      if (text[at] === close) return at + 1;
      at = space(expect(",", at));
    }
  };
  const value = (start: number, depth: number): JsonNode => {
    if (depth > DEEPEST) throw new JsonProblem("It is nested too deeply", start);
    const line = lineOf(start);
    if (text[start] === '"') {
      const source = take(STRING, start, "A text is not closed, or has a control character");
      return { kind: "string", value: JSON.parse(source) as string, start, end: start + source.length, line };
    }
    if (text[start] === "[") {
      const items: JsonNode[] = [];
      const end = list(start, "]", (at) => {
        const item = value(at, depth + 1);
        items.push(item);
        return item.end;
      });
      return { kind: "array", items, start, end, line };
    }
    if (text[start] === "{") {
      const members: JsonMember[] = [];
      const end = list(start, "}", (at) => {
        const name = take(STRING, at, "Expected a name in quotes");
        const inner = value(space(expect(":", space(at + name.length))), depth + 1);
        members.push({ name: JSON.parse(name) as string, start: at, value: inner });
        return inner.end;
      });
      return { kind: "object", members, start, end, line };
    }
    const source = take(OTHER, start, "Expected a value");
    return { kind: "other", start, end: start + source.length, line };
  };
  try {
    const node = value(space(text.startsWith("\uFEFF") ? 1 : 0), 0);
    const rest = space(node.end);
    if (rest < text.length) throw new JsonProblem("Something stands behind the end", rest);
    return { ok: true, node };
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return { ok: false, error: { message: `Not valid JSON: ${error.message}.`, line: lineOf(error.at) } };
  }
};

/** What is put in: a text, or a list of texts and of nodes that stay as they are written. */
export type NewJsonValue = string | readonly (JsonNode | string)[];

const indentOf = (text: string): string => /\n([ \t]+)\S/u.exec(text)?.[1] ?? "  ";

/** The text with one field set; missing objects on the way are made. */
export const editJson = (text: string, root: JsonNode, path: readonly string[], value: NewJsonValue): string => {
  const unit = indentOf(text);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const print = (depth: number): string => {
    if (typeof value === "string") return JSON.stringify(value);
    if (value.length === 0) return "[]";
    const inner = value.map((each) =>
      typeof each === "string" ? JSON.stringify(each) : text.slice(each.start, each.end),
    );
    const pad = unit.repeat(depth + 1);
    return `[${newline}${inner.map((each) => pad + each).join(`,${newline}`)}${newline}${unit.repeat(depth)}]`;
  };
  let node = root;
  for (const [depth, name] of path.entries()) {
    if (node.kind !== "object") return text;
    const found = node.members.findLast((each) => each.name === name);
    if (found !== undefined) {
      if (depth === path.length - 1)
        return text.slice(0, found.value.start) + print(depth + 1) + text.slice(found.value.end);
      node = found.value;
      continue;
    }
    let made = print(path.length);
    for (let at = path.length - 1; at > depth; at--) {
      const pad = unit.repeat(at + 1);
      made = `{${newline}${pad}${JSON.stringify(path[at])}: ${made}${newline}${unit.repeat(at)}}`;
    }
    const entry = `${unit.repeat(depth + 1)}${JSON.stringify(name)}: ${made}`;
    const last = node.members.at(-1);
    if (last === undefined)
      return `${text.slice(0, node.start)}{${newline}${entry}${newline}${unit.repeat(depth)}}${text.slice(node.end)}`;
    return `${text.slice(0, last.value.end)},${newline}${entry}${text.slice(last.value.end)}`;
  }
  return text;
};
