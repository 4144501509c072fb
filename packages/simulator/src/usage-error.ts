// A wrong call of the simulator's own commands: one line on stderr, with exit code 2. What the CLI itself would refuse
// is a `Refusal` of `options`, in the CLI's words and with its exit code.
import { readFileSync } from "node:fs";

export class UsageError extends Error {}

/** The text of a file that the caller named. */
export const readGivenFile = (what: string, path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new UsageError(`Cannot read the ${what} '${path}': ${REASONS[code] ?? String(error)}.`);
  }
};

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
};
