// A phone with a real service worker: notifications, answers from them, and reading without a server. Chromium has no push service in a
// test, so a local one takes its place. What it receives is decrypted and given to the service worker.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@quarterdeck/test-kit/nats-server";
import type { Locator, Page } from "playwright-core";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { PushService } from "../bridge/push-service.ts";
import type { BrowserSubscription } from "../bridge/push-service.ts";
import { makePlace } from "../bridge/server-process.ts";
import { Machine } from "../fleet/machines.ts";
import { expectSound } from "./axe.ts";
import { PHONE } from "./deck.ts";
import type { Deck, OpenOptions } from "./deck.ts";
import { composerOf, pressArmed, rowWith, useDeck } from "./journey.ts";
import { nextBuild } from "./next-build.ts";

const bash = (command: string) => [{ say: [{ tool: "Bash", input: { command } }] }, { say: [{ text: "Done." }] }];
const SCENARIO = {
  name: "push",
  scripts: [
    { when: "hello", steps: [{ say: [{ text: "Hello from the deck." }] }] },
    { when: "touch", steps: bash("touch made.txt") },
    { when: "again", steps: bash("touch again.txt") },
    { when: "sweep", steps: bash("rm -rf old") },
  ],
};

const service = await PushService.start();
afterAll(() => service.stop());
const aboard = useDeck({ scenario: SCENARIO, flags: ["--notify-host", service.host] }, "nobody");

/** The browser's side of a subscription, as Chromium would make it. */
const openPhone = async (deck: Deck, subscription: BrowserSubscription, options: OpenOptions = {}): Promise<Page> =>
  deck.open({
    ...options,
    role: "operate",
    name: "Phone",
    permissions: ["notifications"],
    before: (page) =>
      page.addInitScript(({ endpoint, p256dh, auth }) => {
        const made = {
          endpoint,
          toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
          unsubscribe: () => Promise.resolve(true),
        };
        PushManager.prototype.subscribe = () => Promise.resolve(made as unknown as PushSubscription);
      }, subscription.params),
  });

/** What the browser shows of sessions now, as the person sees it. A browser may remove other notifications by itself. */
const shown = (page: Page): Promise<unknown[]> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    const notifications = ((await registration?.getNotifications()) ?? []) as (Notification & {
      readonly actions?: readonly { readonly title: string }[];
    })[];
    return notifications
      .filter(({ data }) => data.session !== "")
      .map(({ title, body, actions = [] }) => ({ title, body, actions: actions.map((one) => one.title) }));
  });

/** Presses a button of the notification with these words. */
const press = async (page: Page, words: string, action: string): Promise<void> => {
  const [worker] = page.context().serviceWorkers();
  await worker!.evaluate(
    async ([said, pressed]) => {
      const scope = globalThis as unknown as ServiceWorkerGlobal;
      const notification = (await scope.registration.getNotifications()).find(({ body }) => body.includes(said!));
      // Half a second after it appeared, as a person would.
      while (Date.now() - notification!.data.shownAt < 600) await new Promise((resolve) => setTimeout(resolve, 50));
      scope.dispatchEvent(new scope.NotificationEvent("notificationclick", { notification, action: pressed }));
    },
    [words, action],
  );
};
interface CountingWorker {
  readonly registration: ServiceWorkerRegistration;
  shows: number;
}
interface ServiceWorkerGlobal {
  readonly registration: { getNotifications(): Promise<{ body: string; data: { shownAt: number } }[]> };
  readonly NotificationEvent: new (type: string, init: object) => Event;
  dispatchEvent(event: Event): boolean;
}

/**
 * Hands the messages of the push service to the browser, each once, and waits until those that show something are shown. A look at the
 * notifications meanwhile would remove them: Chromium forgets each that is stored and not yet on the screen.
 */
const pushTo = async (deck: Deck, page: Page, subscription: BrowserSubscription): Promise<() => Promise<void>> => {
  const session = await page.context().newCDPSession(page);
  const [worker] = page.context().serviceWorkers();
  await worker!.evaluate(() => {
    const scope = globalThis as unknown as CountingWorker;
    const { registration } = scope;
    const show = registration.showNotification.bind(registration);
    scope.shows = 0;
    registration.showNotification = async (...words) => {
      await show(...words);
      scope.shows += 1;
    };
  });
  const shows = (): Promise<number> => worker!.evaluate(() => (globalThis as unknown as CountingWorker).shows);
  const ids = new Set<string>();
  session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    for (const { registrationId, isDeleted } of registrations) if (!isDeleted) ids.add(registrationId);
  });
  await session.send("ServiceWorker.enable");
  await expect.poll(() => ids.size).toBe(1);
  let given = 0;
  return async () => {
    const { origin } = new URL(deck.server.url);
    for (; given < subscription.messages.length; given += 1) {
      const message = subscription.messages[given];
      const before = await shows();
      const data = JSON.stringify(message);
      await session.send("ServiceWorker.deliverPushMessage", { origin, registrationId: [...ids][0]!, data });
      if (message.do === "show") await expect.poll(shows).toBe(before + 1);
    }
  };
};

