// All actions, in one list. Loaded with the palette, or with the first key that needs one.

import type { Client, SessionView } from "@quarterdeck/client";
import { isRunning } from "@quarterdeck/client/content";
import { toast, toastError } from "../parts/toast.tsx";
import { sessionMenu } from "../sessions/session-commands.ts";
import { clearTo, showCleared } from "../store/cleared.ts";
import { may } from "../store/may.ts";
import { go, hrefOf, rulesHref } from "../store/route.ts";
import { changeSettings, type Settings } from "../store/settings.ts";
import { openSurface, type SettingsTab } from "../store/surfaces.ts";
import { openFindBar } from "../store/find-bar.ts";
import { closeBench, openBench, showInBench, uncover } from "../store/workbench.ts";
import { TABS } from "../workbench/tabs.ts";
import type { Action, ActionContext } from "./action.ts";
import { openSearch } from "./open-search.ts";

const isOpen = ({ view }: ActionContext): boolean => view !== undefined && view.snapshot.status !== "failed";

/** Hides what is shown, in this page only. Never `/clear`. */
const clearView = async (view: SessionView): Promise<void> => {
  if (view.snapshot.moreAfter) await view.loadEnd();
  const last = view.snapshot.rows.at(-1)?.order;
  if (last === undefined) return;
  clearTo(view.id, last);
  toast("View cleared. The conversation itself is unchanged.", {
    action: { label: "Undo", run: () => showCleared(view.id) },
  });
};

const benchIsOpen = (): boolean => document.querySelector(".bench") !== null;

const PAGE: readonly Action[] = [
  {
    id: "session.stop",
    title: "Stop the turn",
    kind: "session",
    icon: "stop",
    when: ({ client, view }) =>
      view !== undefined && isRunning(view.snapshot.head.phase) && may(client, "session/interrupt"),
    run: ({ client, view }) =>
      void client.command("session/interrupt", { session: view!.id, holdQueue: true }).catch(toastError),
  },
  {
    id: "view.clear",
    title: "Clear the view",
    about: "Hides earlier messages in this page; the conversation is unchanged",
    kind: "session",
    icon: "close",
    when: ({ view }) => view !== undefined && view.snapshot.rows.length > 0,
    run: ({ view }) => void clearView(view!).catch(toastError),
  },
  {
    id: "composer.focus",
    title: "Write a message",
    kind: "session",
    icon: "note",
    when: () => document.querySelector("#composer") !== null,
    run: () => document.querySelector<HTMLElement>("#composer")?.focus(),
  },
  {
    id: "find.rows",
    title: "Find in this session",
    kind: "session",
    icon: "search",
    when: isOpen,
    run: () => {
      // The conversation may be under a sheet.
      uncover();
      openFindBar();
    },
  },
  {
    id: "permissions",
    title: "Permission rules of this session",
    kind: "session",
    icon: "shield",
    when: isOpen,
    run: ({ view }) => openSurface({ kind: "permissions", session: view!.id }),
  },
  {
    id: "bench.toggle",
    title: "Show or hide the workbench",
    kind: "session",
    icon: "side",
    when: isOpen,
    run: () => (benchIsOpen() ? closeBench() : openBench()),
  },
  {
    id: "session.new",
    title: "New session",
    kind: "page",
    icon: "plus",
    when: ({ client }) => may(client, "sessions/start"),
    run: () => openSurface({ kind: "start" }),
  },
  {
    id: "resume",
    title: "Resume a session",
    about: "also one of a terminal",
    kind: "page",
    icon: "terminal",
    run: () => openSurface({ kind: "resume" }),
  },
  { id: "home", title: "Home", kind: "page", icon: "helm", run: () => go(hrefOf()) },
  {
    id: "rules",
    title: "Rules",
    about: "permission rules of all folders",
    kind: "page",
    icon: "shield",
    run: () => go(rulesHref()),
  },
  {
    id: "audit",
    title: "Audit",
    about: "who allowed what",
    kind: "page",
    icon: "shield",
    run: () => go(rulesHref({}, true)),
  },
  { id: "search", title: "Search all conversations", kind: "page", icon: "search", run: () => openSearch("") },
  {
    id: "help",
    title: "Help",
    about: "commands, tools, skills, agents, versions",
    kind: "page",
    icon: "note",
    run: () => openSurface({ kind: "help" }),
  },
  {
    id: "keys",
    title: "Keyboard shortcuts",
    about: "see and change keys",
    kind: "page",
    icon: "note",
    run: () => openSurface({ kind: "keys" }),
  },
  { id: "settings", title: "Settings", kind: "page", icon: "gear", run: () => openSurface({ kind: "settings" }) },
];

/** What the menu of a session has. */
const ofSession = ({ client, summary }: ActionContext): readonly Action[] =>
  summary === undefined
    ? []
    : sessionMenu(client, summary)
        .filter(({ disabled }) => disabled !== true)
        .map(({ id, label, detail, icon, run }) => ({
          id: `session.${id}`,
          title: label,
          ...(detail !== undefined && { about: detail }),
          kind: "session",
          icon: icon ?? "file",
          run,
        }));

const ofTabs = (context: ActionContext): readonly Action[] =>
  !isOpen(context)
    ? []
    : TABS.map(({ id, title, badge }) => {
        const count = badge?.(context.view!.snapshot.head) ?? 0;
        return {
          id: `tab.${id}`,
          title,
          about: count > 0 ? `workbench · ${count}` : "workbench",
          kind: "session",
          icon: "side",
          run: () => showInBench({ tab: id }),
        };
      });

const SETTING_TABS: readonly (readonly [SettingsTab, string])[] = [
  ["look", "Appearance"],
  ["notify", "Notifications"],
  ["devices", "Devices"],
  ["about", "About this server"],
];

type Choice = readonly [title: string, change: Partial<Settings>];
const CHOICES: readonly Choice[] = [
  ["Theme: system", { theme: "system" }],
  ["Theme: dark", { theme: "dark" }],
  ["Theme: light", { theme: "light" }],
  ["Density: comfortable", { density: "comfortable" }],
  ["Density: compact", { density: "compact" }],
  ["Text size: small", { size: "small" }],
  ["Text size: normal", { size: "normal" }],
  ["Text size: large", { size: "large" }],
  ["Text size: larger", { size: "larger" }],
  ["Enter key: send", { enter: "sends" }],
  ["Enter key: new line", { enter: "breaks" }],
];

const SETTINGS: readonly Action[] = [
  ...SETTING_TABS.map(([tab, title]): Action => ({
    id: `settings.${tab}`,
    title,
    about: "settings",
    kind: "setting",
    icon: "gear",
    run: () => openSurface({ kind: "settings", tab }),
  })),
  ...CHOICES.map(([title, change]): Action => ({
    id: `setting.${JSON.stringify(change)}`,
    title,
    about: "this browser",
    kind: "setting",
    icon: "gear",
    run: () => changeSettings(change),
  })),
];

/** What can be done now. Other parts add a list here. */
export const actionsFor = (context: ActionContext): readonly Action[] =>
  [...ofTabs(context), ...ofSession(context), ...PAGE, ...SETTINGS].filter(({ when }) => when?.(context) !== false);

export const contextOf = (client: Client, view: SessionView | undefined): ActionContext => ({
  client,
  view,
  summary: view && client.sessions.snapshot.sessions.find(({ id }) => id === view.id),
});

/** What a key asks for. An action that does not apply now does nothing. */
export const runAction = (id: string, client: Client, view: SessionView | undefined): void => {
  const context = contextOf(client, view);
  actionsFor(context)
    .find((action) => action.id === id)
    ?.run(context);
};
