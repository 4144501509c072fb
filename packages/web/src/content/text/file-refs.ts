// Places in files that a text names: `src/tide.js`, `src/tide.js:12:3`, `tide.py", line 12`. Pure, and linear in the text.

import { grammarOfPath } from "../code/language-names.ts";

export interface FileRef {
  readonly path: string;
  readonly line?: number;
}

export interface FoundRef extends FileRef {
  readonly from: number;
  readonly to: number;
}

/** A path with a name that has an ending, and perhaps a line and a column. `(?<!…)`: not in the middle of a word or an address. */
const REF =
  /(?<![\w@:/.~-])((?:~\/|\.{1,2}\/|\/)?(?:[\w@+.-]{1,100}\/){0,20}[\w@+-][\w@+.-]{0,100}\.[A-Za-z]\w{0,9})(?::(\d{1,7})(?::\d{1,7})?|", line (\d{1,7})|\((\d{1,7})(?:,\d{1,7})?\))?(?![\w/-])/gu;
const LONGEST = 20_000;

/** A name without a folder and a line is a file only if it has an ending of code: `v1.beta` and `example.com` are not. */
const isFile = (path: string, line: string | undefined): boolean => {
  if (line !== undefined) return true;
  if (grammarOfPath(path) === undefined) return path.includes("/") && !/^[\w.-]+\.[a-z]{2,}\//u.test(path);
  return path.includes("/") || CODE.test(path);
};
/** Endings that nothing else has. */
const CODE = /\.(?:[cm]?[jt]sx?|py|rs|go|rb|java|kt|swift|css|scss|html|md|json|ya?ml|toml|sql|sh|vue|svelte|ipynb)$/u;

export const fileRefsIn = (text: string): readonly FoundRef[] => {
  const found: FoundRef[] = [];
  if (text.length > LONGEST) return found;
  for (const match of text.matchAll(REF)) {
    const [whole, path = "", colon, python, parens] = match;
    const line = colon ?? python ?? parens;
    // Characters that hide text or change its direction are not part of a name.
    if (!isFile(path, line)) continue;
    found.push({
      // `@src/tide.js` is how a prompt names a file.
      ...{ path: path.replace(/^@/u, ""), from: match.index, to: match.index + whole.length },
      ...(line !== undefined && { line: Number(line) }),
    });
  }
  return found;
};

/** The whole text is a place in a file. */
export const fileRefOf = (text: string): FileRef | undefined => {
  const [found] = text.length > 400 ? [] : fileRefsIn(text);
  return found === undefined || found.from !== 0 || found.to !== text.length ? undefined : found;
};
