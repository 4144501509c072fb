// The data of an export.

import type { Head } from "@quarterdeck/session";
import type { RowWords } from "./row-words.ts";

export interface Exported {
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  readonly createdAt: number;
  readonly head: Head;
  /** In order. They can be read more than once. */
  readonly rows: Iterable<RowWords>;
}
