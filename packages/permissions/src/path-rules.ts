// The path rules of one behavior and one kind (read or edit), compiled once. A look-up walks the path's own folders, so that it
// costs the same with ten rules or ten thousand.

import { compilePattern, patternMatches } from "./path-pattern.ts";
import type { PathPattern } from "./path-pattern.ts";
import type { PlacedRule, Scope } from "./types.ts";

interface Entry {
  readonly rule: PlacedRule;
  readonly pattern: PathPattern;
  /** The root's parts, in lower case. */
  readonly root: readonly string[];
  /** Its place among all rules: the first match is named. */
  readonly order: number;
}

interface Node {
  readonly below: Map<string, Node>;
  readonly entries: Entry[];
}
const newNode = (): Node => ({ below: new Map(), entries: [] });

export interface PathFolders {
  readonly cwd: string;
  readonly home: string;
  /** Roots of patterns without a leading slash. The first is `cwd`. */
  readonly relativeRoots: readonly string[];
}

const pathNames = (path: string): readonly string[] => path.toLowerCase().split("/").filter(Boolean);

/** The folder that a pattern with one leading slash is relative to. */
const rootOfScope = (scope: Scope, { cwd, home }: PathFolders): string =>
  scope === "userSettings" ? `${home}/.claude` : scope === "policySettings" ? "/" : cwd;

const rootsOf = (content: string, scope: Scope, folders: PathFolders): [string, readonly string[]] => {
  if (content.startsWith("//")) return [content.slice(1), ["/"]];
  if (content.startsWith("~/")) return [content.slice(1), [folders.home]];
  if (content.startsWith("/")) return [content, [rootOfScope(scope, folders)]];
  return [content, folders.relativeRoots];
};

export class PathRules {
  readonly #top = newNode();
  /** Rules that are not bound to a folder, by a name that a path must have. */
  readonly #names = new Map<string, Entry[]>();
  /** The same for `*.ext`, by the ending. */
  readonly #endings = new Map<string, Entry[]>();
  #count = 0;

  constructor(rules: readonly PlacedRule[], folders: PathFolders, normalize: (text: string) => string) {
    for (const rule of rules) this.#add(rule, folders, normalize);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  #add(rule: PlacedRule, folders: PathFolders, normalize: (text: string) => string): void {
    const content = rule.rule.ruleContent;
    if (content === undefined) return;
    const [text, roots] = rootsOf(normalize(content), rule.scope, folders);
    const pattern = compilePattern(text);
    if (pattern === undefined) return;
    for (const folder of roots) {
      const entry: Entry = { rule, pattern, root: pathNames(folder), order: this.#count++ };
      const name = pattern.anchored && pattern.literal.length > 0 ? undefined : literalPartOf(pattern);
      if (name !== undefined) push(this.#names, name, entry);
      else {
        const only = pattern.anchored ? undefined : pattern.parts[0];
        const ending = only?.kind === "name" ? /^\*(\.[^*?[\\.]+)$/u.exec(only.glob.text)?.[1] : undefined;
        if (ending === undefined) this.#nodeOf(entry).entries.push(entry);
        else push(this.#endings, ending, entry);
      }
    }
  }

  #nodeOf({ root, pattern }: Entry): Node {
    let node = this.#top;
    for (const name of pattern.anchored ? [...root, ...pattern.literal] : root) {
      let next = node.below.get(name);
      if (next === undefined) node.below.set(name, (next = newNode()));
      node = next;
    }
    return node;
  }

  /** The first rule that matches the path, which is absolute. */
  match(path: string): PlacedRule | undefined {
    if (this.#count === 0) return undefined;
    const names = pathNames(path);
    let found: Entry | undefined;
    const look = (entries: readonly Entry[] | undefined): void => {
      for (const entry of entries ?? [])
        if ((found === undefined || entry.order < found.order) && entryMatches(entry, names)) found = entry;
    };
    let node: Node | undefined = this.#top;
    for (let at = 0; node !== undefined; at++) {
      look(node.entries);
      node = at < names.length ? node.below.get(names[at]!) : undefined;
    }
    for (const name of names) {
      look(this.#names.get(name));
      const dot = name.lastIndexOf(".");
      if (dot >= 0) look(this.#endings.get(name.slice(dot)));
    }
    return found?.rule;
  }
}

/** A part that a path must contain literally. The longest part excludes most paths. */
const literalPartOf = ({ parts }: PathPattern): string | undefined => {
  let found: string | undefined;
  for (const part of parts)
    if (part.kind === "name" && part.glob.tokens === undefined && part.glob.text.length > (found?.length ?? 0))
      found = part.glob.text;
  return found;
};

const push = (map: Map<string, Entry[]>, key: string, entry: Entry): void => {
  const list = map.get(key);
  if (list === undefined) map.set(key, [entry]);
  else list.push(entry);
};

const entryMatches = ({ root, pattern }: Entry, names: readonly string[]): boolean => {
  if (names.length < root.length) return false;
  for (let at = 0; at < root.length; at++) if (root[at] !== names[at]) return false;
  return patternMatches(pattern, root.length === 0 ? names : names.slice(root.length));
};
