// Variables that a person gives to the sessions in a folder, and below it. One private file of the data folder, always
// replaced as a whole. It is read at every start of a session, so the command line may change it while a server runs.

import { mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { isRecord } from "@quarterdeck/protocol";
import { HostError } from "../host-error.ts";
import { FileError, isInside, readRegularSync } from "../trust/contained-file.ts";

/** By folder, then by name. */
export type VariablesByFolder = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface ProjectVariables {
  all(): VariablesByFolder;
  /** What a session in this folder gets. An inner folder wins over an outer one. */
  of(cwd: string): Readonly<Record<string, string>>;
  /** Undefined removes it. Returns whether something changed. */
  set(folder: string, name: string, value: string | undefined): boolean;
}

const MOST_BYTES = 4 * 1024 * 1024;
/** Linux starts no program with a longer one, the name included. */
const LONGEST = 100_000;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/u;

export const openProjectVariables = (path: string): ProjectVariables => {
  const all = (): VariablesByFolder => readVariables(path);
  return {
    all,
    of: (cwd) => {
      const here = realOf(cwd);
      const around = Object.entries(all()).filter(([folder]) => isInside(here, folder));
      const outerFirst = around.toSorted(([a], [b]) => a.length - b.length);
      return Object.assign({}, ...outerFirst.map(([, variables]) => variables)) as Record<string, string>;
    },
    set: (folder, name, value) => {
      mustBeVariable(name, value ?? "");
      if (!isAbsolute(folder)) throw new HostError("invalid-options", `${folder} is not an absolute path.`);
      const at = realOf(folder);
      const before = all();
      const { [name]: old, ...others } = before[at] ?? {};
      if (old === value) return false;
      const { [at]: _, ...elsewhere } = before;
      const here = value === undefined ? others : { ...others, [name]: value };
      write(path, Object.keys(here).length === 0 ? elsewhere : { ...elsewhere, [at]: here });
      return true;
    },
  };
};

/** A folder that is gone keeps its variables under its old name. */
const realOf = (folder: string): string => {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
};

const write = (path: string, variables: VariablesByFolder): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${String(process.pid)}.new`;
  writeFileSync(draft, `${JSON.stringify(variables, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(draft, path);
};

const readVariables = (path: string): VariablesByFolder => {
  let text: string;
  try {
    text = readRegularSync(path, MOST_BYTES).toString("utf8");
  } catch (error) {
    if (error instanceof FileError && error.problem === "missing") return {};
    throw error;
  }
  try {
    const read: unknown = JSON.parse(text);
    if (!isRecord(read)) throw new HostError("invalid-options", "It must be an object with a folder for each key.");
    for (const variables of Object.values(read)) {
      if (!isRecord(variables)) throw new HostError("invalid-options", "Each folder must have an object of variables.");
      for (const [name, value] of Object.entries(variables)) mustBeVariable(name, value);
    }
    return read as VariablesByFolder;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HostError(
      "invalid-options",
      `${path} cannot be read, so nobody knows the variables of your folders. Repair the file, or delete it. ${why}`,
      { path },
      { cause: error },
    );
  }
};

const mustBeVariable = (name: string, value: unknown): void => {
  const refuse = (why: string): never => {
    throw new HostError("invalid-options", why);
  };
  if (!NAME.test(name))
    refuse("The name of a variable has only letters, digits and _, and does not begin with a digit.");
  if (name.startsWith("QUARTERDECK_")) refuse("Names that begin with QUARTERDECK_ are our own.");
  if (typeof value !== "string") refuse(`The value of ${name} must be text.`);
  else if (value.includes("\0")) refuse(`The value of ${name} contains a zero character.`);
  else if (value.length > LONGEST) refuse(`The value of ${name} is longer than ${LONGEST} characters.`);
};
