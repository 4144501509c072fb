// The parts of a command line that a person sees as separate commands: what stands between `&&`, `||`, `;`, `|`, `&` and
// line ends. Only for showing a verdict part by part. The check itself looks deeper.

import { parse } from "unbash";

interface Node {
  readonly type: string;
  readonly pos: number;
  readonly end: number;
  readonly command?: unknown;
  readonly commands?: readonly unknown[];
}

/** In order. One part if the line is one command, or if it cannot be parsed. Never throws. */
export const partsOf = (command: string): readonly string[] => {
  const whole = [command.trim()];
  if (command.length > LONGEST) return whole;
  try {
    const script = parse(command);
    // A heredoc stands behind the end of its command.
    if (script.errors !== undefined || command.includes("<<")) return whole;
    const parts: string[] = [];
    const stack: Node[] = [script];
    while (stack.length > 0) {
      const node = stack.pop()!;
      const below = childrenOf(node);
      if (below === undefined) parts.push(command.slice(node.pos, node.end));
      else stack.push(...below.toReversed());
    }
    return parts.length === 0 || parts.length > MOST ? whole : parts;
  } catch {
    // The check says that it does not understand the line.
    return whole;
  }
};

/** Longer ones are shown as one part. */
const LONGEST = 20_000;
const MOST = 50;

/** `time` and `!` before a pipeline belong to all of it, so such a pipeline stays one part. */
const childrenOf = (node: Node): readonly Node[] | undefined => {
  if (node.type === "Statement") return [node.command as Node];
  const isSplit = node.type === "Script" || node.type === "AndOr" || (node.type === "Pipeline" && !hasPrefix(node));
  return isSplit ? (node.commands as readonly Node[]) : undefined;
};

const hasPrefix = (node: Node): boolean =>
  ((node as { readonly prefixes?: readonly unknown[] }).prefixes ?? []).length > 0;
