// Read, Write, Edit and NotebookEdit on real files. They remember what the model has seen of a file.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { dirname, extname } from "node:path";
import { isRecord, listAt, parseJson, recordAt, textAt } from "../json.ts";
import type { Json } from "../json.ts";
import { absolute } from "../shell-command.ts";
import { structuredPatch } from "./diff.ts";
import { ToolFailure } from "./tool.ts";
import type { Session, Tool, ToolOutcome } from "../session-contract.ts";

const IMAGES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};
const CURRENT = " (file state is current in your context — no need to Read it back)";
const STALE =
  " (note: the file had been modified on disk since you last read it — the edit applied cleanly, but the file contains other changes not in your context. Read it before edits that depend on surrounding content.)";

const pathAt = (input: Json, key: string, session: Session): string => absolute(textAt(input, key) ?? "", session.cwd);

const missing = (session: Session): string =>
  `File does not exist. Note: your current working directory is ${session.cwd}.`;

const withFullPath =
  (key: string) =>
  (input: Json, session: Session): Json => ({ ...input, [key]: pathAt(input, key, session) });

export const read: Tool = {
  params: { file_path: "string", offset: "number?", limit: "number?", pages: "string?" },
  isParallel: () => true,
  run: (input, { session }) => {
    session.output.pass("tool");
    const path = pathAt(input, "file_path", session);
    if (!existsSync(path)) throw new ToolFailure(missing(session));
    if (statSync(path).isDirectory()) {
      throw new ToolFailure(`EISDIR: illegal operation on a directory, read '${path}'`);
    }
    session.seen.set(path, statSync(path).mtimeMs);
    const media = IMAGES[extname(path).toLowerCase()];
    if (media !== undefined) return readImage(path, media);
    if (path.endsWith(".ipynb")) return readNotebook(path);
    return readText(path, input);
  },
};

const readText = (path: string, input: Json): ToolOutcome => {
  const text = readFileSync(path, "utf8");
  const lines = text.split("\n");
  const startLine = typeof input.offset === "number" ? Math.max(1, input.offset) : 1;
  const limit = typeof input.limit === "number" ? input.limit : 2000;
  const shown = lines.slice(startLine - 1, startLine - 1 + limit);
  return {
    content:
      text === ""
        ? "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
        : shown.map((line, at) => `${String(startLine + at)}\t${line}`).join("\n"),
    result: {
      type: "text",
      file: {
        filePath: path,
        content: shown.join("\n"),
        numLines: shown.length,
        startLine,
        totalLines: lines.length,
      },
    },
  };
};

const readImage = (path: string, media: string): ToolOutcome => {
  const bytes = readFileSync(path);
  const data = bytes.toString("base64");
  const isPng = media === "image/png" && bytes.length > 24;
  const width = isPng ? bytes.readUInt32BE(16) : 1;
  const height = isPng ? bytes.readUInt32BE(20) : 1;
  return {
    content: [{ type: "image", source: { type: "base64", data, media_type: media } }],
    result: {
      type: "image",
      file: {
        base64: data,
        type: media,
        originalSize: bytes.length,
        dimensions: { originalWidth: width, originalHeight: height, displayWidth: width, displayHeight: height },
      },
    },
  };
};

const sourceOf = ({ source }: Json): string =>
  Array.isArray(source) ? source.join("") : typeof source === "string" ? source : "";

const readNotebook = (path: string): ToolOutcome => {
  const notebook = parseJson(readFileSync(path, "utf8"));
  if (!isRecord(notebook)) throw new ToolFailure("Notebook is not valid JSON.");
  const language = textAt(recordAt(recordAt(notebook, "metadata"), "language_info"), "name") ?? "python";
  const cells = listAt(notebook, "cells")
    .filter(isRecord)
    .map((cell, at) => ({
      cellType: textAt(cell, "cell_type") ?? "code",
      source: sourceOf(cell),
      ...(typeof cell.execution_count === "number" ? { execution_count: cell.execution_count } : {}),
      cell_id: textAt(cell, "id") ?? `cell-${String(at)}`,
      ...(cell.cell_type === "code" ? { language } : {}),
    }));
  return {
    content: [
      {
        text: cells.map(({ cell_id, source }) => `<cell id="${cell_id}">${source}</cell id="${cell_id}">`).join("\n"),
        type: "text",
      },
    ],
    result: { type: "notebook", file: { filePath: path, cells } },
  };
};

export const write: Tool = {
  params: { file_path: "string", content: "string" },
  normalize: withFullPath("file_path"),
  run: (input, { session }) => {
    session.output.pass("tool");
    const named = textAt(input, "file_path") ?? "";
    const path = pathAt(input, "file_path", session);
    const content = textAt(input, "content") ?? "";
    const original = existsSync(path) ? readFileSync(path, "utf8") : null;
    put(session, path, content, original);
    return {
      content:
        original === null
          ? `File created successfully at: ${named}${CURRENT}`
          : `The file ${named} has been updated successfully.${CURRENT}`,
      result: {
        type: original === null ? "create" : "update",
        filePath: named,
        content,
        structuredPatch: original === null ? [] : structuredPatch(original, content),
        originalFile: original,
        userModified: false,
      },
    };
  },
};

