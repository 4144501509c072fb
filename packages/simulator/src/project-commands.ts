// Slash commands in files: `.claude/commands/NAME.md` in the project and in the home folder. A command becomes a
// prompt.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface ProjectCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
  readonly path: string;
}

export const projectCommandsIn = (...roots: readonly string[]): readonly ProjectCommand[] =>
  roots.flatMap((root) => {
    const folder = join(root, ".claude", "commands");
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((file) => file.endsWith(".md"))
      .map((file) => {
        const path = join(folder, file);
        const { fields, body } = partsOf(path);
        return {
          name: file.slice(0, -".md".length),
          description: fields.get("description") ?? body.split("\n")[0] ?? "",
          argumentHint: fields.get("argument-hint") ?? "",
          path,
        };
      });
  });

/**
 * `$ARGUMENTS` is everything after the name, `$1` its first word. If a text uses neither, the arguments are appended.
 */
export const expand = ({ path }: ProjectCommand, args: string): string => {
  const { body } = partsOf(path);
  const words = args.split(/\s+/);
  const text = body
    .replaceAll("$ARGUMENTS", () => args)
    .replace(/\$([1-9])/g, (_, digit: string) => words[Number(digit) - 1] ?? "");
  return text === body && args !== "" ? `${body.trimEnd()}\n\nARGUMENTS: ${args}` : text;
};

const partsOf = (path: string): { readonly fields: ReadonlyMap<string, string>; readonly body: string } => {
  const text = readFileSync(path, "utf8");
  const match = /^---\n([\s\S]*?)\n---\n?/.exec(text);
  if (match === null) return { fields: new Map(), body: text };
  const fields = (match[1] ?? "").split("\n").map((line): [string, string] => {
    const at = line.indexOf(":");
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  return { fields: new Map(fields), body: text.slice(match[0].length) };
};
