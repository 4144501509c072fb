// Two real servers in one fleet, with a real NATS server between them.

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { hashOf } from "@quarterdeck/client";
import type { Client } from "@quarterdeck/client";
import { browserKey } from "@quarterdeck/test-kit/browser-key";
import { freePort, natsProgram, startNats } from "@quarterdeck/test-kit/nats-server";
import { programWords } from "@quarterdeck/test-kit/programs";
import { makePlace } from "../bridge/server-process.ts";
import { SCENARIO } from "../bridge/bench.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { certify } from "./certificate.ts";
import { Machine } from "./machines.ts";

const hub = new Machine();
const place = makePlace(SCENARIO);
const modules = join(place.root, "modules.txt");
const box = new Machine(place, {
  program: ["--import", join(import.meta.dirname, "loaded-modules.ts"), ...programWords("quarterdeck")],
  env: { QUARTERDECK_LOADED_MODULES: modules },
});
/** Modules of the box with code of the NATS client. The programs of a test are bundles, so their names say little. */
const natsModules = (): string[] =>
  readFileSync(modules, "utf8")
    .split("\n")
    .filter(
      (url) => url.startsWith("file:") && readFileSync(fileURLToPath(url), "utf8").includes("NatsConnectionImpl"),
    );
let port = 0;
let firstCode = "";

beforeAll(async () => {
  port = await freePort();
  await Promise.all([hub.start(), box.start()]);
  ({ code: firstCode } = await hub.create(port));
});
afterAll(() => Promise.all([hub.close(), box.close()]));

const closing = (client: Client): Client => {
  onTestFinished(() => client.close());
  return client;
};
const inFleet = (machine: Machine): boolean => existsSync(join(machine.place.dataDir, "fleet"));

it("[E325] a server that is in no fleet loads nothing of NATS", async () => {
  expect(readFileSync(modules, "utf8").split("\n").length).toBeGreaterThan(10);
  expect(natsModules()).toEqual([]);
});