export const edit: Tool = {
  params: { file_path: "string", old_string: "string", new_string: "string", replace_all: "boolean?" },
  normalize: (input, session) => {
    const { file_path: _, old_string, new_string, replace_all } = input;
    return {
      file_path: pathAt(input, "file_path", session),
      old_string,
      new_string,
      replace_all: replace_all ?? false,
    };
  },
  check: (input, session) => {
    const path = pathAt(input, "file_path", session);
    const wanted = textAt(input, "old_string") ?? "";
    if (!existsSync(path)) return wanted === "" ? undefined : missing(session);
    if (wanted === textAt(input, "new_string")) {
      return "No changes to make: old_string and new_string are exactly the same.";
    }
    const count = occurrences(readFileSync(path, "utf8"), wanted);
    if (count === 0) return `String to replace not found in file.\nString: ${wanted}`;
    if (count > 1 && input.replace_all !== true) {
      return `Found ${String(count)} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: ${wanted}`;
    }
    return undefined;
  },
  run: (input, { session }) => {
    session.output.pass("tool");
    const named = textAt(input, "file_path") ?? "";
    const path = pathAt(input, "file_path", session);
    const oldString = textAt(input, "old_string") ?? "";
    const newString = textAt(input, "new_string") ?? "";
    const all = input.replace_all === true;
    const isNew = !existsSync(path);
    const original = isNew ? "" : readFileSync(path, "utf8");
    if (!isNew && occurrences(original, oldString) === 0) {
      throw new ToolFailure(`String to replace not found in file.\nString: ${oldString}`);
    }
    const updated = isNew
      ? newString
      : all
        ? original.split(oldString).join(newString)
        : original.replace(oldString, () => newString);
    const seenAt = session.seen.get(path);
    const isStale = seenAt !== undefined && !isNew && statSync(path).mtimeMs !== seenAt;
    const isCurrent = isNew || (seenAt !== undefined && !isStale);
    put(session, path, updated, isNew ? null : original, isCurrent);
    const done = all
      ? "has been updated. All occurrences were successfully replaced."
      : "has been updated successfully.";
    return {
      content: `The file ${named} ${done}${isStale ? STALE : isCurrent ? CURRENT : ""}`,
      result: {
        filePath: named,
        oldString,
        newString,
        originalFile: original,
        structuredPatch: structuredPatch(original, updated),
        userModified: false,
        replaceAll: all,
        ...(isStale ? { staleRecovered: true } : {}),
        ...(isCurrent ? {} : { contentNotInModelContext: true }),
      },
    };
  },
};

export const notebookEdit: Tool = {
  params: {
    notebook_path: "string",
    new_source: "string",
    cell_id: "string?",
    cell_type: "string?",
    edit_mode: "string?",
  },
  normalize: withFullPath("notebook_path"),
  check: (input, session) => {
    const path = pathAt(input, "notebook_path", session);
    if (!path.endsWith(".ipynb")) return "File must be a Jupyter notebook (.ipynb file).";
    if (!existsSync(path)) return missing(session);
    return session.seen.has(path) ? undefined : "File has not been read yet. Read it first before writing to it.";
  },
  run: (input, { session }) => {
    session.output.pass("tool");
    const path = pathAt(input, "notebook_path", session);
    const original = readFileSync(path, "utf8");
    const notebook = parseJson(original);
    if (!isRecord(notebook)) throw new ToolFailure("Notebook is not valid JSON.");
    const cells = [...listAt(notebook, "cells").filter(isRecord)];
    const cellId = textAt(input, "cell_id");
    const mode = textAt(input, "edit_mode") ?? "replace";
    const at = cellId === undefined ? -1 : cells.findIndex((cell) => cell.id === cellId);
    if (mode !== "insert" && at < 0) throw new ToolFailure(`Cell with ID "${cellId ?? ""}" not found in notebook.`);
    const source = textAt(input, "new_source") ?? "";
    const old = cells[at];
    const type = textAt(input, "cell_type") ?? textAt(old, "cell_type") ?? "code";
    let editedId = cellId;
    if (mode === "delete") cells.splice(at, 1);
    else if (mode === "insert") {
      editedId = randomUUID().slice(0, 8);
      cells.splice(at + 1, 0, newCellOf(type, editedId, source));
    } else {
      cells[at] = {
        ...old,
        source,
        cell_type: type,
        ...(type === "code" ? { outputs: [], execution_count: null } : {}),
      };
    }
    const updated = JSON.stringify({ ...notebook, cells }, null, 1);
    put(session, path, updated, original);
    const verb = mode === "insert" ? "Inserted" : mode === "delete" ? "Deleted" : "Updated";
    return {
      content: `${verb} cell ${editedId ?? ""} with ${source}`,
      result: {
        new_source: source,
        ...(mode === "insert" || old === undefined ? {} : { old_source: sourceOf(old) }),
        cell_type: type,
        language: textAt(recordAt(recordAt(notebook, "metadata"), "language_info"), "name") ?? "python",
        edit_mode: mode,
        cell_id: editedId ?? "",
        error: "",
        notebook_path: path,
        original_file: original,
        updated_file: updated,
      },
    };
  },
};

const newCellOf = (type: string, id: string, source: string): Json =>
  type === "code"
    ? { cell_type: type, id, source, metadata: {}, execution_count: null, outputs: [] }
    : { cell_type: type, id, source, metadata: {} };

const occurrences = (text: string, part: string): number => (part === "" ? 0 : text.split(part).length - 1);

const put = (session: Session, path: string, content: string, original: string | null, remember = true): void => {
  session.checkpoints.keep(path, original);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  if (remember) session.seen.set(path, statSync(path).mtimeMs);
  for (const { lines } of structuredPatch(original ?? "", content)) {
    session.ledger.linesAdded += lines.filter((line) => line.startsWith("+")).length;
    session.ledger.linesRemoved += lines.filter((line) => line.startsWith("-")).length;
  }
};
