// The service worker: starts the page without a network, shows what the server pushes, and answers from a notification. Code comes from
// the network whenever there is one; the stored copy is only for the time without. It stores no answer of the server except the page's
// own files.

import { connect, loadDevice } from "@quarterdeck/client";
import { english } from "../words/en/worker.ts";
import { japanese } from "../words/ja/worker.ts";
import { chinese } from "../words/zh-CN/worker.ts";
import { clearOffline, readOffline } from "./offline-store.ts";
import { hrefOfPush, readPush, type PushedRequest, type PushMessage } from "./push-message.ts";
import { isLanguageCache, toldLanguage } from "./worker-language.ts";

/** The parts of the worker's scope that we use. The page's types do not have them. */
interface Scope {
  readonly registration: ServiceWorkerRegistration;
  readonly location: Location;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: {
      type: "window";
      includeUncontrolled: boolean;
    }): Promise<readonly { readonly url: string; focus(): Promise<unknown>; postMessage(message: unknown): void }[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: string, listener: (event: WorkerEvent) => void): void;
}
interface WorkerEvent {
  waitUntil(work: Promise<unknown>): void;
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
  readonly data: unknown;
  readonly action: string;
  readonly notification: Notification;
}
interface Shown extends Place {
  readonly shownAt: number;
  readonly request?: PushedRequest;
}

interface Place {
  readonly session: string;
  readonly machine?: string;
}

const worker = globalThis as unknown as Scope;
const SHELL = import.meta.env["VITE_SHELL"] as unknown as {
  readonly build: string;
  readonly files: readonly string[];
  /** The file with the texts of each language except English. */
  readonly languages: Readonly<Record<string, string>>;
};
const CACHE = `shell-${SHELL.build}`;
/** As on the card: a press that was meant for something else must not answer. */
const GUARD_MS = 500;
const ANSWER_MS = 20_000;
const LOOK = { icon: "/icons/icon-192.png", badge: "/icons/badge-96.png" };

const words = async (): Promise<typeof english> => {
  const language = await toldLanguage();
  return language === "zh-CN" ? chinese : language === "ja" ? japanese : english;
};

const install = async (): Promise<void> => {
  const cache = await caches.open(CACHE);
  // The page has its language already, so its file does not pass this worker.
  const texts = SHELL.languages[await toldLanguage()];
  const files = texts === undefined ? SHELL.files : [...SHELL.files, texts];
  await cache.addAll(files.map((file) => new Request(file, { cache: "reload" })));
};

const activate = async (): Promise<void> => {
  for (const name of await caches.keys()) if (name !== CACHE && !isLanguageCache(name)) await caches.delete(name);
  await readOffline();
  await worker.clients.claim();
};

/** From the network. Without one, the stored copy. An error of the server is shown as it is. */
const fresh = async (request: Request, file: string): Promise<Response> => {
  try {
    return await fetch(request);
  } catch (error) {
    const stored = await caches.match(file, { cacheName: CACHE });
    if (stored === undefined) throw error;
    return stored;
  }
};

/** Files that are named by their content never change. */
const asset = async (request: Request): Promise<Response> => {
  const stored = await caches.match(request, { cacheName: CACHE });
  return stored ?? fetch(request);
};

/** The file of a language is kept when the page asks for it. The page speaks one language, so others are not kept. */
const languageFile = async (request: Request): Promise<Response> => {
  const stored = await caches.match(request, { cacheName: CACHE });
  if (stored !== undefined) return stored;
  const answer = await fetch(request);
  if (!answer.ok) return answer;
  const cache = await caches.open(CACHE);
  for (const file of Object.values(SHELL.languages)) await cache.delete(file);
  await cache.put(request, answer.clone());
  return answer;
};

const show = async (message: PushMessage & { readonly do: "show" }): Promise<void> => {
  const { title, body, tag, session, machine, event, request, at } = message;
  const place = { session, ...(machine !== undefined && { machine }) };
  const data: Shown = { ...place, shownAt: Date.now(), ...(request !== undefined && { request }) };
  const { allow, deny } = await words();
  const actions = [
    { action: "allow", title: allow },
    { action: "deny", title: deny },
  ];
  const options = {
    ...LOOK,
    body,
    tag,
    data,
    timestamp: at,
    renotify: true,
    requireInteraction: event === "waiting",
    ...(request !== undefined && { actions }),
  };
  await worker.registration.showNotification(title, options);
};

