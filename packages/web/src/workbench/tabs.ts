// The tabs, in their order. Each is fetched when it is first shown.

import { later } from "../parts/later.tsx";
import type { Tab } from "./tab.ts";
import { TAB_WORDS } from "./tab-words.ts";

export const TABS: readonly Tab[] = [
  {
    id: "changes",
    title: TAB_WORDS.changes,
    badge: ({ changes, files }) => changes?.files ?? Object.keys(files).length,
    View: later(async () => (await import("./changes/changes-tab.tsx")).ChangesTab),
  },
  {
    id: "git",
    title: TAB_WORDS.git,
    View: later(async () => (await import("./git/git-tab.tsx")).GitTab),
  },
  {
    id: "files",
    title: TAB_WORDS.files,
    View: later(async () => (await import("./files/files-tab.tsx")).FilesTab),
  },
  {
    id: "tasks",
    title: TAB_WORDS.tasks,
    badge: ({ todos }) => todos.filter(({ status }) => status !== "completed").length,
    View: later(async () => (await import("./tasks/tasks-tab.tsx")).TasksTab),
  },
  {
    id: "background",
    title: TAB_WORDS.background,
    badge: ({ tasks }) => tasks.filter(({ endedAt }) => endedAt === undefined).length,
    View: later(async () => (await import("./background/background-tab.tsx")).BackgroundTab),
  },
  {
    id: "context",
    title: TAB_WORDS.context,
    View: later(async () => (await import("./context/context-tab.tsx")).ContextTab),
  },
  {
    id: "cost",
    title: TAB_WORDS.cost,
    View: later(async () => (await import("./cost/cost-tab.tsx")).CostTab),
  },
  {
    id: "mcp",
    title: TAB_WORDS.mcp,
    badge: ({ servers }) =>
      new Set(servers.flatMap(({ name, status }) => (status === "failed" || status === "needs-auth" ? [name] : [])))
        .size,
    View: later(async () => (await import("./mcp/mcp-tab.tsx")).McpTab),
  },
  {
    id: "hooks",
    title: TAB_WORDS.hooks,
    View: later(async () => (await import("./hooks/hooks-tab.tsx")).HooksTab),
  },
  {
    id: "wire",
    title: TAB_WORDS.wire,
    View: later(async () => (await import("./wire/wire-tab.tsx")).WireTab),
  },
  {
    id: "settings",
    title: TAB_WORDS.settings,
    View: later(async () => (await import("./settings/settings-tab.tsx")).SettingsTab),
  },
  {
    id: "overview",
    title: TAB_WORDS.overview,
    View: later(async () => (await import("./overview-tab.tsx")).OverviewTab),
  },
];
