// What every tab of the workbench is. A new tab is one module with a view, and one line in tabs.ts.

import type { Head, SessionView } from "@quarterdeck/client";
import type { Later } from "../parts/later.tsx";
import type { BenchTarget } from "../store/workbench.ts";
import type { TAB_WORDS } from "./tab-words.ts";

export interface TabProps {
  readonly view: SessionView;
  /** `beside` the conversation, `wide` in its place, or a `sheet` over the page. */
  readonly place: "beside" | "wide" | "sheet";
  /** What this tab was last asked to show. */
  readonly target: BenchTarget | undefined;
}

export interface Tab {
  /** Its keys are those of `tab.<id>` in keys/key-table.ts. */
  readonly id: keyof typeof TAB_WORDS;
  readonly title: string;
  /** A count beside the title. */
  readonly badge?: (head: Head) => number;
  readonly View: Later<TabProps>;
}
