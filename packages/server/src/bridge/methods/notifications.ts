// Notifications: which events a device wants, its browsers, and the targets of the server.

import { browserId, targetId } from "../../notify/notifier.ts";
import { isTimeZone } from "../../notify/happenings.ts";
import { newTargetId, newWebhookSecret } from "../../notify/notify-file.ts";
import type { NotifyChoices } from "../../notify/notify-file.ts";
import type { Delivery } from "../../notify/outbound.ts";
import { areSubscriptionKeys } from "../../notify/web-push.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal } from "../../refusal.ts";

export const notificationsMethods = (
  parts: Parts,
): Handlers<
  | "notifications/get"
  | "notifications/set"
  | "notifications/subscribe"
  | "notifications/unsubscribe"
  | "notifications/test"
  | "notifications/look"
  | "notifications/targets"
  | "notifications/setTarget"
  | "notifications/removeTarget"
  | "notifications/testTarget"
> => {
  const { notifier, outbound, log } = parts;
  const { store } = notifier;
  const targetOf = (id: string) => {
    const target = store.targets().find((one) => one.id === id);
    if (target === undefined) throw new Refusal("not-found", "The target does not exist.", { id });
    return target;
  };
  return {
    "notifications/get": (_params, { device }) => ({
      publicKey: store.vapid.publicKey,
      choices: store.choicesOf(device.id),
      subscriptions: store.subscriptionsOf(device.id).map(({ endpoint, at }) => {
        const problem = notifier.problemOf(browserId(device.id, endpoint));
        return { endpoint, at, ...(problem !== undefined && { problem }) };
      }),
    }),

    "notifications/set": ({ choices }, { device }) => {
      mustBeKnownZone(choices);
      store.setChoices(device.id, choices);
      notifier.reconsider();
      return {};
    },

    "notifications/subscribe": ({ endpoint, p256dh, auth }, { device }) => {
      const problem = outbound.problemOf(endpoint);
      if (problem !== undefined) throw new Refusal("bad-request", problem);
      if (!areSubscriptionKeys({ p256dh, auth }))
        throw new Refusal("bad-request", "The keys of the subscription are not valid.");
      if (!store.subscribe(device.id, { endpoint, p256dh, auth, at: Date.now() }))
        throw new Refusal("limit", "Too many devices get notifications. Revoke some of them.");
      log.info("push subscription added", { device: device.id, host: new URL(endpoint).host });
      return {};
    },

    "notifications/unsubscribe": ({ endpoint }, { device }) => {
      store.unsubscribe(device.id, endpoint);
      return {};
    },

    "notifications/test": async (_params, { device }) => ({
      results: await Promise.all(
        store.subscriptionsOf(device.id).map(async ({ endpoint }) => ({
          host: new URL(endpoint).host,
          ...outcomeOf(await notifier.test(browserId(device.id, endpoint))),
        })),
      ),
    }),

    "notifications/look": ({ looking }, caller) => {
      notifier.looks(caller, looking);
      return {};
    },

    "notifications/targets": () => ({
      targets: store.targets().map(({ secret, ...target }) => {
        const problem = notifier.problemOf(targetId(target.id));
        return { ...target, hasSecret: secret !== undefined, ...(problem !== undefined && { problem }) };
      }),
    }),

    "notifications/setTarget": ({ id: wanted, kind, url, token, choices }, { device }) => {
      const problem = outbound.problemOf(url);
      if (problem !== undefined) throw new Refusal("bad-request", problem);
      if (kind === "ntfy" && !/^\/[\w/-]{1,200}$/u.test(new URL(url).pathname))
        throw new Refusal("bad-request", "Name the topic in the address, such as https://ntfy.sh/my-topic.");
      mustBeKnownZone(choices);
      const before = wanted === undefined ? undefined : targetOf(wanted);
      // A secret is for the address that it was made for.
      const kept = before?.kind === kind && before.url === url ? before.secret : undefined;
      const secret = kind === "webhook" ? (kept ?? newWebhookSecret()) : (token ?? kept);
      const id = before?.id ?? newTargetId();
      if (!store.putTarget({ id, kind, url, choices, ...(secret !== undefined && { secret }) }))
        throw new Refusal("limit", "At most 20 targets are possible. Remove one first.");
      log.info("notification target set", { by: device.id, kind, host: new URL(url).host });
      notifier.reconsider();
      return { id, ...(kind === "webhook" && secret !== kept && { secret: secret! }) };
    },

    "notifications/removeTarget": ({ id }, { device }) => {
      store.removeTarget(targetOf(id).id);
      log.info("notification target removed", { by: device.id });
      return {};
    },

    "notifications/testTarget": async ({ id }) => outcomeOf(await notifier.test(targetId(targetOf(id).id))),
  };
};

const outcomeOf = ({ status, problem }: Delivery): { ok: boolean; problem?: string } =>
  status >= 200 && status < 300
    ? { ok: true }
    : { ok: false, problem: problem ?? `The other server answered ${String(status)}.` };

const mustBeKnownZone = ({ quiet }: NotifyChoices): void => {
  if (quiet !== null && !isTimeZone(quiet.timeZone))
    throw new Refusal("bad-request", `The time zone ${JSON.stringify(quiet.timeZone)} does not exist.`);
};
