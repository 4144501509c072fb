// `quarterdeck env`: the variables that sessions in a folder get in addition to the person's own. Names are shown,
// values never.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HostError, openProjectVariables, VARIABLES_FILE } from "@quarterdeck/host";
import { jsonText } from "../terminal/terminal.ts";
import { UsageError, UserError } from "../user-error.ts";

export interface VariablesOptions {
  readonly dataDir: string;
  /** Absolute. */
  readonly folder: string;
  readonly write: (text: string) => void;
  readonly json: boolean;
}

export const listVariables = ({ dataDir, write, json }: VariablesOptions): void => {
  const all = Object.entries(telling(() => openProjectVariables(join(dataDir, VARIABLES_FILE)).all()));
  const names = all.map(([folder, variables]) => ({ folder, names: Object.keys(variables).toSorted() }));
  if (json) write(`${jsonText(names, 2)}\n`);
  else if (names.length === 0) write("No folder has variables of its own. Add one: quarterdeck env set NAME=VALUE\n");
  else for (const at of names) write(`${at.folder}\n${at.names.map((name) => `  ${name}\n`).join("")}`);
};

/** `NAME=VALUE`, or `NAME` alone with the value on stdin, so that a secret stays out of the shell's history. */
export const setVariable = (given: string, options: VariablesOptions): void => {
  const [name = ""] = given.split("=", 1);
  if (name === "") throw new UsageError("env set needs a name: quarterdeck env set NAME=VALUE");
  const value = given.includes("=") ? given.slice(name.length + 1) : fromStdin(name);
  const isNew = changed(options, name, value);
  options.write(
    isNew
      ? `Sessions in ${options.folder} get ${name} from their next start on.\n`
      : `${name} has this value already.\n`,
  );
};

export const unsetVariable = (name: string, options: VariablesOptions): void => {
  if (!changed(options, name, undefined))
    throw new UserError(`${options.folder} has no variable ${name}. quarterdeck env lists them all.`);
  options.write(`Sessions in ${options.folder} no longer get ${name} from us, from their next start on.\n`);
};

const changed = ({ dataDir, folder }: VariablesOptions, name: string, value: string | undefined): boolean =>
  telling(() => openProjectVariables(join(dataDir, VARIABLES_FILE)).set(folder, name, value));

/** One line feed at the end belongs to the shell. */
const fromStdin = (name: string): string => {
  if (process.stdin.isTTY) throw new UsageError(`env set ${name} reads the value from stdin. Or use ${name}=VALUE.`);
  return readFileSync(0, "utf8").replace(/\r?\n$/u, "");
};

const telling = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof HostError) throw new UserError(error.message);
    throw error;
  }
};