describe("joining", () => {
  it(
    "[E286] refuses a wrong code, name or NATS server in one sentence, and leaves nothing behind",
    { tags: "long" },
    async () => {
      const accept = ["--accept-nats", natsProgram().version];
      const refused = async (code: string, ...words: string[]): Promise<string> => {
        const said = await box.run("fleet", "join", code, "--allow", "view", "--name", "box", ...accept, ...words);
        expect([said.code, said.out, inFleet(box)]).toEqual([1, "", false]);
        return said.error;
      };
      expect(await refused("hello")).toContain("not a join code");
      expect(await refused(firstCode.slice(0, -3))).toContain("incomplete or was changed");
      expect(await refused(firstCode, "--name", "hub")).toContain("Another machine of the fleet has this name");
      expect(await refused(firstCode, "--name", "Box 1")).toContain("cannot be the name of a machine");
      // The first attempts did not use up the code. The hub decides by its own clock and record.
      const hubFile = join(hub.place.dataDir, "fleet", "hub.json");
      const kept = readFileSync(hubFile, "utf8");
      const changed = (change: (code: Record<string, unknown>) => void): void => {
        const record = JSON.parse(kept) as { codes: Record<string, Record<string, unknown>> };
        for (const code of Object.values(record.codes)) change(code);
        writeFileSync(hubFile, JSON.stringify(record));
      };
      changed((code) => (code["expiresAt"] = Date.now() - 1));
      expect(await refused(firstCode)).toContain("too old");
      changed((code) => (code["usedBy"] = "another"));
      expect(await refused(firstCode)).toContain("used already");
      writeFileSync(hubFile, kept);
      // A code of a fleet that is gone: the server at its address does not know it.
      const other = new Machine();
      onTestFinished(() => other.place.remove());
      const { code: otherCode } = await other.create(port, "--own-nats");
      expect(await refused(otherCode)).toContain("for another fleet");
      // A server that is open to all.
      const openPort = await freePort();
      const config = join(other.place.root, "open.conf");
      writeFileSync(config, `host: "127.0.0.1"\nport: ${String(openPort)}\n`);
      const open = await startNats(config, openPort);
      onTestFinished(() => open.kill());
      other.forgetFleet();
      const { code: openCode } = await other.create(openPort, "--own-nats");
      expect(await refused(openCode)).toContain("open to all");
      // A server that is too old for this machine.
      expect(await refused(firstCode, "--accept-nats", "99.0.0")).toContain("is too old");
      await open.kill();
      const unreachable = await refused(openCode);
      expect(unreachable).toContain("cannot be reached");
      expect(unreachable).toContain("works only on the hub itself");
      const { code: named } = await hub.fleet<{ code: string }>("code", "--for", "other-box");
      expect(await refused(named)).toContain("This code is for the machine other-box. Use --name other-box.");
    },
  );

  it(
    "[E323] makes no half of a fleet: a port, address, certificate or nats-server that cannot be used",
    { tags: "long" },
    async () => {
      const [machine, old] = [new Machine(), join(hub.place.root, "old-nats")];
      onTestFinished(() => machine.close());
      writeFileSync(old, "#!/bin/sh\necho nats-server: v2.9.10\n", { mode: 0o755 });
      const [cert, key, otherKey] = ["deck.pem", "deck.key", "other.key"].map((name) =>
        join(machine.place.root, name),
      ) as [string, string, string];
      certify(cert, key);
      certify(join(machine.place.root, "other.pem"), otherKey);
      const free = `127.0.0.1:${String(await freePort())}`;
      const { command, version } = natsProgram();
      const create = ["create", "Other", "--name", "other", "--allow", "none"];
      const refused = async (...words: string[]): Promise<string> => {
        const nats = ["--nats-server", command, "--accept-nats", version];
        const said = await machine.run("fleet", ...create, ...nats, ...words);
        expect([said.code, said.out, inFleet(machine)]).toEqual([1, "", false]);
        return said.error;
      };
      const tls = ["--listen", `0.0.0.0:${free.split(":")[1]!}`, "--reach-at", "127.0.0.1", "--tls-cert"];
      const attempts = async (): Promise<void> => {
        // The NATS server of the hub is there.
        expect(await refused("--listen", `127.0.0.1:${String(port)}`)).toContain("is in use by another program");
        expect(await refused("--listen", "192.0.2.1:4222", "--tls-cert", cert, "--tls-key", key)).toContain(
          "cannot listen",
        );
        expect(await refused("--listen", `0.0.0.0:${free.split(":")[1]!}`)).toContain("Without TLS on 0.0.0.0");
        expect(await refused(...tls, cert, "--tls-key", otherKey)).toContain("is not the key of the certificate");
        // Nobody could use the code.
        const everywhere = [...tls.slice(0, 2), "--tls-cert", cert, "--tls-key", key];
        expect(await refused(...everywhere)).toContain("Name the one that other machines reach with --reach-at");
        expect(await refused(...everywhere, "--reach-at", free)).toContain("Use --reach-at without a port");
        expect(await refused(...tls, join(machine.place.root, "none.pem"), "--tls-key", key)).toContain(
          "cannot be used",
        );
        expect(await refused("--listen", free, "--nats-server", old, "--accept-nats", "2.12.7")).toContain(
          "is too old",
        );
        expect(await refused("--listen", free, "--nats-server", "/no/nats-server")).toContain("was not found");
        expect(await refused("--listen", free, "--nats-server", "/bin/true")).toContain("does not say its version");
      };
      await attempts();
      await machine.start();
      await attempts();
      // It says its version, and does not start.
      const broken = join(machine.place.root, "broken-nats");
      writeFileSync(broken, `#!/bin/sh\n[ "$1" = --version ] && echo nats-server: v${version} || exit 1\n`, {
        mode: 0o755,
      });
      expect(await refused("--listen", free, "--nats-server", broken)).toContain("nats-server does not start");
      // A container needs no program here.
      const made = await machine.fleet(...create, "--listen", free, "--own-nats", "--nats-server", "/no/nats-server");
      expect(made).toMatchObject({ bus: "none" });
      await machine.fleet("leave");
    },
  );

  it("[E287] brings both machines into one list, and doctor finds nothing wrong", async () => {
    await box.join(firstCode, "box", "view");
    await expect.poll(() => Promise.all([hub.sees("box"), box.sees("hub")])).toEqual(["here", "here"]);
    // [E325] It is loaded now.
    expect(natsModules().length).toBeGreaterThan(0);
    const again = await box.run("fleet", "join", firstCode, "--allow", "view");
    expect([again.code, again.error]).toEqual([1, expect.stringContaining("Leave it first")]);
    for (const machine of [hub, box]) {
      const checks = await machine.fleet<{ about: string; ok: boolean }[]>("doctor");
      expect(checks.filter(({ ok }) => !ok)).toEqual([]);
      expect(checks.map(({ about }) => about)).toEqual(expect.arrayContaining(["reach", "version", "permissions"]));
    }
  });
});

