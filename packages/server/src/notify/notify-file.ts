// What is kept for notifications: the choices and push subscriptions of each device, the targets of the server, and the server's own push
// key. Private files of the data directory. Subscriptions let others send to a browser, and targets hold secrets.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { METHODS } from "@quarterdeck/session/bridge/schema";
import { z } from "zod";
import { readPrivateFile, writePrivateFile } from "../access/private-file.ts";
import { ServerError } from "../server-error.ts";
import { newVapidKeys, signingKeyOf } from "./web-push.ts";
import type { VapidKeys } from "./web-push.ts";

export const NOTIFY_FILE = "notifications.json";
export const PUSH_KEY_FILE = "push-key.json";

export type NotifyChoices = ResultOf<"notifications/get">["choices"];
const Choices = METHODS["notifications/get"].result.shape.choices;

const Subscription = z.object({ endpoint: z.string(), p256dh: z.string(), auth: z.string(), at: z.number() });
const Target = z.object({
  id: z.string(),
  kind: z.enum(["webhook", "ntfy"]),
  url: z.string(),
  /** The key of a webhook's signatures, or the access token of ntfy. */
  secret: z.string().optional(),
  choices: Choices,
});
const KeptFile = z.object({
  version: z.literal(1),
  devices: z.record(z.string(), z.object({ choices: Choices, subscriptions: z.array(Subscription) })),
  targets: z.array(Target),
});
export type KeptSubscription = z.output<typeof Subscription>;
export type KeptTarget = z.output<typeof Target>;
interface KeptDevice {
  readonly choices: NotifyChoices;
  readonly subscriptions: readonly KeptSubscription[];
}

const DEFAULT_CHOICES: NotifyChoices = {
  waiting: true,
  finished: true,
  failed: true,
  content: "shown",
  quiet: null,
  mutedSessions: [],
  mutedProjects: [],
  mutedMachines: [],
};

const MOST_PER_DEVICE = 5;
const MOST_DEVICES = 200;
const MOST_TARGETS = 20;

export interface NotifyStore {
  readonly vapid: VapidKeys;
  choicesOf(device: string): NotifyChoices;
  setChoices(device: string, choices: NotifyChoices): void;
  subscriptionsOf(device: string): readonly KeptSubscription[];
  devices(): readonly string[];
  /** False if the server has no room for another device. */
  subscribe(device: string, subscription: KeptSubscription): boolean;
  /** Without an endpoint: all of the device. */
  unsubscribe(device: string, endpoint?: string): void;
  forgetDevice(device: string): void;
  targets(): readonly KeptTarget[];
  /** False if the server has no room for another target. */
  putTarget(target: KeptTarget): boolean;
  removeTarget(id: string): void;
  onChange(listener: () => void): () => void;
}

export const openNotifyStore = (dataDir: string): NotifyStore => {
  const path = join(dataDir, NOTIFY_FILE);
  const kept = read(path);
  const devices = new Map<string, KeptDevice>(Object.entries(kept.devices));
  let targets: readonly KeptTarget[] = kept.targets;
  const vapid = readOrMakeKey(join(dataDir, PUSH_KEY_FILE));
  const listeners = new Set<() => void>();
  const save = (): void => {
    writePrivateFile(
      path,
      `${JSON.stringify({ version: 1, devices: Object.fromEntries(devices), targets }, null, 2)}\n`,
    );
    for (const listener of listeners) listener();
  };
  const put = (id: string, device: KeptDevice): boolean => {
    if (!devices.has(id) && devices.size >= MOST_DEVICES) return false;
    devices.set(id, device);
    save();
    return true;
  };
  const of = (id: string): KeptDevice => devices.get(id) ?? { choices: DEFAULT_CHOICES, subscriptions: [] };
  return {
    vapid,
    choicesOf: (id) => of(id).choices,
    setChoices: (id, choices) => void put(id, { ...of(id), choices }),
    subscriptionsOf: (id) => of(id).subscriptions,
    devices: () => [...devices.keys()],
    subscribe: (id, subscription) => {
      // A browser has one owner. If it was paired again, the older device loses it.
      for (const [other, { choices, subscriptions }] of devices)
        if (other !== id && subscriptions.some(({ endpoint }) => endpoint === subscription.endpoint))
          devices.set(other, { choices, subscriptions: without(subscriptions, subscription.endpoint) });
      const device = of(id);
      const others = without(device.subscriptions, subscription.endpoint);
      return put(id, { ...device, subscriptions: [...others, subscription].slice(-MOST_PER_DEVICE) });
    },
    unsubscribe: (id, endpoint) => {
      const device = devices.get(id);
      if (device === undefined) return;
      put(id, { ...device, subscriptions: endpoint === undefined ? [] : without(device.subscriptions, endpoint) });
    },
    forgetDevice: (id) => {
      if (devices.delete(id)) save();
    },
    targets: () => targets,
    putTarget: (target) => {
      const others = targets.filter(({ id }) => id !== target.id);
      if (others.length >= MOST_TARGETS) return false;
      targets = [...others, target];
      save();
      return true;
    },
    removeTarget: (id) => {
      targets = targets.filter((target) => target.id !== id);
      save();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

export const newTargetId = (): string => randomBytes(9).toString("base64url");
export const newWebhookSecret = (): string => randomBytes(32).toString("base64url");

const without = (subscriptions: readonly KeptSubscription[], endpoint: string): readonly KeptSubscription[] =>
  subscriptions.filter((one) => one.endpoint !== endpoint);

const read = (path: string): Pick<z.output<typeof KeptFile>, "devices" | "targets"> => {
  const text = readPrivateFile(path);
  if (text === undefined) return { devices: {}, targets: [] };
  try {
    return KeptFile.parse(JSON.parse(text));
  } catch (error) {
    throw new ServerError(`${path} is damaged. Restore it, or remove it and turn notifications on again.`, {
      cause: error,
    });
  }
};

const readOrMakeKey = (path: string): VapidKeys => {
  const text = readPrivateFile(path);
  if (text === undefined) {
    const keys = newVapidKeys();
    writePrivateFile(path, `${JSON.stringify(keys)}\n`);
    return keys;
  }
  try {
    const keys = z.object({ publicKey: z.string(), privateKey: z.string() }).parse(JSON.parse(text));
    signingKeyOf(keys);
    return keys;
  } catch (error) {
    throw new ServerError(`${path} is damaged. Restore it, or remove it and turn notifications on again.`, {
      cause: error,
    });
  }
};
