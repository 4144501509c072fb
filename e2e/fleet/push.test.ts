// Notifications of a fleet: three real servers, a real NATS server, and a push service on this machine. The hub and the desk are gateways
// with phones. Sessions run on the box.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashOf } from "@quarterdeck/client";
import type { Client, DeviceCredentials } from "@quarterdeck/client";
import type { Role } from "@quarterdeck/session/bridge";
import { freePort } from "@quarterdeck/test-kit/nats-server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { PushService } from "../bridge/push-service.ts";
import type { BrowserSubscription } from "../bridge/push-service.ts";
import { Machine } from "./machines.ts";

const service = await PushService.start();
const [hub, desk, box] = ["hub", "desk", "box"].map(
  () => new Machine(undefined, { flags: ["--notify-host", service.host] }),
) as [Machine, Machine, Machine];

const CHOICES = {
  waiting: true,
  finished: false,
  failed: true,
  content: "shown" as const,
  quiet: null,
  mutedSessions: [],
  mutedProjects: [],
  mutedMachines: [],
};
/** What a receiver got, in order. */
const gotBy = (phone: BrowserSubscription): string[] => phone.messages.map((one) => one.event ?? one.do);

/** All clients of a test. */
const clients: Client[] = [];
const kept = (client: Client): Client => {
  clients.push(client);
  return client;
};
let [onHub, onDesk, onBox]: Client[] = [];

beforeAll(async () => {
  await Promise.all([hub, desk, box].map((machine) => machine.start()));
  const { code } = await hub.create(await freePort());
  await desk.join(code, "desk", "none");
  const { code: second } = await hub.fleet<{ code: string }>("code");
  await box.join(second, "box", "operate");
  const areHere = async (): Promise<boolean> =>
    (await Promise.all([hub.sees("box"), desk.sees("box"), box.sees("hub"), box.sees("desk")])).every(
      (state) => state === "here",
    );
  await vi.waitUntil(areHere, { timeout: 60_000 });
});
afterAll(async () => {
  await Promise.all([hub, desk, box].map((machine) => machine.close()));
  service.stop();
});
beforeEach(() => {
  [onHub, onDesk, onBox] = [hub, desk, box].map((machine) => kept(machine.admin()));
});
afterEach(async () => {
  // A failed test leaves nothing for the next one.
  // The box may have started again.
  const admin = kept(box.admin());
  for (const { id } of (await admin.call("sessions/list", { state: "waiting" })).sessions)
    await admin.command("sessions/delete", { session: id });
  for (const client of clients.splice(0)) client.close();
});

interface Phone {
  readonly credentials: DeviceCredentials;
  /** A client of its own machine. */
  readonly client: Client;
  readonly push: BrowserSubscription;
}
const phoneAt = async (machine: Machine, push: BrowserSubscription, role: Role = "operate"): Promise<Phone> => {
  const credentials = await machine.pair(role);
  const client = kept(machine.of(credentials));
  await client.command("notifications/set", { choices: CHOICES });
  await client.command("notifications/subscribe", push.params);
  const { id } = credentials as { id: string };
  onTestFinished(async () => {
    const admin = machine.admin();
    await admin.command("devices/revoke", { id }).finally(() => admin.close());
  });
  return { credentials, client, push };
};
const newPush = (name: string): BrowserSubscription => service.subscription(`${name}-${crypto.randomUUID()}`);
const startOnBox = async (cwd = box.place.cwd): Promise<string> =>
  (await onBox!.command("sessions/start", { cwd, title: "Night watch" })).session.id;
const ask = (session: string, content = "touch it"): Promise<unknown> =>
  onBox!.command("session/prompt", { session, content });
/** Denies the only open request of the session, at the box itself. */
const deny = async (session: string): Promise<void> => {
  const waiting = async () =>
    (await onBox!.call("sessions/list", {})).sessions.find(({ id }) => id === session)?.waiting[0]?.id;
  await expect.poll(waiting).toBeDefined();
  const view = onBox!.session(session);
  await expect.poll(() => view.snapshot.head?.requests.length).toBe(1);
  const { id: requestId, incarnation, request } = view.snapshot.head.requests[0]!;
  view.close();
  const answer = { kind: "deny", message: "no" } as const;
  const inputHash = await hashOf(request);
  await onBox!.command("session/respond", { session, requestId, incarnation, inputHash, answer });
};