const say = (title: string, body: string, tag: string, place: Place = { session: "" }): Promise<void> =>
  worker.registration.showNotification(title, {
    ...LOOK,
    body,
    tag,
    silent: true,
    data: { ...place, shownAt: Date.now() } satisfies Shown,
  });

const pushed = async (text: string): Promise<void> => {
  const message = readPush(text);
  if (message === undefined) return say("Quarterdeck", (await words()).unknown, "unknown");
  if (message.do === "show") return show(message);
  if (message.do === "revoke") return revoked();
  const shown = await worker.registration.getNotifications({ tag: message.tag });
  if (message.mustShow) return say("Quarterdeck", (await words()).elsewhere, message.tag);
  for (const notification of shown) notification.close();
};

const revoked = async (): Promise<void> => {
  await clearOffline();
  for (const notification of await worker.registration.getNotifications()) notification.close();
  await (await worker.registration.pushManager.getSubscription())?.unsubscribe();
  await say("Quarterdeck", (await words()).removed, "revoked");
};

const clicked = async (action: string, notification: Notification): Promise<void> => {
  const { shownAt, request, ...place } = notification.data as Shown;
  notification.close();
  const isAnswer = (action === "allow" || action === "deny") && request !== undefined;
  if (!isAnswer || Date.now() - shownAt < GUARD_MS) return open(hrefOfPush(place));
  try {
    await answer(place, request, action);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    await say((await words()).notAnswered, why, notification.tag, place);
  }
};

/**
 * With the key of this device, through the same call as the card, to the machine that has the session. It checks role,
 * process and hash, and the first answer wins.
 */
const answer = async (
  { session, machine }: Place,
  { id, ...binding }: PushedRequest,
  action: "allow" | "deny",
): Promise<void> => {
  const url = worker.location.origin;
  const credentials = await loadDevice(url);
  if (credentials === undefined) throw new Error((await words()).notPaired);
  const client = connect({
    url,
    ...(machine !== undefined && { machine }),
    credentials,
    client: { name: "notification", version: SHELL.build },
  });
  try {
    const given = action === "allow" ? { kind: "allow" as const } : { kind: "deny" as const, message: "Denied." };
    const signal = AbortSignal.timeout(ANSWER_MS);
    await client.command("session/respond", { session, requestId: id, ...binding, answer: given }, { signal });
  } finally {
    client.close();
  }
};

const open = async (place: string): Promise<void> => {
  const [window] = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (window === undefined) return void (await worker.clients.openWindow(place));
  window.postMessage({ go: place.slice(1) });
  await window.focus();
};

/** The push service gave the browser a new address. */
const renewed = async (): Promise<void> => {
  const url = worker.location.origin;
  const credentials = await loadDevice(url);
  if (credentials === undefined) return;
  const client = connect({ url, credentials, client: { name: "notification", version: SHELL.build } });
  try {
    const { publicKey } = await client.call("notifications/get", {}, { signal: AbortSignal.timeout(ANSWER_MS) });
    const options = { userVisibleOnly: true, applicationServerKey: publicKey };
    const { endpoint, keys } = (await worker.registration.pushManager.subscribe(options)).toJSON();
    await client.command("notifications/subscribe", {
      endpoint: endpoint ?? "",
      p256dh: keys?.["p256dh"] ?? "",
      auth: keys?.["auth"] ?? "",
    });
  } finally {
    client.close();
  }
};

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));
worker.addEventListener("message", (event) => {
  // A person pressed "Reload" for the new version.
  if (event.data === "take over") event.waitUntil(worker.skipWaiting());
});
/** Messages are handled in the order in which they came. Chromium forgets a notification that is shown while a withdrawal lists the others. */
let lastPush: Promise<unknown> = Promise.resolve();
worker.addEventListener("push", (event) => {
  const { data } = event as unknown as { readonly data: { text(): string } | null };
  const text = data?.text() ?? "";
  const handled = lastPush.then(() => pushed(text));
  lastPush = handled.catch(() => undefined);
  event.waitUntil(handled);
});
worker.addEventListener("notificationclick", (event) => event.waitUntil(clicked(event.action, event.notification)));
worker.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renewed()));
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (request.mode === "navigate") event.respondWith(fresh(request, "/"));
  else if (Object.values(SHELL.languages).includes(pathname)) event.respondWith(languageFile(request));
  else if (SHELL.files.includes(pathname))
    event.respondWith(pathname.startsWith("/assets/") ? asset(request) : fresh(request, pathname));
});
