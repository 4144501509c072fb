// All actions, in one list. Loaded with the palette, or with the first key that needs one.

import type { Client, SessionView } from "@quarterdeck/client";
import { isRunning } from "@quarterdeck/client/content";
import { toast, toastError } from "../parts/toast.tsx";
import { sessionMenu } from "../sessions/session-commands.ts";
import { clearTo, showCleared } from "../store/cleared.ts";
import { may } from "../store/may.ts";
import { go, hrefOf, rulesHref } from "../store/route.ts";
import { changeSettings, type Settings } from "../store/settings.ts";
import { openSurface, type SettingsDialogTab } from "../store/surfaces.ts";
import { openFindBar } from "../store/find-bar.ts";
import { closeBench, openBench, showInBench, uncover } from "../store/workbench.ts";
import { TABS } from "../workbench/tabs.ts";
import type { Action, ActionContext } from "./action.ts";
import { openSearch } from "./open-search.ts";
import { WORDS } from "./words.ts";
import { stopTurn } from "../composer/stopping.ts";

const isOpen = ({ view }: ActionContext): boolean => view !== undefined && view.snapshot.status !== "failed";

/** Hides what is shown, in this page only. Never `/clear`. */
const clearView = async (view: SessionView): Promise<void> => {
  if (view.snapshot.moreAfter) await view.loadEnd();
  const last = view.snapshot.rows.at(-1)?.order;
  if (last === undefined) return;
  clearTo(view.id, last);
  toast(WORDS.cleared, {
    action: { label: WORDS.undo, run: () => showCleared(view.id) },
  });
};

const benchIsOpen = (): boolean => document.querySelector(".bench") !== null;

const PAGE: readonly Action[] = [
  {
    id: "session.stop",
    title: WORDS.stop,
    kind: "session",
    icon: "stop",
    when: ({ client, view }) =>
      view !== undefined && isRunning(view.snapshot.head.phase) && may(client, "session/interrupt"),
    run: ({ client, view }) => void stopTurn(client, view!.id).catch(() => undefined),
  },
  {
    id: "view.clear",
    title: WORDS.clear,
    about: WORDS.clearAbout,
    kind: "session",
    icon: "close",
    when: ({ view }) => view !== undefined && view.snapshot.rows.length > 0,
    run: ({ view }) => void clearView(view!).catch(toastError),
  },
  {
    id: "composer.focus",
    title: WORDS.write,
    kind: "session",
    icon: "note",
    when: () => document.querySelector("#composer") !== null,
    run: () => document.querySelector<HTMLElement>("#composer")?.focus(),
  },
  {
    id: "find.rows",
    title: WORDS.find,
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
    title: WORDS.permissions,
    kind: "session",
    icon: "shield",
    when: isOpen,
    run: ({ view }) => openSurface({ kind: "permissions", session: view!.id }),
  },
  {
    id: "bench.toggle",
    title: WORDS.bench,
    kind: "session",
    icon: "side",
    when: isOpen,
    run: () => (benchIsOpen() ? closeBench() : openBench()),
  },
  {
    id: "session.new",
    title: WORDS.new,
    kind: "page",
    icon: "plus",
    when: ({ client }) => may(client, "sessions/start"),
    run: () => openSurface({ kind: "start" }),
  },
  {
    id: "resume",
    title: WORDS.resume,
    about: WORDS.resumeAbout,
    kind: "page",
    icon: "terminal",
    run: () => openSurface({ kind: "resume" }),
  },
  { id: "home", title: WORDS.home, kind: "page", icon: "helm", run: () => go(hrefOf()) },
  {
    id: "rules",
    title: WORDS.rules,
    about: WORDS.rulesAbout,
    kind: "page",
    icon: "shield",
    run: () => go(rulesHref()),
  },
  {
    id: "audit",
    title: WORDS.audit,
    about: WORDS.auditAbout,
    kind: "page",
    icon: "shield",
    run: () => go(rulesHref({}, true)),
  },
  { id: "search", title: WORDS.search, kind: "page", icon: "search", run: () => openSearch("") },
  {
    id: "help",
    title: WORDS.help,
    about: WORDS.helpAbout,
    kind: "page",
    icon: "note",
    run: () => openSurface({ kind: "help" }),
  },
  {
    id: "keys",
    title: WORDS.keys,
    about: WORDS.keysAbout,
    kind: "page",
    icon: "note",
    run: () => openSurface({ kind: "keys" }),
  },
  { id: "settings", title: WORDS.settings, kind: "page", icon: "gear", run: () => openSurface({ kind: "settings" }) },
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
          about: count > 0 ? `${WORDS.workbench} · ${count}` : WORDS.workbench,
          kind: "session",
          icon: "side",
          run: () => showInBench({ tab: id }),
        };
      });

const SETTING_TABS: readonly (readonly [SettingsDialogTab, string])[] = [
  ["look", WORDS.look],
  ["notify", WORDS.notify],
  ["devices", WORDS.devices],
  ["about", WORDS.about],
];

type SettingChoice = readonly [title: string, change: Partial<Settings>];
const SETTING_CHOICES: readonly SettingChoice[] = [
  [WORDS.system, { theme: "system" }],
  [WORDS.dark, { theme: "dark" }],
  [WORDS.light, { theme: "light" }],
  [WORDS.comfortable, { density: "comfortable" }],
  [WORDS.compact, { density: "compact" }],
  [WORDS.small, { size: "small" }],
  [WORDS.normal, { size: "normal" }],
  [WORDS.large, { size: "large" }],
  [WORDS.larger, { size: "larger" }],
  [WORDS.enterSends, { enter: "sends" }],
  [WORDS.enterBreaks, { enter: "breaks" }],
];

const SETTINGS: readonly Action[] = [
  ...SETTING_TABS.map(([tab, title]): Action => ({
    id: `settings.${tab}`,
    title,
    about: WORDS.settingsAbout,
    kind: "setting",
    icon: "gear",
    run: () => openSurface({ kind: "settings", tab }),
  })),
  ...SETTING_CHOICES.map(([title, change]): Action => ({
    id: `setting.${JSON.stringify(change)}`,
    title,
    about: WORDS.here,
    kind: "setting",
    icon: "gear",
    run: () => changeSettings(change),
  })),
];

/** What can be done now. Other parts add a list here. */
export const actionsFor = (context: ActionContext): readonly Action[] =>
  [...ofTabs(context), ...ofSession(context), ...PAGE, ...SETTINGS].filter(({ when }) => when?.(context) !== false);

export const actionContextOf = (client: Client, view: SessionView | undefined): ActionContext => ({
  client,
  view,
  summary: view && client.sessions.snapshot.sessions.find(({ id }) => id === view.id),
});

/** What a key asks for. An action that does not apply now does nothing. */
export const runAction = (id: string, client: Client, view: SessionView | undefined): void => {
  const context = actionContextOf(client, view);
  actionsFor(context)
    .find((action) => action.id === id)
    ?.run(context);
};
