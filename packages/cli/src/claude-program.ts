// Finds the `claude` that the user names or has on the PATH, and the kind of file that contains its code.

import { closeSync, openSync, readSync, statSync } from "node:fs";
import { FindClaudeError, locateClaude } from "@quarterdeck/host/find-claude";
import type { LocatedClaude } from "@quarterdeck/host/find-claude";
import { UserError } from "./user-error.ts";

export interface ClaudeFile extends LocatedClaude {
  readonly size: number;
  readonly kind: "script" | "binary";
}

export const findClaudeFile = (named?: string, searchPath?: string): ClaudeFile => {
  try {
    const located = locateClaude(named, searchPath);
    const kind = isScript(located.file) ? "script" : "binary";
    return { ...located, size: statSync(located.file).size, kind };
  } catch (error) {
    throw error instanceof FindClaudeError ? new UserError(error.message) : error;
  }
};

const isScript = (file: string): boolean => {
  const head = Buffer.alloc(512);
  const descriptor = openSync(file, "r");
  try {
    const read = head.subarray(0, readSync(descriptor, head, 0, head.length, 0));
    return read.subarray(0, 2).toString("latin1") === "#!" || !read.includes(0);
  } finally {
    closeSync(descriptor);
  }
};
