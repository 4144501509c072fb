// Notifications of a running server: what a push service and a webhook receive, and what they do not.

import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { programWords } from "@quarterdeck/test-kit/programs";
import { afterAll, describe, expect, it } from "vitest";
import { Bench, SCENARIO } from "./bench.ts";
import { PushService, senderOf } from "./push-service.ts";
import { bindingOf, refusalOf } from "./raw-client.ts";
import type { RawClient } from "./raw-client.ts";
import { makePlace, startServer } from "./server-process.ts";

const CHOICES = {
  waiting: true,
  finished: true,
  failed: true,
  content: "shown",
  quiet: null,
  mutedSessions: [],
  mutedProjects: [],
};

const service = await PushService.start();
afterAll(() => service.stop());
const shared = Bench.shared(["--notify-host", service.host]);
const start = (): Promise<Bench> => Bench.start(makePlace(SCENARIO), ["--notify-host", service.host]);

const set = (client: RawClient, choices: object): Promise<unknown> =>
  client.command("notifications/set", { choices: { ...CHOICES, ...choices } });

const ask = async (client: RawClient, session: string, content = "touch"): Promise<void> => {
  await client.command("session/prompt", { session, content });
};

/** The request that is open now. */
const requestOf = async (bench: Bench, client: RawClient, session: string) =>
  (await bench.mirror(client, session)).request();

describe("[E252] a push of a waiting request", () => {
  it("is encrypted and signed, says what is asked, offers an answer where it may, and is withdrawn (S79)", async () => {
    const bench = await start();
    const admin = await bench.client();
    const viewer = await bench.clientWith("view", admin);
    const [desk, wall] = [service.subscription("desk"), service.subscription("wall")];
    await admin.command("notifications/subscribe", desk.params);
    await viewer.command("notifications/subscribe", wall.params);
    const { publicKey } = await admin.call("notifications/get");
    const session = await bench.session(admin);
    await ask(admin, session);

    await expect.poll(() => [desk.arrivals.length, wall.arrivals.length]).toEqual([1, 1]);
    const request = await requestOf(bench, admin, session);
    const { requestId: id, ...binding } = bindingOf(request);
    const [shown] = desk.messages;
    expect(shown).toMatchObject({
      v: 1,
      do: "show",
      event: "waiting",
      session,
      body: "Wants to run: touch made.txt",
      request: { id, ...binding },
    });
    // A device that may not answer gets no button, and nothing to answer with.
    expect(wall.messages[0]).toMatchObject({ do: "show", body: "Wants to run: touch made.txt" });
    expect(wall.messages[0].request).toBeUndefined();
    const [arrival] = desk.arrivals;
    expect(senderOf(arrival!)).toMatchObject({ key: publicKey, claims: { aud: `http://${service.host}` } });
    expect(arrival!.headers).toMatchObject({ "content-encoding": "aes128gcm", urgency: "high", ttl: "43200" });

    await admin.command("session/respond", { session, ...bindingOf(request), answer: { kind: "allow" } });
    await expect.poll(() => desk.messages.map((one) => one.do)).toEqual(["show", "withdraw", "show"]);
    expect(desk.messages[1]).toEqual({ v: 1, do: "withdraw", tag: shown.tag });
    expect(desk.messages[2]).toMatchObject({ event: "finished", session, body: "Finished." });
    // The push service replaces what it could not deliver yet.
    expect(desk.arrivals[1]!.headers["topic"]).toBe(arrival!.headers["topic"]);

    // (S79) A dangerous request is announced, and answered on the page only.
    await ask(admin, session, "remove");
    await expect.poll(() => desk.messages.length).toBe(4);
    expect(desk.messages[3]).toMatchObject({ event: "waiting", body: "Needs you. Bash: rm -rf made.txt" });
    expect(desk.messages[3].request).toBeUndefined();
  });
});