describe("a device of another machine", () => {
  it("[E288] has the smaller of both roles, needs its own key, and is out when its owner or the machine says so", async () => {
    const [admin, viewer] = [await hub.pair("admin"), await hub.pair("view")];
    const client = closing(hub.through("box", admin));
    // Introduced as admin, allowed to view.
    expect(await client.call("sessions/list", {})).toMatchObject({ sessions: [] });
    expect(client.info?.device).toMatchObject({ role: "view", name: "A admin (hub)" });
    await expect(client.command("sessions/start", { cwd: box.place.cwd })).rejects.toMatchObject({ code: "forbidden" });
    // Its owner allows more: at once, on the same connection. A device never has more than its own machine gave it.
    await box.fleet("allow", "hub", "admin");
    const started = await client.command("sessions/start", { cwd: box.place.cwd, settings: {} });
    expect((await client.call("sessions/list", {})).sessions.map(({ id }) => id)).toEqual([started.session.id]);
    const low = closing(hub.through("box", viewer));
    await expect(low.command("sessions/start", { cwd: box.place.cwd })).rejects.toMatchObject({ code: "forbidden" });
    // Access that would outlive the gateway's cannot be made through it.
    for (const attempt of [
      client.command("devices/pair", { role: "admin" }),
      client.command("devices/addToken", { role: "admin", name: "x" }),
      client.command("fleet/reload", {}),
    ])
      await expect(attempt).rejects.toMatchObject({ code: "forbidden" });
    // A key that the gateway did not introduce, and a token, do not work.
    const forged = closing(hub.through("box", { ...viewer, id: admin.id }));
    await expect.poll(() => forged.state).toMatchObject({ status: "refused", code: "unauthenticated" });
    const { url, token } = hub.server!;
    const asked = await fetch(new URL("/m/box/metrics", url), { headers: { authorization: `Bearer ${token}` } });
    expect(asked.status).toBe(401);
    expect((await fetch(new URL("/m/box/healthz", url))).status).toBe(200);
    // Revoked at home: out at the other machine.
    const owner = closing(hub.admin());
    await owner.command("devices/revoke", { id: admin.id });
    await expect.poll(() => client.state).toMatchObject({ status: "refused", code: "revoked" });
    // The machine's owner takes everything back.
    await box.fleet("allow", "hub", "none");
    await expect.poll(() => low.state.status).not.toBe("open");
    const shut = await fetch(new URL("/m/box/healthz", url));
    expect([shut.status, await shut.json()]).toMatchObject([403, { error: { code: "forbidden" } }]);
    // Nobody is let in at the hub, whose owner said none.
    expect((await fetch(new URL("/m/hub/healthz", box.server!.url))).status).toBe(403);
  });

  it("[E274] keeps to the folders that the machine's owner shares with its machine (S84)", async () => {
    const [shared, other] = ["shared", "other"].map((name) => join(box.place.cwd, name)) as [string, string];
    for (const folder of [shared, other]) mkdirSync(folder);
    symlinkSync(other, join(shared, "link"));
    writeFileSync(join(other, "secret.txt"), "secret");
    const direct = closing(box.admin());
    const outside = (await direct.command("sessions/start", { cwd: other, prompt: "say hello" })).session.id;
    await expect
      .poll(async () => (await direct.call("sessions/list", { query: outside })).sessions[0]?.lastText)
      .toBe("Hello there.");
    expect(await box.fleet("allow", "hub", "admin", "--folder", shared)).toMatchObject({ folders: [shared] });
    const client = closing(hub.through("box", await hub.pair("admin")));
    const stop = client.sessions.subscribe(() => undefined);
    onTestFinished(stop);
    const inside = (await client.command("sessions/start", { cwd: shared, prompt: "say hello" })).session.id;
    const listed = () => client.sessions.snapshot.sessions.map(({ id }) => id);
    await expect.poll(listed).toEqual([inside]);
    await expect
      .poll(async () => (await direct.call("sessions/search", { query: "there" })).hits.map(({ session }) => session))
      .toEqual(expect.arrayContaining([inside, outside]));
    const hits = (await client.call("sessions/search", { query: "there" })).hits.map(({ session }) => session);
    expect(new Set(hits)).toEqual(new Set([inside]));
    expect((await client.call("projects/list", {})).projects.map(({ path }) => path)).toEqual([shared]);
    expect((await client.call("files/list", {})).entries.map(({ path }) => path)).toEqual([shared]);
    expect(client.info?.machine.roots).toEqual([shared]);
    const unknown = { code: "unknown-session" };
    const [hidden, forbidden] = [{ code: "outside-roots" }, { code: "forbidden" }];
    const attempts = [
      [unknown, client.call("session/subscribe", { session: outside })],
      [unknown, client.call("session/events", { session: outside })],
      [unknown, client.call("tickets/create", { kind: "export", session: outside, format: "markdown" })],
      [unknown, client.command("session/prompt", { session: outside, content: "hello" })],
      [unknown, client.command("sessions/delete", { session: outside })],
      [unknown, client.command("sessions/start", { commandId: outside, cwd: shared })],
      [hidden, client.command("sessions/start", { cwd: other })],
      [hidden, client.command("sessions/start", { cwd: shared, settings: { addDir: [other] } })],
      [hidden, client.call("projects/inspect", { cwd: join(shared, "link") })],
      [hidden, client.call("files/list", { path: join(shared, "link") })],
      [hidden, client.call("files/read", { session: inside, path: join(shared, "link", "secret.txt") })],
      [hidden, client.call("git/brief", { folders: [shared, other] })],
      [forbidden, client.call("usage/report", { from: 0, to: 1 })],
      [forbidden, client.call("server/settings", {})],
      [forbidden, client.call("audit/list", {})],
    ] as const;
    await Promise.all(attempts.map(([refusal, attempt]) => expect(attempt).rejects.toMatchObject(refusal)));
    // Changes of the other session are not reported.
    await direct.command("sessions/rename", { session: outside, title: "Renamed" });
    await direct.command("sessions/rename", { session: inside, title: "Mine" });
    await expect.poll(() => client.sessions.snapshot.sessions.map(({ title }) => title)).toEqual(["Mine"]);
    // The limit stays when only the role changes, and ends in words.
    expect(await box.fleet("allow", "hub", "operate")).toMatchObject({ folders: [shared] });
    await expect(client.call("session/events", { session: outside })).rejects.toMatchObject(unknown);
    await box.fleet("allow", "hub", "admin", "--all-folders");
    await expect.poll(listed).toEqual(expect.arrayContaining([inside, outside]));
  });

  it("[E289] runs each command once, whatever happens to NATS, and is refused at once while a machine is away", async () => {
    await box.fleet("allow", "hub", "admin");
    const client = closing(hub.through("box", await hub.pair("operate")));
    const before = (await client.call("sessions/list", {})).sessions.length;
    const nats = (): number => Number(readFileSync(join(hub.place.dataDir, "fleet", "nats.pid"), "utf8"));
    const commands = Array.from({ length: 6 }, () => randomUUID());
    for (const [at, commandId] of commands.entries()) {
      const both = [1, 2].map(() => client.command("sessions/start", { commandId, cwd: box.place.cwd }));
      if (at % 2 === 1) process.kill(nats(), "SIGKILL");
      for (const { session } of await Promise.all(both)) expect(session.id).toBe(commandId);
    }
    const direct = closing(box.admin());
    const { sessions } = await direct.call("sessions/list", {});
    expect(sessions.length).toBe(before + commands.length);
    expect(sessions.map(({ id }) => id)).toEqual(expect.arrayContaining(commands));

    // The hub cannot save who was here, for example because a command removes the folder. It works on.
    const roster = join(hub.place.dataDir, "fleet", "roster.json");
    rmSync(roster);
    mkdirSync(roster);
    await box.server!.stop();
    const away = await fetch(new URL("/m/box/healthz", hub.server!.url));
    expect([away.status, await away.json()]).toMatchObject([503, { error: { code: "machine-away" } }]);
    await expect.poll(() => hub.sees("box")).toBe("away");
    expect(hub.server!.output()).toContain("machines of the fleet not saved");
    rmSync(roster, { recursive: true });
    const unsent = await hub.run("send", commands[0]!, "--on", "box", "hello");
    expect([unsent.code, unsent.error]).toEqual([1, expect.stringMatching(/box is away since .*Nothing was sent/u)]);
    await box.start();
    await expect.poll(() => hub.sees("box")).toBe("here");
    expect((await client.call("sessions/list", {})).sessions.length).toBe(before + commands.length);
  });
});

