// Code that the first screen does not need. It is fetched after the first screen, before a person needs it.

import { later } from "../parts/later.tsx";
import { loadCompare } from "../content/diff/use-compare.ts";
import { loadHealing } from "../content/markdown/tokens.ts";
import { prefetchRows } from "./row-view.tsx";
import { PromptEditor } from "./rows/prompt.tsx";
import { prefetchCards } from "./tools/tool-view.tsx";

export const FindBar = later(async () => (await import("./find-bar.tsx")).FindBar);
export const RowMenu = later(async () => (await import("./row-menu.tsx")).RowMenu);
export const RawDialog = later(async () => (await import("./raw-dialog.tsx")).RawDialog);

const AFTER_MS = 500;
let isAsked = false;

export const prefetchExtras = (): void => {
  if (isAsked) return;
  isAsked = true;
  setTimeout(() => {
    // Without it, a person sees half-written Markdown marks until their block is complete.
    loadHealing().catch(() => undefined);
    void loadCompare();
    prefetchCards();
    prefetchRows();
    PromptEditor.prefetch();
    FindBar.prefetch();
    RowMenu.prefetch();
    RawDialog.prefetch();
  }, AFTER_MS);
};