/** From now on nobody looks at this page. */
const lookAway = (page: Page): Promise<void> =>
  page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
    document.dispatchEvent(new Event("visibilitychange"));
  });

const offlineCount = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open("quarterdeck-offline", 1);
        // Never made: nothing is kept.
        opening.onupgradeneeded = () => opening.result.createObjectStore("sessions");
        opening.onsuccess = () => {
          const count = opening.result.transaction("sessions").objectStore("sessions").count();
          count.onsuccess = () => {
            opening.result.close();
            resolve(count.result);
          };
        };
      }),
  );

describe("[E256] a browser with push notifications", () => {
  it("gets requests, answers one from the notification, removes a request that was answered elsewhere, and reads offline", async () => {
    const { deck } = aboard;
    const subscription = service.subscription("phone");
    const page = await openPhone(deck, subscription);
    const session = await deck.startSession({ title: "Night watch", prompt: "hello" });
    await deck.goTo(page, session);
    await rowWith(page, "Hello from the deck.").waitFor();
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("tab", { name: "Notifications" }).click();
    const panel = page.getByRole("tabpanel");
    const push = panel.getByLabel("Push notifications to this browser");
    await push.click();
    await panel.getByLabel("When a turn finishes").uncheck();
    await panel.getByLabel("Quiet hours").check();
    await panel.getByLabel("From", { exact: true }).waitFor();
    await expectSound(page, "notifications", "[role=tabpanel]");
    await panel.getByLabel("Quiet hours").uncheck();
    await panel.getByLabel("Keep recent sessions readable offline").check();
    await expect.poll(() => offlineCount(page)).toBe(1);
    const deliver = await pushTo(deck, page, subscription);
    await panel.getByRole("button", { name: "Send a test" }).click();
    await expect.poll(() => subscription.messages.length).toBe(1);
    await deliver();
    expect(subscription.messages[0]).toMatchObject({ do: "show", body: "This is a test. Notifications work." });
    await page.keyboard.press("Escape");
    await lookAway(page);

    // Allowed from the notification, with the key of this browser.
    await deck.client.command("session/prompt", { session, content: "touch" });
    await expect.poll(() => subscription.messages.length).toBe(2);
    await deliver();
    const first = { title: "Night watch", body: "Wants to run: touch made.txt", actions: ["Allow", "Deny"] };
    await expect.poll(() => shown(page)).toEqual([first]);
    await press(page, "touch made.txt", "allow");
    await expect.poll(() => deck.answersToCli().map(({ behavior }) => behavior)).toEqual(["allow"]);
    await rowWith(page, "Done.").waitFor();
    await expect.poll(() => subscription.messages.at(-1)?.do).toBe("withdraw");
    await deliver();

    // Answered elsewhere: the notification is gone.
    await deck.client.command("session/prompt", { session, content: "again" });
    await expect.poll(() => subscription.messages.at(-1)?.body).toBe("Wants to run: touch again.txt");
    await deliver();
    const second = { ...first, body: "Wants to run: touch again.txt" };
    await expect.poll(() => shown(page)).toEqual([second]);
    const { request } = subscription.messages.at(-1);
    const { id: requestId, ...binding } = request;
    const answer = { kind: "deny", message: "no" } as const;
    await deck.client.command("session/respond", { session, requestId, ...binding, answer });
    await expect.poll(() => subscription.messages.at(-1)?.do).toBe("withdraw");
    await deliver();
    await expect.poll(() => shown(page)).toEqual([]);

    // Without the server, the page starts from its copy and shows what was kept.
    await deck.kill();
    deck.expectTrouble(/WebSocket|ERR_CONNECTION_REFUSED|Failed to fetch|Failed to load/u);
    await page.reload();
    const kept = page.getByRole("region", { name: "Kept on this device" });
    // The session that was open is open here, too.
    await kept.getByText("Night watch").waitFor();
    await kept.getByText("Hello from the deck.").waitFor();
    await expectSound(page, "offline");

    // A revoked device keeps nothing.
    await deck.restart();
    // It comes back by itself.
    await page.locator("main.main").waitFor();
    const { devices } = await deck.client.call("devices/list", {});
    await deck.client.command("devices/revoke", { id: devices.find(({ name }) => name === "Phone")!.id });
    await page.getByText("This browser's access was revoked").waitFor();
    await expect.poll(() => offlineCount(page)).toBe(0);
    await expect.poll(() => subscription.messages.at(-1)).toEqual({ v: 1, do: "revoke" });
    await expect
      .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length))
      .toBe(0);
  });
});