describe("[E253] a push is held back", () => {
  it("while a person looks, in quiet hours, and for muted sessions and projects", { tags: "long" }, async () => {
    const bench = await start();
    const admin = await bench.client();
    const [phone, witness] = [service.subscription("phone"), service.subscription("witness")];
    await admin.command("notifications/subscribe", phone.params);
    const others = await bench.clientWith("view", admin);
    await others.command("notifications/subscribe", witness.params);
    await set(others, { finished: false });
    /** What the phone got beyond the first ones, when everything that was on its way has arrived. */
    const newsAfter = async (count: number): Promise<unknown[]> => {
      await admin.command("notifications/test", {});
      return phone.messages.slice(count).map((one) => one.event ?? one.do);
    };

    const page = await bench.client();
    await page.call("notifications/look", { looking: true });
    const session = await bench.session(admin);
    await ask(admin, session);
    const request = await requestOf(bench, admin, session);
    await set(admin, {});
    expect(await newsAfter(0)).toEqual(["test"]);
    await page.drop();
    await expect.poll(() => phone.messages.slice(1).map((one) => one.session)).toEqual([session]);
    const deny = { kind: "deny", message: "no" };
    await admin.command("session/respond", { session, ...bindingOf(request), answer: deny });
    await expect
      .poll(() => phone.messages.slice(1).map((one) => one.event ?? one.do))
      .toEqual(["waiting", "withdraw", "finished"]);

    const listed = await admin.call("sessions/list", {});
    const { project } = listed.sessions.find(({ id }: { id: string }) => id === session);
    const other = await bench.session(admin);
    const hour = (shift: number): string =>
      `${String((new Date().getUTCHours() + shift + 24) % 24).padStart(2, "0")}:00`;
    const quiet = { from: hour(-2), to: hour(3), timeZone: "UTC" };
    for (const choices of [{ quiet }, { mutedSessions: [other] }, { mutedProjects: [project] }, { waiting: false }]) {
      const [before, seen] = [phone.arrivals.length, witness.arrivals.length];
      await set(admin, { finished: false, ...choices });
      await ask(admin, other);
      const open = await requestOf(bench, admin, other);
      await expect.poll(() => witness.arrivals.length).toBe(seen + 1);
      expect(await newsAfter(before), JSON.stringify(choices)).toEqual(["test"]);
      // It goes out when the choice ends.
      await set(admin, { finished: false });
      await expect.poll(() => phone.arrivals.length).toBe(before + 2);
      expect(phone.messages.at(-1)).toMatchObject({ event: "waiting", session: other });
      await admin.command("session/respond", { session: other, ...bindingOf(open), answer: deny });
      await expect.poll(() => phone.messages.at(-1)?.do).toBe("withdraw");
      await expect.poll(() => witness.messages.at(-1)?.do).toBe("withdraw");
    }

    await set(admin, { content: "hidden", finished: false });
    await ask(admin, other);
    await expect.poll(() => phone.messages.at(-1)?.body).toBe("A session needs you");
    expect(phone.messages.at(-1)).toMatchObject({ title: "Quarterdeck" });
    expect(phone.messages.at(-1).request).toBeUndefined();
  });
});

describe("[E254] a subscription", () => {
  it("is private, is tried again after a failure, and ends with the push service or the device", async () => {
    const bench = await start();
    const admin = await bench.client();
    const { id, token } = await admin.command("devices/addToken", { role: "operate", name: "phone" });
    const owner = await bench.client(token);
    const kept = service.subscription("kept");
    await owner.command("notifications/subscribe", kept.params);
    const gone = service.subscription("gone");
    await admin.command("notifications/subscribe", gone.params);
    for (const name of ["notifications.json", "push-key.json"])
      expect(statSync(join(bench.place.dataDir, name)).mode & 0o777).toBe(0o600);

    service.answers.push(503);
    expect((await owner.command("notifications/test", {})).results).toEqual([
      { host: service.host, ok: false, problem: "The other server answered 503." },
    ]);
    service.answers.push(410);
    expect((await admin.command("notifications/test", {})).results[0].ok).toBe(false);

    // Both get the request. One push service fails once and then takes it, the other has forgotten the browser.
    const session = await bench.session(admin);
    await set(owner, { waiting: true, finished: false });
    await set(admin, { waiting: false, finished: false });
    service.answers.push(503);
    await ask(admin, session);
    await expect.poll(() => kept.messages.filter((one) => one.event === "waiting").length).toBe(2);
    service.answers.push(410);
    await set(admin, { waiting: true, finished: false });
    await expect.poll(async () => (await admin.call("notifications/get")).subscriptions).toEqual([]);
    expect((await owner.call("notifications/get")).subscriptions).toHaveLength(1);

    await admin.command("devices/revoke", { id });
    await expect.poll(() => kept.messages.at(-1)).toEqual({ v: 1, do: "revoke" });
    expect(readFileSync(join(bench.place.dataDir, "notifications.json"), "utf8")).not.toContain("/push/kept");
  });

  it("is refused if it leads anywhere but to a public host (S77)", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const { p256dh, auth } = service.subscription("none").params;
    const add = (endpoint: string): Promise<unknown> =>
      refusalOf(admin.command("notifications/subscribe", { endpoint, p256dh, auth }));
    for (const endpoint of [
      "http://push.example.com/x",
      "https://127.0.0.1/x",
      "https://[::1]/x",
      "https://[::ffff:10.0.0.1]/x",
      "https://169.254.169.254/latest",
      "https://0x7f000001/x",
      "https://localhost/x",
      "https://router.lan/x",
      "https://user:word@push.example.com/x",
      "ftp://push.example.com/x",
      `http://${service.host.replace(/:\d+$/u, ":1")}/x`,
      "nonsense",
    ])
      expect(await add(endpoint), endpoint).toMatchObject({ code: "bad-request" });
    expect(
      await refusalOf(
        admin.command("notifications/subscribe", { endpoint: "https://push.example.com/x", p256dh: auth, auth }),
      ),
    ).toMatchObject({ code: "bad-request" });
    expect((await admin.call("notifications/get")).subscriptions).toEqual([]);
  });
});

