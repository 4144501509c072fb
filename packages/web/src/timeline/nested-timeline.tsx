// A conversation inside a card, with its own list and scroll area. Several agents can work at once without moving other rows.

import { useState } from "react";
import type { Row } from "@quarterdeck/client";
import { EntryBook } from "./entries.ts";
import { useScope } from "./scope.tsx";
import { VirtualList } from "./virtual-list.tsx";

const NO_DRAFTS: readonly never[] = [];

export const NestedTimeline = ({ rows, label }: { readonly rows: readonly Row[]; readonly label: string }) => {
  const { renderEntry } = useScope();
  const [book] = useState(() => new EntryBook());
  return <VirtualList entries={book.entries(rows, NO_DRAFTS)} render={renderEntry} label={label} className="nested" />;
};