/** The builds whose files this browser keeps. */
const keptBuilds = (page: Page): Promise<string[]> =>
  page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith("shell-")));
const isControlled = (page: Page): Promise<boolean> =>
  page.evaluate(() => navigator.serviceWorker.controller?.state === "activated");

describe("[E210] a page whose server was updated", { tags: "long" }, () => {
  it("offers the new version in each tab, and keeps what was typed", async () => {
    const { deck } = aboard;
    const page = await deck.open({ role: "operate", name: "Tablet" });
    const session = await deck.startSession({ title: "Day watch", prompt: "hello" });
    await deck.goTo(page, session);
    await rowWith(page, "Hello from the deck.").waitFor();
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("tab", { name: "Notifications" }).click();
    await page.getByRole("tabpanel").getByLabel("Keep recent sessions readable offline").check();
    await expect.poll(() => isControlled(page)).toBe(true);
    const [before] = await keptBuilds(page);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const other = await page.context().newPage();
    await deck.goTo(other, session);
    await rowWith(other, "Hello from the deck.").waitFor();
    await expect.poll(() => isControlled(other)).toBe(true);
    const typed = "half of a thought\nand its second line";
    await composerOf(page).fill(typed);
    await page.evaluate(() => Object.assign(globalThis, { firstLoad: true }));
    const isFirstLoad = (): Promise<boolean> => page.evaluate(() => "firstLoad" in globalThis);

    const next = nextBuild(deck.place.root);
    await deck.kill();
    deck.expectTrouble(/WebSocket|ERR_CONNECTION_REFUSED|Failed to fetch|Failed to load/u);
    await deck.restart(next.env);
    // Both tabs reconnect by themselves, look for a new worker, and do not reload.
    const offers = [page, other].map((tab) =>
      tab.getByRole("status").filter({ hasText: "A new version of this page is ready." }),
    );
    for (const offer of offers) await offer.waitFor();
    expect(await isFirstLoad()).toBe(true);
    expect(await composerOf(page).inputValue()).toBe(typed);
    expect(new Set(await keptBuilds(page))).toEqual(new Set([before, `shell-${next.id}`]));
    await expectSound(page, "the offer of a new version", ".toasts");

    await offers[0]!.getByRole("button", { name: "Reload" }).press("Enter");
    await expect.poll(() => keptBuilds(other)).toEqual([`shell-${next.id}`]);
    await expect.poll(() => isFirstLoad().catch(() => true)).toBe(false);
    await rowWith(page, "Hello from the deck.").waitFor();
    expect(await composerOf(page).inputValue()).toBe(typed);
    await expect.poll(() => isControlled(page)).toBe(true);
    expect(await offers[0]!.count()).toBe(0);

    // The other tab did not reload by itself. Its button still works, although the new worker already runs.
    await offers[1]!.getByRole("button", { name: "Reload" }).click();
    await offers[1]!.waitFor({ state: "detached" });
    await rowWith(other, "Hello from the deck.").waitFor();
    expect(await composerOf(page).inputValue()).toBe(typed);
  });
});