describe("[E255] a webhook and an ntfy topic", () => {
  it("get signed events without content, and take them back; only an admin sets them (S78)", async () => {
    const bench = await shared();
    const admin = await bench.client();
    const operator = await bench.clientWith("operate", admin);
    const hook = { kind: "webhook", url: `http://${service.host}/hook`, choices: { ...CHOICES, content: "hidden" } };
    expect(await refusalOf(operator.command("notifications/setTarget", hook))).toMatchObject({ code: "forbidden" });
    expect(await refusalOf(operator.call("notifications/targets"))).toMatchObject({ code: "forbidden" });
    const { id, secret } = await admin.command("notifications/setTarget", hook);
    const topic = {
      kind: "ntfy",
      url: `http://${service.host}/my-topic`,
      token: "tk_1",
      choices: { ...CHOICES, finished: false },
    };
    await admin.command("notifications/setTarget", topic);
    const { targets } = await admin.call("notifications/targets");
    expect(JSON.stringify(targets)).not.toContain(secret);
    expect(JSON.stringify(targets)).not.toContain("tk_1");
    expect(await admin.command("notifications/testTarget", { id })).toEqual({ ok: true });

    const session = await bench.session(admin);
    await ask(admin, session);
    const request = await requestOf(bench, admin, session);
    const to = (path: string) => service.arrivals.filter((one) => one.path.startsWith(path));
    await expect.poll(() => [to("/hook").length, to("/my-topic").length]).toEqual([2, 1]);
    await admin.command("session/respond", { session, ...bindingOf(request), answer: { kind: "allow" } });
    await expect.poll(() => to("/hook").length).toBe(4);
    const events = to("/hook").map(({ body, headers }) => {
      const signed = createHmac("sha256", secret)
        .update(`${String(headers["x-quarterdeck-time"])}.`)
        .update(body);
      expect(headers["x-quarterdeck-signature"]).toBe(`sha256=${signed.digest("hex")}`);
      return JSON.parse(body.toString()) as Record<string, unknown>;
    });
    expect(events.map(({ event }) => event)).toEqual(["test", "waiting", "withdrawn", "finished"]);
    expect(events[1]).toEqual({ version: 1, id: events[2]!["id"], event: "waiting", at: request.at, session });
    await expect.poll(() => to("/my-topic").length).toBe(2);
    const [shown, taken] = to("/my-topic");
    expect(shown!.body.toString()).toBe("Wants to run: touch made.txt");
    expect(shown!.headers).toMatchObject({ authorization: "Bearer tk_1", "x-priority": "4" });
    expect([taken!.method, taken!.path]).toEqual(["DELETE", `/my-topic/${String(shown!.headers["x-sequence-id"])}`]);

    await admin.command("notifications/removeTarget", { id });
    expect((await admin.call("notifications/targets")).targets).toHaveLength(1);
  });
});