describe("the command line", () => {
  it("[E273] runs, lists, follows, sends and answers on another machine, and reports what cannot work", async () => {
    const done = await hub.run("run", "--on", "box", "--cwd", box.place.cwd, "say hello");
    expect([done.code, done.out]).toEqual([0, expect.stringContaining("Hello there.")]);
    const listed = await hub.run("ls", "--all", "--json", "hello");
    const [found] = JSON.parse(listed.out) as { id: string; machine: string }[];
    expect(found?.machine).toBe("box");
    const id = found!.id;
    expect(done.error + done.out).toContain(`quarterdeck run --resume ${id.slice(0, 8)} --on box "…"`);
    const table = await hub.run("ls", "hello");
    expect(table.out).toMatch(new RegExp(`^MACHINE.*\nbox +${id.slice(0, 8)} `, "u"));
    // The second command uses the device of the first one.
    const admin = closing(hub.admin());
    const { devices } = await admin.call("devices/list", {});
    expect(devices.filter(({ name }) => name === "Commands of hub")).toHaveLength(1);

    expect((await hub.run("send", id, "--on", "box", "touch it")).out).toBe(`Sent to ${id.slice(0, 8)}.\n`);
    const direct = closing(box.admin());
    const waiting = async () => (await direct.call("sessions/list", { state: "waiting" })).sessions[0]?.waiting[0]?.id;
    await expect.poll(waiting).toBeDefined();
    const allowed = await hub.run("approve", (await waiting())!, "--on", "box");
    expect([allowed.code, allowed.out]).toEqual([0, expect.stringContaining("Allowed by Commands of hub (hub).")]);
    await expect
      .poll(async () => (await direct.call("sessions/list", { query: id })).sessions[0]?.lastText)
      .toContain("Made.");
    const shown = await hub.run("attach", id, "--on", "box", "--no-follow", "--last", "2");
    expect(shown.out).toContain("Made.");

    const wrong = async (machine: Machine, ...words: string[]): Promise<string> => {
      const { code, error } = await machine.run(...words);
      expect(code).not.toBe(0);
      return error;
    };
    expect(await wrong(hub, "ls", "--on", "nobody")).toContain("The fleet has no machine nobody. It has: hub, box.");
    expect(await wrong(hub, "run", "--on", "box", "hello")).toContain("--on needs --cwd");
    expect(await wrong(box, "ls", "--on", "hub")).toContain("hub does not let devices of box in");
    await box.fleet("allow", "hub", "view");
    expect(await wrong(hub, "send", id, "--on", "box", "hello")).toMatch(/needs the role .*The owner of box decides/u);
    await box.fleet("allow", "hub", "admin");
  });
});

