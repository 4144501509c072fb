// Background work of the page. It reports whether a person looks, runs the service worker and offers updates. It keeps
// rows for reading offline, and deletes them when the server has refused this device.

import type { Client } from "@quarterdeck/client";
import { toolTitle, typedText } from "@quarterdeck/client/content";
import { copiedContent } from "@quarterdeck/client/rows";
import type { Row } from "@quarterdeck/client";
import { toast } from "../parts/toast.tsx";
import { go, parseRoute } from "../store/route.ts";
import { sessionTitleOf } from "../words/session-words.ts";
import { clearOffline, saveOffline, type OfflineRow } from "./offline-store.ts";
import { WORDS } from "./words.ts";
import { canHaveWorker, registerWorker, removeWorker, wantsWorker, workerChoice } from "./worker-choice.ts";

const IDLE_MS = 2 * 60_000;
const SAVE_MS = 1500;
const MOST_ROWS = 60;
const MOST_TEXT = 4000;

export const keepPage = (client: Client): (() => void) => {
  const stops = [sayWhetherSomebodyLooks(client), keepRows(client), forgetIfRefused(client)];
  if (canHaveWorker()) stops.push(runWorker(client));
  return () => {
    for (const stop of stops) stop();
  };
};

const sayWhetherSomebodyLooks = (client: Client): (() => void) => {
  let usedAt = Date.now();
  let said: boolean | undefined;
  const say = (): void => {
    if (client.state.status !== "open") {
      said = undefined;
      return;
    }
    const looking = document.visibilityState === "visible" && Date.now() - usedAt < IDLE_MS;
    if (looking === said) return;
    said = looking;
    client.call("notifications/look", { looking }).catch(() => undefined);
  };
  const used = (): void => {
    usedAt = Date.now();
    say();
  };
  const timer = setInterval(say, 10_000);
  const stop = client.onState(say);
  addEventListener("pointerdown", used, true);
  addEventListener("keydown", used, true);
  document.addEventListener("visibilitychange", used);
  say();
  return () => {
    clearInterval(timer);
    stop();
    removeEventListener("pointerdown", used, true);
    removeEventListener("keydown", used, true);
    document.removeEventListener("visibilitychange", used);
  };
};

const runWorker = (client: Client): (() => void) => {
  const onMessage = ({ data }: MessageEvent<unknown>): void => {
    const { go: place } = (data ?? {}) as { go?: unknown };
    if (typeof place === "string" && place.startsWith("#/")) go(place);
  };
  navigator.serviceWorker.addEventListener("message", onMessage);
  let registration: ServiceWorkerRegistration | undefined;
  const start = (): void => {
    if (!wantsWorker()) return;
    void registerWorker().then(
      (registered) => {
        if (registration !== registered) offerUpdates(registered);
        registration = registered;
      },
      () => undefined,
    );
  };
  const lookForUpdate = (): void => void registration?.update().catch(() => undefined);
  const onLook = (): void => {
    if (document.visibilityState === "visible") lookForUpdate();
  };
  start();
  const stop = workerChoice.subscribe(start);
  // A server that is back may be a newer one.
  let wasOpen = client.state.status === "open";
  const stopState = client.onState(() => {
    const isOpen = client.state.status === "open";
    if (isOpen && !wasOpen) lookForUpdate();
    wasOpen = isOpen;
  });
  document.addEventListener("visibilitychange", onLook);
  return () => {
    stop();
    stopState();
    document.removeEventListener("visibilitychange", onLook);
    navigator.serviceWorker.removeEventListener("message", onMessage);
  };
};

/** A new version waits until a person reloads: text that is being written must not get lost. */
const offerUpdates = (registration: ServiceWorkerRegistration): void => {
  const offer = (waiting: ServiceWorker | null): void => {
    if (waiting === null || navigator.serviceWorker.controller === null) return;
    const run = (): void => {
      // Another tab has reloaded already.
      if (waiting.state !== "installed") return location.reload();
      navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
      waiting.postMessage("take over");
    };
    toast(WORDS.newVersion, { action: { label: WORDS.reload, run }, stays: true });
  };
  offer(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => {
      if (installing.state === "installed") offer(installing);
    });
  });
};

const forgetIfRefused = (client: Client): (() => void) => {
  const look = (): void => {
    const { state } = client;
    if (state.status !== "refused" || state.code === "version") return;
    workerChoice.set({ push: false, offline: false });
    void clearOffline().catch(() => undefined);
    if (canHaveWorker()) void removeWorker().catch(() => undefined);
  };
  look();
  return client.onState(look);
};

const keepRows = (client: Client): (() => void) => {
  let view: { readonly id: string; readonly close: () => void } | undefined;
  const follow = (): void => {
    const route = parseRoute(location.hash);
    const id = workerChoice.get().offline && route.screen === "session" ? route.id : undefined;
    if (id === view?.id) return;
    view?.close();
    view = id === undefined ? undefined : keepSession(client, id);
  };
  const stop = workerChoice.subscribe(follow);
  addEventListener("hashchange", follow);
  follow();
  return () => {
    stop();
    removeEventListener("hashchange", follow);
    view?.close();
  };
};

const keepSession = (client: Client, id: string): { readonly id: string; readonly close: () => void } => {
  const view = client.session(id);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = (): void => {
    timer = undefined;
    const summary = client.sessions.snapshot.sessions.find((one) => one.id === id);
    const { status, rows } = view.snapshot;
    // The choice may have ended meanwhile.
    if (summary === undefined || status !== "ready" || !workerChoice.get().offline) return;
    void saveOffline({
      id,
      title: sessionTitleOf(summary),
      project: summary.project,
      savedAt: Date.now(),
      rows: rows.slice(-MOST_ROWS).flatMap(offlineRow),
    }).catch(() => undefined);
  };
  const soon = (): void => {
    timer ??= setTimeout(save, SAVE_MS);
  };
  const stop = view.subscribe(soon);
  soon();
  return {
    id,
    close: () => {
      clearTimeout(timer);
      stop();
      view.close();
    },
  };
};

const offlineRow = (row: Row): readonly OfflineRow[] => {
  const who = row.kind === "prompt" ? "you" : row.kind === "text" ? "claude" : row.kind === "tool" ? "tool" : "note";
  const copied = row.kind === "tool" ? toolTitle(row.name) : copiedContent(row);
  const text = copied === undefined ? "" : typeof copied === "string" ? copied : typedText(copied);
  return text.trim() === "" ? [] : [{ id: row.id, who, text: text.slice(0, MOST_TEXT) }];
};