describe("[E208] quarterdeck notify", () => {
  it("adds, lists, tests and removes targets of the running server, and never shows a secret again", async () => {
    const bench = await shared();
    const notify = async (words: readonly string[], stdin = "") => {
      const args = [...programWords("quarterdeck"), "notify", ...words, "--data-dir", bench.place.dataDir];
      const child = spawn(process.execPath, args, { env: { HOME: bench.place.home, PATH: "/usr/bin:/bin" } });
      const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
      child.stdin.end(stdin);
      const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
      return { out, err, code };
    };
    const hook = `http://${service.host}/by-command`;
    const topic = `http://${service.host}/by-command-topic`;
    const added = await notify(["add", "webhook", hook, "--events", "waiting,failed", "--json"]);
    expect(added).toMatchObject({ code: 0, err: "" });
    const { id, secret } = JSON.parse(added.out) as { id: string; secret: string };
    expect(await notify(["add", "ntfy", topic, "--content", "--token"], "tk_2\n")).toMatchObject({ code: 0, err: "" });

    const admin = await bench.client();
    const { targets } = await admin.call("notifications/targets");
    const mine = targets.filter(({ url }: { url: string }) => url === hook || url === topic);
    expect(mine).toMatchObject([
      { id, kind: "webhook", choices: { waiting: true, finished: false, failed: true, content: "hidden" } },
      { kind: "ntfy", hasSecret: true, choices: { waiting: true, finished: true, failed: true, content: "shown" } },
    ]);
    const listed = await notify([]);
    expect(listed.out).toMatch(/webhook +http\S+\/by-command +waiting,failed +hidden/u);
    expect(listed.out).not.toContain(secret);
    expect(listed.out).not.toContain("tk_2");

    expect(await notify(["test", id])).toEqual({ code: 0, out: `${hook} took the test.\n`, err: "" });
    const [arrived] = service.arrivals.filter(({ path }) => path === "/by-command");
    const signed = createHmac("sha256", secret).update(`${String(arrived!.headers["x-quarterdeck-time"])}.`);
    expect(arrived!.headers["x-quarterdeck-signature"]).toBe(`sha256=${signed.update(arrived!.body).digest("hex")}`);
    for (const wanted of [id, topic]) expect(await notify(["remove", wanted])).toMatchObject({ code: 0, err: "" });
    expect(await notify(["test", id])).toMatchObject({ code: 1, err: expect.stringContaining("does not exist") });
    // A private host that nobody named, and words that the command does not know.
    const wrong = [
      ["add", "webhook", "http://127.0.0.1:9/x"],
      ["add", "pager", hook],
      ["list", "--content"],
    ];
    expect(await Promise.all(wrong.map((words) => notify(words)))).toMatchObject([
      { code: 1, out: "" },
      { code: 2, out: "" },
      { code: 2, out: "" },
    ]);
  });
});

describe("[E257] the address for a phone", () => {
  it(
    "is said to be out of reach on this machine only, with what Tailscale needs, for admins",
    { tags: "long" },
    async () => {
      // Tailscale is not installed where tests run. This program answers as it does.
      const bench = await Bench.start(makePlace(SCENARIO));
      const admin = await bench.client();
      expect(await admin.call("devices/reach")).toEqual({ origin: bench.server.url, fromOutside: false, commands: [] });
      const operator = await bench.clientWith("operate", admin);
      expect(await refusalOf(operator.call("devices/reach"))).toMatchObject({ code: "forbidden" });
      await bench.server.stop();

      const bin = join(bench.place.root, "bin");
      mkdirSync(bin);
      const status = JSON.stringify({ BackendState: "Running", Self: { DNSName: "mybox.tail1234.ts.net." } });
      writeFileSync(join(bin, "tailscale"), `#!/bin/sh\n[ "$1" = status ] && echo '${status}' || echo '{}'\n`);
      chmodSync(join(bin, "tailscale"), 0o755);
      bench.server = await startServer(bench.place, [], { PATH: `${bin}:${process.env["PATH"] ?? ""}` });
      const { port } = new URL(bench.server.url);
      expect(await (await bench.client()).call("devices/reach")).toMatchObject({
        fromOutside: false,
        tailscale: { name: "mybox.tail1234.ts.net", isServed: false },
        commands: [
          `tailscale serve --bg ${port}`,
          `npx quarterdeck serve --port ${port} --behind-proxy --allow-host mybox.tail1234.ts.net`,
        ],
      });
    },
  );
});
