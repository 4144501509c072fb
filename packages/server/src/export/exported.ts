// The data of an export.

import type { Head, Row } from "@quarterdeck/session";

export interface Exported {
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  readonly createdAt: number;
  readonly head: Head;
  /** In order. */
  readonly rows: Iterable<Row>;
}
