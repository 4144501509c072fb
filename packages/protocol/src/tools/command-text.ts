// Slash commands inside user messages. The CLI writes the call as `<command-name>`, `<command-message>`,
// `<command-args>`, and the output of a local command as `<local-command-stdout>` or `-stderr`. Up to 2.1.38 the output
// is in a replayed user message. Today it is mostly in `local_command_source` of a synthetic assistant message.

export interface CommandText {
  /** Without its slash. */
  name?: string;
  message?: string;
  args?: string;
  stdout?: string;
  stderr?: string;
  caveat?: string;
  /** The text after the tags. */
  rest?: string;
}

const TAGS = {
  "command-name": "name",
  "command-message": "message",
  "command-args": "args",
  "local-command-stdout": "stdout",
  "local-command-stderr": "stderr",
  "local-command-caveat": "caveat",
} as const;
const OPEN = new RegExp(`^\\s*<(${Object.keys(TAGS).join("|")})>`);

/** A command may print its own closing tag. The right one is followed by nothing, or by another of the tags. */
const closingOf = (text: string, close: string): number => {
  for (let at = text.indexOf(close); at !== -1; at = text.indexOf(close, at + 1)) {
    const after = text.slice(at + close.length);
    if (after.trim() === "" || OPEN.test(after)) return at;
  }
  return text.lastIndexOf(close);
};

/** Undefined unless the text begins with one of the tags: a person may write about them. */
export const readCommandText = (text: string): CommandText | undefined => {
  const found: CommandText = {};
  let left = text;
  for (let open = OPEN.exec(left); open !== null; open = OPEN.exec(left)) {
    const tag = open[1] as keyof typeof TAGS;
    const body = left.slice(open[0].length);
    const close = `</${tag}>`;
    const end = closingOf(body, close);
    const value = end === -1 ? body : body.slice(0, end);
    const field = TAGS[tag];
    found[field] = found[field] === undefined ? value : `${found[field]}\n${value}`;
    left = end === -1 ? "" : body.slice(end + close.length);
  }
  if (Object.keys(found).length === 0) return undefined;
  if (found.name !== undefined) found.name = found.name.replace(/^\//, "");
  if (left.trim() !== "") found.rest = left.trim();
  return found;
};
