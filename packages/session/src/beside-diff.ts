// A diff shows what a file becomes, but not every field of the request. The page and the terminal show these fields next to the diff.

import { isRecord } from "@quarterdeck/protocol";

type Fields = Readonly<Record<string, unknown>>;

/** By tool: the fields whose whole meaning is in the diff. */
const IN_DIFF: Readonly<Record<string, ReadonlySet<string>>> = {
  Write: new Set(["content"]),
  Edit: new Set(["old_string", "new_string"]),
  MultiEdit: new Set(["old_string", "new_string"]),
  NotebookEdit: new Set(["new_source"]),
};

/** The tools whose change can be shown as a diff. */
export const hasDiff = (tool: string): boolean => Object.hasOwn(IN_DIFF, tool);

export const fieldsBesideDiff = (tool: string, input: Fields): Fields => {
  const told = hasDiff(tool) ? IN_DIFF[tool]! : new Set<string>();
  if (tool !== "MultiEdit") return without(input, told);
  const { edits } = input;
  if (!Array.isArray(edits)) return input;
  const rest = edits.map((edit: unknown) => (isRecord(edit) ? without(edit, told) : edit));
  const isTold = rest.every((edit) => isRecord(edit) && Object.keys(edit).length === 0);
  return isTold ? without(input, new Set(["edits"])) : { ...input, edits: rest };
};

const without = (fields: Fields, names: ReadonlySet<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