describe("two gateways", () => {
  it(
    "[E326] serve the same machine: one is killed, its client goes on at the other one, and nobody else notices",
    { tags: "long" },
    async () => {
      const desk = new Machine();
      onTestFinished(() => desk.close());
      await desk.start();
      const { code } = await hub.fleet<{ code: string }>("code", "--for", "desk");
      await desk.join(code, "desk", "none");
      await expect.poll(() => desk.sees("box")).toBe("here");
      await box.fleet("allow", "desk", "operate");
      // A person's phone, which both gateways know.
      const key = await browserKey();
      const atHub = await hub.pair("operate", key);
      const [kept, lost] = [
        closing(hub.through("box", atHub)),
        closing(desk.through("box", await desk.pair("operate", key))),
      ];
      const { id: session } = (await lost.command("sessions/start", { cwd: box.place.cwd, prompt: "touch it" }))
        .session;
      const [keptView, lostView] = [kept.session(session), lost.session(session)];
      for (const view of [keptView, lostView]) await expect.poll(() => view.snapshot.head.requests.length).toBe(1);
      const states: string[] = [];
      kept.onState(({ status }) => states.push(status));

      const prompts = Array.from({ length: 6 }, (_, at) => ({
        commandId: randomUUID(),
        content: `hello ${String(at)} of six`,
      }));
      const sendAll = (client: Client) =>
        prompts.map((prompt) => client.command("session/prompt", { session, ...prompt }));
      const sent = sendAll(lost);
      const settled = Promise.allSettled(sent);
      await Promise.race(sent);
      await desk.server!.kill();
      lost.close();
      await settled;
      // The same phone at the hub's address. What was under way is sent again with its id.
      const again = closing(hub.through("box", atHub));
      await Promise.all(sendAll(again));
      const view = again.session(session);
      await expect.poll(() => view.snapshot.head.requests.length).toBe(1);
      const { id: requestId, incarnation, request } = view.snapshot.head.requests[0]!;
      const answer = {
        session,
        requestId,
        incarnation,
        inputHash: await hashOf(request),
        answer: { kind: "allow" as const },
      };
      await again.command("session/respond", answer);
      const reached = () =>
        box.place
          .linesToCli()
          .filter(({ type }) => type === "user")
          .flatMap((line) => JSON.stringify(line).match(/hello \d of six/gu) ?? []);
      await expect.poll(() => reached().toSorted()).toEqual(prompts.map(({ content }) => content));
      const isSame = () =>
        keptView.snapshot.head.requests.length === 0 && isDeepStrictEqual(keptView.snapshot.rows, view.snapshot.rows);
      await expect.poll(isSame).toBe(true);
      expect(states.filter((state) => state !== "open")).toEqual([]);
      // The tests that follow have neither.
      const direct = closing(box.admin());
      await direct.command("sessions/delete", { session });
      await hub.fleet("revoke", "desk");
    },
  );
});

