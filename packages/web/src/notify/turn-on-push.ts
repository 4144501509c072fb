// Subscribes this browser to push notifications: the browser asks its person first.

import type { Client } from "@quarterdeck/client";
import { registerWorker, workerChoice } from "./worker-choice.ts";
import { WORDS } from "./words.ts";

export const turnOnPush = async (client: Client): Promise<void> => {
  if ((await Notification.requestPermission()) !== "granted") throw new Error(WORDS.blocked);
  await registerWorker();
  const { publicKey } = await client.call("notifications/get", {});
  const { pushManager } = await navigator.serviceWorker.ready;
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const { endpoint = "", keys = {} } = made.toJSON();
  await client.command("notifications/subscribe", {
    endpoint,
    p256dh: keys["p256dh"] ?? "",
    auth: keys["auth"] ?? "",
  });
  workerChoice.set({ ...workerChoice.get(), push: true });
};