describe("[E320] a request on a machine of the fleet", () => {
  it("reaches each phone once, whichever gateway it is paired with, and is answered from there", async () => {
    const phone = await phoneAt(hub, newPush("phone"));
    const tablet = await phoneAt(desk, newPush("tablet"));
    const wall = await phoneAt(hub, newPush("wall"), "view");
    // One browser that two machines know, and one topic and one webhook that two machines have.
    const shared = newPush("shared");
    for (const machine of [hub, desk]) await phoneAt(machine, shared);
    const topic = { kind: "ntfy" as const, url: `http://${service.host}/the-topic`, choices: CHOICES };
    for (const client of [onHub!, onDesk!]) await client.command("notifications/setTarget", topic);
    const hook = { kind: "webhook" as const, url: `http://${service.host}/hook`, choices: CHOICES };
    await onDesk!.command("notifications/setTarget", hook);
    const at = (path: string) => service.arrivals.filter((one) => one.path.startsWith(path));

    const session = await startOnBox();
    await ask(session);
    const all = [phone.push, tablet.push, wall.push, shared];
    await expect.poll(() => all.map(gotBy)).toEqual(all.map(() => ["waiting"]));
    await expect.poll(() => [at("/the-topic").length, at("/hook").length]).toEqual([1, 1]);
    const [shown] = phone.push.messages;
    expect(shown).toMatchObject({
      do: "show",
      session,
      machine: "box",
      title: "box: Night watch",
      body: "Wants to run: touch made.txt",
      request: { id: expect.any(String) },
    });
    // A device that may not answer at home may not answer there.
    expect(wall.push.messages[0].request).toBeUndefined();
    expect(JSON.parse(at("/hook")[0]!.body.toString())).toMatchObject({ event: "waiting", machine: "box", session });

    // The phone answers with its own key, on the machine that asked.
    const { id: requestId, ...binding } = shown.request;
    const there = kept(hub.through("box", phone.credentials));
    const answer = { kind: "allow" } as const;
    await there.command("session/respond", { session, requestId, ...binding, answer });
    await expect.poll(() => all.map(gotBy)).toEqual(all.map(() => ["waiting", "withdraw"]));
    expect(phone.push.messages[1].tag).toBe(shown.tag);
    await expect.poll(() => at("/the-topic").map(({ method }) => method)).toEqual(["POST", "DELETE"]);
    await expect
      .poll(() => at("/hook").map(({ body }) => (JSON.parse(body.toString()) as { event: string }).event))
      .toEqual(["waiting", "withdrawn"]);
    const listed = async () =>
      (await onBox!.call("sessions/list", {})).sessions.find(({ id }) => id === session)?.lastText;
    await expect.poll(listed).toContain("Made.");
    for (const client of [onHub!, onDesk!])
      for (const { id } of (await client.call("notifications/targets", {})).targets)
        await client.command("notifications/removeTarget", { id });
  });

  it("keeps to what the machine's owner allows: role, folders, and nothing at all", { tags: "long" }, async () => {
    const phone = await phoneAt(hub, newPush("phone"));
    const tablet = await phoneAt(desk, newPush("tablet"));
    const shared = join(box.place.cwd, "shared");
    mkdirSync(shared);
    onTestFinished(async () => {
      await box.fleet("allow", "hub", "operate", "--all-folders");
    });

    await box.fleet("allow", "hub", "view");
    const session = await startOnBox();
    await ask(session);
    await expect.poll(() => gotBy(phone.push)).toEqual(["waiting"]);
    expect(phone.push.messages[0].request).toBeUndefined();
    await expect.poll(() => tablet.push.messages[0]?.request?.id).toEqual(expect.any(String));
    // What the owner takes back is taken back from the phone. The other gateway keeps it.
    await box.fleet("allow", "hub", "operate", "--folder", shared);
    await expect.poll(() => gotBy(phone.push)).toEqual(["waiting", "withdraw"]);
    const inside = await startOnBox(shared);
    await ask(inside);
    await expect.poll(() => phone.push.messages.slice(2).map((one) => one.session)).toEqual([inside]);
    await expect.poll(() => tablet.push.messages.map((one) => one.session)).toEqual([session, inside]);
    await box.fleet("allow", "hub", "none");
    await expect.poll(() => gotBy(phone.push).slice(2)).toEqual(["waiting", "withdraw"]);
    const third = await startOnBox(shared);
    await ask(third);
    await expect.poll(() => tablet.push.messages.at(-1)?.session).toBe(third);
    expect(phone.push.messages).toHaveLength(4);
    expect(gotBy(tablet.push)).toEqual(["waiting", "waiting", "waiting"]);
    for (const one of [session, inside, third]) await deny(one);
    await expect.poll(() => gotBy(tablet.push).slice(3)).toEqual(["withdraw", "withdraw", "withdraw"]);
  });
});