describe("an archive", () => {
  it("[E284] keeps what a machine has, can be read and searched without it, and loses what is deleted there (S85)", async () => {
    const direct = closing(box.admin());
    const { hits } = await direct.call("sessions/search", { query: "there" });
    const [{ session: id }, { session: doomed }] = [
      hits[0]!,
      hits.find(({ session }) => session !== hits[0]!.session)!,
    ];
    const archive = new Machine();
    onTestFinished(() => archive.close());
    const pull = () =>
      hub.fleet<{ facts: number; deleted: number }[]>("archive", "box", "--into", archive.place.dataDir);
    const [first] = await pull();
    expect(first).toMatchObject({ deleted: 0 });
    expect(first!.facts).toBeGreaterThan(0);
    const rowsOf = async (client: Client, session: string) => (await client.call("session/rows", { session })).rows;
    const rows = await rowsOf(direct, id);
    await archive.start();
    const copy = closing(archive.admin());
    const found = async () =>
      (await copy.call("sessions/search", { query: "there" })).hits.map(({ session }) => session);
    expect(new Set(await found())).toEqual(new Set(hits.map(({ session }) => session)));
    const withoutRev = (all: readonly object[]) => all.map(({ rev: _rev, ...row }: { rev?: unknown }) => row);
    expect(withoutRev(await rowsOf(copy, id))).toEqual(withoutRev(rows));
    const busy = await hub.run("fleet", "archive", "box", "--into", archive.place.dataDir);
    expect([busy.code, busy.error]).toEqual([1, expect.stringContaining("A server uses")]);
    await archive.server!.stop();

    await direct.command("sessions/delete", { session: doomed });
    const [second] = await pull();
    expect(second).toMatchObject({ deleted: 1 });
    const [third] = await pull();
    expect(third).toMatchObject({ deleted: 0 });
    await archive.start();
    const again = closing(archive.admin());
    const left = (await again.call("sessions/list", {})).sessions.map((session) => session.id);
    expect(left).toContain(id);
    expect(left).not.toContain(doomed);
  });
});

describe("keys", () => {
  it(
    "[E290] can be replaced on each machine, a revoked machine is out, and leaving leaves nothing",
    { tags: "long" },
    async () => {
      for (const machine of [box, hub]) await machine.fleet("rotate");
      await expect.poll(() => Promise.all([hub.sees("box"), box.sees("hub")])).toEqual(["here", "here"]);
      await hub.fleet("revoke", "box");
      await expect.poll(async () => (await box.fleet<{ bus: string }>("ls")).bus).toBe("refused");
      expect((await fetch(new URL("/m/hub/healthz", box.server!.url))).status).toBe(503);
      expect((await hub.run("fleet", "revoke", "box")).code).toBe(1);
      expect(await hub.sees("box")).toBeUndefined();
      // The hub has nothing left to do for it.
      expect(await box.fleet("leave")).toMatchObject({ wasTold: true });
      expect(inFleet(box)).toBe(false);
      // It can come back with a new code, and then leaves in the usual way.
      const { code } = await hub.fleet<{ code: string }>("code", "--for", "box");
      await box.join(code, "box", "none");
      await expect.poll(() => hub.sees("box")).toBe("here");
      expect((await hub.run("fleet", "leave")).error).toContain("--end-fleet");
      expect(await box.fleet("leave")).toMatchObject({ wasTold: true });
      await expect
        .poll(() =>
          Object.keys(
            (JSON.parse(readFileSync(join(hub.place.dataDir, "fleet", "hub.json"), "utf8")) as { nodes: object }).nodes,
          ),
        )
        .toEqual(["hub"]);
      await hub.fleet("leave");
      expect([inFleet(hub), inFleet(box)]).toEqual([false, false]);
    },
  );
});
