// The tabs, in their order. Each is fetched when it is first shown.

import { later } from "../parts/later.tsx";
import type { Tab } from "./tab.ts";

export const TABS: readonly Tab[] = [
  {
    id: "changes",
    title: "Changes",
    badge: ({ changes, files }) => changes?.files ?? Object.keys(files).length,
    View: later(async () => (await import("./changes/changes.tsx")).Changes),
  },
  {
    id: "git",
    title: "Git",
    View: later(async () => (await import("./git/git.tsx")).GitTab),
  },
  {
    id: "files",
    title: "Files",
    View: later(async () => (await import("./files/files.tsx")).Files),
  },
  {
    id: "tasks",
    title: "Tasks",
    badge: ({ todos }) => todos.filter(({ status }) => status !== "completed").length,
    View: later(async () => (await import("./tasks/tasks.tsx")).Tasks),
  },
  {
    id: "background",
    title: "Background",
    badge: ({ tasks }) => tasks.filter(({ endedAt }) => endedAt === undefined).length,
    View: later(async () => (await import("./background/background.tsx")).Background),
  },
  {
    id: "context",
    title: "Context",
    View: later(async () => (await import("./context/context.tsx")).Context),
  },
  {
    id: "cost",
    title: "Cost",
    View: later(async () => (await import("./cost/cost.tsx")).Cost),
  },
  {
    id: "mcp",
    title: "MCP",
    badge: ({ servers }) =>
      new Set(servers.flatMap(({ name, status }) => (status === "failed" || status === "needs-auth" ? [name] : [])))
        .size,
    View: later(async () => (await import("./mcp/mcp.tsx")).Mcp),
  },
  {
    id: "hooks",
    title: "Hooks",
    View: later(async () => (await import("./hooks/hooks.tsx")).Hooks),
  },
  {
    id: "wire",
    title: "Wire",
    View: later(async () => (await import("./wire/wire.tsx")).Wire),
  },
  {
    id: "settings",
    title: "Settings",
    View: later(async () => (await import("./settings/settings.tsx")).Settings),
  },
  {
    id: "overview",
    title: "Overview",
    View: later(async () => (await import("./overview.tsx")).Overview),
  },
];