describe("[E321] a push of another machine is held back", { tags: "long" }, () => {
  it("in quiet hours, for what is muted, and while a person looks at a page that shows it", async () => {
    const phone = await phoneAt(hub, newPush("phone"));
    const witness = await phoneAt(desk, newPush("witness"));
    const set = (choices: object) => phone.client.command("notifications/set", { choices: { ...CHOICES, ...choices } });
    /** What the phone got beyond these, when everything that was on its way has arrived. */
    const newsAfter = async (count: number): Promise<unknown[]> => {
      await phone.client.command("notifications/test", {});
      return gotBy(phone.push).slice(count);
    };
    const session = await startOnBox();
    const { sessions } = await onBox!.call("sessions/list", {});
    const { project } = sessions.find(({ id }) => id === session)!;
    const hour = (shift: number) => `${String((new Date().getUTCHours() + shift + 24) % 24).padStart(2, "0")}:00`;
    const quiet = { from: hour(-2), to: hour(3), timeZone: "UTC" };
    for (const choices of [
      { quiet },
      { mutedSessions: [session] },
      { mutedProjects: [project] },
      { mutedMachines: ["box"] },
      { waiting: false },
    ]) {
      const [before, seen] = [phone.push.messages.length, witness.push.messages.length];
      await set(choices);
      await ask(session);
      await expect.poll(() => witness.push.messages.length).toBe(seen + 1);
      expect(await newsAfter(before), JSON.stringify(choices)).toEqual(["test"]);
      await set({});
      await expect.poll(() => phone.push.messages[before + 1]?.session).toBe(session);
      await deny(session);
      await expect
        .poll(() => [phone, witness].map(({ push }) => push.messages.at(-1)?.do))
        .toEqual(["withdraw", "withdraw"]);
    }
    // A page of the hub, which shows the box, too. The page tells both.
    const reader = kept(hub.of(await hub.pair("operate")));
    const onlyHome = phone.push.messages.length;
    await reader.call("notifications/look", { looking: true });
    const seen = witness.push.messages.length;
    await ask(session);
    await expect.poll(() => witness.push.messages.length).toBe(seen + 1);
    expect(await newsAfter(onlyHome)).toEqual(["test"]);
    await reader.call("notifications/look", { looking: false });
    await expect.poll(() => phone.push.messages.at(-1)?.event).toBe("waiting");
    await deny(session);
    await expect
      .poll(() => [phone, witness].map(({ push }) => push.messages.at(-1)?.do))
      .toEqual(["withdraw", "withdraw"]);
    // A page of any gateway that looks at the box: nobody is told until it looks away.
    const far = kept(desk.through("box", witness.credentials));
    await far.call("notifications/look", { looking: true });
    const [before, seenBy] = [phone.push.messages.length, witness.push.messages.length];
    await ask(session);
    await expect
      .poll(async () => (await onBox!.call("sessions/list", { state: "waiting" })).sessions.map(({ id }) => id))
      .toContain(session);
    expect(await newsAfter(before)).toEqual(["test"]);
    expect(witness.push.messages).toHaveLength(seenBy);
    far.close();
    await expect
      .poll(() => [phone, witness].map(({ push }) => push.messages.at(-1)?.event))
      .toEqual(["waiting", "waiting"]);
    await deny(session);
    await expect.poll(() => witness.push.messages.at(-1)?.do).toBe("withdraw");
  });
});

describe("[E322] a fleet whose parts fail", { tags: "long" }, () => {
  it("loses no push and repeats none: NATS, a gateway and the waiting machine are killed or stopped", async () => {
    const phone = await phoneAt(hub, newPush("phone"));
    const tablet = await phoneAt(desk, newPush("tablet"));
    const first = await startOnBox();
    await ask(first);
    await expect.poll(() => [phone, tablet].map(({ push }) => gotBy(push))).toEqual([["waiting"], ["waiting"]]);
    process.kill(Number(readFileSync(join(hub.place.dataDir, "fleet", "nats.pid"), "utf8")), "SIGKILL");
    // Asked while nothing reaches anybody: told when NATS is back.
    const second = await startOnBox();
    await ask(second);
    await expect.poll(() => [phone, tablet].map(({ push }) => gotBy(push).length)).toEqual([2, 2]);

    // One of two gateways is gone. The other one serves its own phone, and the first one catches up.
    await desk.server!.kill();
    await expect.poll(() => box.sees("desk")).not.toBe("here");
    await deny(first);
    const third = await startOnBox();
    await ask(third);
    await expect.poll(() => gotBy(phone.push)).toEqual(["waiting", "waiting", "withdraw", "waiting"]);
    expect(tablet.push.messages).toHaveLength(2);
    await desk.start();
    await expect.poll(() => tablet.push.messages.slice(2).map((one) => one.session)).toEqual([third]);
    // It forgot what it sent, but the machine did not: nothing is sent again, and what it sent before is still withdrawn.
    await deny(second);
    await expect.poll(() => gotBy(tablet.push).slice(3)).toEqual(["withdraw"]);
    expect(tablet.push.messages[3].tag).toBe(tablet.push.messages[1].tag);

    // The machine stops: what it asked is closed.
    await box.server!.stop();
    await expect.poll(() => gotBy(phone.push).slice(4)).toEqual(["withdraw", "withdraw"]);
    await expect.poll(() => gotBy(tablet.push).slice(4)).toEqual(["withdraw"]);
    await box.start();
  });
});