describe("[E324] the home page of a phone", { tags: "long" }, () => {
  it("offers notifications once, and answers what is short and harmless", async () => {
    const { deck } = aboard;
    const subscription = service.subscription("pocket");
    const page = await openPhone(deck, subscription, PHONE);
    const offer = page.getByRole("region", { name: "Turn on notifications?" });
    const touch = await deck.startSession({ title: "Quick", prompt: "touch" });
    const careful = await deck.startSession({ title: "Careful", prompt: "sweep" });
    const item = (words: string) => page.getByRole("main").getByRole("listitem").filter({ hasText: words });
    await item("touch made.txt").waitFor();
    await item("rm -rf old").getByText("Open to decide").waitFor();
    await expect.poll(() => item("rm -rf old").locator(".ask-marked").allInnerTexts()).toEqual(["rm -rf"]);
    expect(await item("rm -rf old").getByRole("button").count()).toBe(0);
    await offer.waitFor();
    await expectSound(page, "home of a phone, with requests");

    const before = deck.answersToCli().length;
    await pressArmed(item("touch made.txt").getByRole("button", { name: "Allow once" }));
    await item("touch made.txt").waitFor({ state: "detached" });
    await expect.poll(() => deck.answersToCli().slice(before)).toMatchObject([{ behavior: "allow" }]);
    await deck.client.command("session/prompt", { session: touch, content: "again" });
    await item("touch again.txt").getByRole("button", { name: "Deny" }).tap();
    await expect.poll(() => deck.answersToCli().slice(before + 1)).toMatchObject([{ behavior: "deny" }]);

    await offer.getByRole("button", { name: "Turn on" }).tap();
    await offer.waitFor({ state: "detached" });
    await lookAway(page);
    const another = await deck.startSession({ title: "Another", prompt: "sweep" });
    await expect.poll(() => subscription.messages.map(({ title }) => title)).toContain("Another");

    // Who said no is not asked again.
    await page.evaluate(() => ["worker", "pushAsked"].forEach((key) => localStorage.removeItem(`quarterdeck.${key}`)));
    await page.reload();
    await offer.getByRole("button", { name: "Not now" }).tap();
    await offer.waitFor({ state: "detached" });
    await page.reload();
    await item("rm -rf old").first().waitFor();
    expect(await offer.count()).toBe(0);
    // What waits would be told to each later phone.
    for (const session of [careful, another]) await deck.client.command("sessions/close", { session });
  });
});

describe("[E328] a phone of a fleet", { tags: "long" }, () => {
  it("hears of a request on another machine, answers it there from the notification, and mutes the machine", async () => {
    const { deck } = aboard;
    const [hub, box] = [new Machine(deck.place), new Machine(makePlace(SCENARIO))];
    hub.server = deck.server;
    onTestFinished(() => box.close());
    await box.start();
    const { code } = await hub.create(await freePort());
    await box.join(code, "box", "operate");
    await expect.poll(() => hub.sees("box")).toBe("here");

    const subscription = service.subscription("fleet-phone");
    const page = await openPhone(deck, subscription);
    const openSettings = async (): Promise<Locator> => {
      await page.getByRole("button", { name: "Settings", exact: true }).click();
      await page.getByRole("tab", { name: "Notifications" }).click();
      return page.getByRole("tabpanel");
    };
    await (await openSettings()).getByLabel("Push notifications to this browser").click();
    // A check box for each other machine.
    await page.getByRole("tabpanel").getByLabel("Mute this machine: box").waitFor();
    await expectSound(page, "notifications of a fleet", "[role=tabpanel]");
    await page.reload();
    const deliver = await pushTo(deck, page, subscription);
    await lookAway(page);
    const admin = box.admin();
    onTestFinished(() => admin.close());
    const startOnBox = async (title: string, prompt: string): Promise<string> =>
      (await admin.command("sessions/start", { cwd: box.place.cwd, title, prompt })).session.id;
    const touch = await startOnBox("On the box", "touch");
    await expect.poll(() => subscription.messages.map(({ title }) => title)).toEqual(["box: On the box"]);
    await deliver();
    const [first] = (await shown(page)) as { readonly body: string }[];
    expect(first).toMatchObject({
      title: "box: On the box",
      body: expect.stringContaining("Wants to run: touch made.txt"),
    });
    await press(page, "touch made.txt", "allow");
    const isDone = async () => (await admin.call("sessions/list", { query: touch })).sessions[0]?.lastText;
    await expect.poll(isDone).toBe("Done.");
    expect(existsSync(join(box.place.cwd, "made.txt"))).toBe(true);
    // The end of the turn is told, too, before or after.
    const told = () => new Set(subscription.messages.slice(1).map((message) => message.body ?? message.do));
    await expect.poll(told).toEqual(new Set(["Finished.", "withdraw"]));
    await deliver();
    await expect.poll(() => shown(page)).not.toContainEqual(first);

    const { length } = subscription.messages;
    const mute = (await openSettings()).getByLabel("Mute this machine: box");
    await mute.check();
    // What was chosen is there after a reload.
    await page.reload();
    await expect.poll(async () => (await openSettings()).getByLabel("Mute this machine: box").isChecked()).toBe(true);
    await lookAway(page);
    await startOnBox("Muted", "sweep");
    await deck.startSession({ title: "On the hub", prompt: "sweep" });
    const later = () => subscription.messages.slice(length).map(({ title }) => title);
    await expect.poll(later).toContain("On the hub");
    expect(later()).not.toContain("box: Muted");
  });
});
