// The tabs, in their order. Each is fetched when it is first shown.

import { later } from "../parts/later.tsx";
import type { Tab } from "./tab.ts";

export const TABS: readonly Tab[] = [
  {
    id: "changes",
    title: "Changes",
    key: "C",
    badge: ({ changes, files }) => changes?.files ?? Object.keys(files).length,
    View: later(async () => (await import("./changes/changes.tsx")).Changes),
  },
  {
    id: "git",
    title: "Git",
    key: "G",
    View: later(async () => (await import("./git/git.tsx")).GitTab),
  },
  {
    id: "files",
    title: "Files",
    key: "F",
    View: later(async () => (await import("./files/files.tsx")).Files),
  },
  {
    id: "overview",
    title: "Overview",
    key: "O",
    badge: ({ todos }) => todos.filter(({ status }) => status !== "completed").length,
    View: later(async () => (await import("./overview.tsx")).Overview),
  },
];

/** The tab that the key after G means. */
export const tabOfKey = (key: string): Tab | undefined =>
  TABS.find((tab) => tab.key.toLowerCase() === key.toLowerCase());
