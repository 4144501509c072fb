// A session on its way into a file.

import type { Head, Row } from "@quarterdeck/session";

/** What an export is made of. */
export interface Exported {
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  readonly createdAt: number;
  readonly head: Head;
  /** In order. */
  readonly rows: Iterable<Row>;
}
