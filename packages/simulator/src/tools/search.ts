// Glob and Grep over real files, with the options of the tools. No index, no external program.
import { readFileSync, statSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join, matchesGlob, relative } from "node:path";
import { textAt } from "../json.ts";
import type { Json } from "../json.ts";
import { absolute } from "../shell-command.ts";
import { ToolFailure } from "./tool.ts";
import type { Session, Tool } from "../session-contract.ts";

const MAX_FILES = 100;

const rootOf = (input: Json, session: Session): string => absolute(textAt(input, "path") ?? ".", session.cwd);

const filesUnder = async (root: string, pattern: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const path of glob(pattern, {
    cwd: root,
    exclude: (name) => name === ".git" || name === "node_modules",
  })) {
    if (statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true) found.push(path);
  }
  return found;
};

export const globTool: Tool = {
  params: { pattern: "string", path: "string?" },
  isParallel: () => true,
  run: async (input, { session }) => {
    const started = Date.now();
    const root = rootOf(input, session);
    const found = await filesUnder(root, textAt(input, "pattern") ?? "");
    const newest = [...found].sort(
      (a, b) => statSync(join(root, b)).mtimeMs - statSync(join(root, a)).mtimeMs || (a < b ? 1 : -1),
    );
    const filenames = newest.slice(0, MAX_FILES).map((path) => relative(session.cwd, join(root, path)));
    return {
      content: filenames.length === 0 ? "No files found" : filenames.join("\n"),
      result: {
        filenames,
        durationMs: Date.now() - started,
        numFiles: filenames.length,
        truncated: found.length > MAX_FILES,
        totalMatches: found.length,
        countIsComplete: true,
      },
    };
  },
};

export const grep: Tool = {
  params: {
    pattern: "string",
    path: "string?",
    glob: "string?",
    type: "string?",
    output_mode: "string?",
    "-n": "boolean?",
    "-i": "boolean?",
    "-A": "number?",
    "-B": "number?",
    "-C": "number?",
    head_limit: "number?",
    offset: "number?",
    multiline: "boolean?",
  },
  isParallel: () => true,
  run: async (input, { session }) => {
    const matches = await matchesOf(input, session);
    const mode = textAt(input, "output_mode") ?? "files_with_matches";
    const files = [...new Set(matches.map(({ file }) => file))];
    if (mode === "content") {
      const numbered = input["-n"] !== false;
      const content = matches
        .map(({ file, line, text }) => `${file}:${numbered ? `${String(line)}:` : ""}${text}`)
        .join("\n");
      return {
        content: content === "" ? "No matches found" : content,
        result: { mode, numFiles: 0, filenames: [], content, numLines: matches.length, totalLines: matches.length },
      };
    }
    if (mode === "count") {
      const counts = files
        .map((file) => `${file}:${String(matches.filter((match) => match.file === file).length)}`)
        .join("\n");
      return {
        content: `${counts}\n\nFound ${String(matches.length)} total occurrence${matches.length === 1 ? "" : "s"} across ${String(files.length)} file${files.length === 1 ? "" : "s"}.`,
        result: { mode, numFiles: files.length, filenames: [], content: counts, numMatches: matches.length },
      };
    }
    return {
      content:
        files.length === 0
          ? "No files found"
          : `Found ${String(files.length)} file${files.length === 1 ? "" : "s"}\n${files.join("\n")}`,
      result: { mode, filenames: files, numFiles: files.length, totalFiles: files.length },
    };
  },
};

interface Match {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const matchesOf = async (input: Json, session: Session): Promise<readonly Match[]> => {
  const root = rootOf(input, session);
  let expression: RegExp;
  try {
    expression = new RegExp(textAt(input, "pattern") ?? "", input["-i"] === true ? "i" : "");
  } catch {
    throw new ToolFailure(`Invalid regular expression: ${textAt(input, "pattern") ?? ""}`);
  }
  const isFile = statSync(root, { throwIfNoEntry: false })?.isFile() === true;
  const paths = isFile ? [root] : (await filesUnder(root, "**/*")).map((path) => join(root, path));
  const filter = textAt(input, "glob");
  return paths
    .filter(
      (path) =>
        filter === undefined ||
        matchesGlob(relative(root, path), filter) ||
        matchesGlob(relative(root, path), `**/${filter}`),
    )
    .sort()
    .flatMap((path) => {
      const text = readFileSync(path, "utf8");
      if (text.includes("\u0000")) return [];
      const file = relative(session.cwd, path);
      return text
        .split("\n")
        .flatMap((line, at) => (expression.test(line) ? [{ file, line: at + 1, text: line }] : []));
    });
};
