// The service worker of this page: whether a person wants one, and its registration. It is wanted for notifications, for reading without a
// network, and by the installed app. Without that the page stores no copy of itself.

import { ownScript } from "../content/code/own-script.ts";
import { kept } from "../store/kept.ts";
import { language } from "../words/language.ts";
import { isLanguageCache, tellLanguage } from "./worker-language.ts";

export interface WorkerChoice {
  readonly push: boolean;
  readonly offline: boolean;
}

export const workerChoice = kept("worker", (value): WorkerChoice => {
  const { push, offline } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return { push: push === true, offline: offline === true };
});

/** Browsers offer it only over HTTPS or on this machine. */
export const canHaveWorker = (): boolean => "serviceWorker" in navigator;
export const canPush = (): boolean => canHaveWorker() && "PushManager" in window && "Notification" in window;

const isInstalled = (): boolean =>
  matchMedia("(display-mode: standalone)").matches || (navigator as { standalone?: boolean }).standalone === true;

export const wantsWorker = (): boolean => {
  const { push, offline } = workerChoice.get();
  return canHaveWorker() && (push || offline || isInstalled());
};

export const registerWorker = async (): Promise<ServiceWorkerRegistration> => {
  // Storage may be refused. Then the worker speaks English.
  await tellLanguage(language).catch(() => undefined);
  return navigator.serviceWorker.register(ownScript("/sw.js"), { scope: "/", updateViaCache: "none" });
};

export const removeWorker = async (): Promise<void> => {
  for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
  for (const name of await caches.keys())
    if (name.startsWith("shell-") || isLanguageCache(name)) await caches.delete(name);
};
