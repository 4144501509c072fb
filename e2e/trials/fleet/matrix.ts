// What must be refused: subjects of others, replayed frames, a forged hello, and what a gateway says about devices that is not true.

import { WebSocket as Socket } from "ws";
import { connect } from "@quarterdeck/client";
import type { Client, DeviceCredentials } from "@quarterdeck/client";
import { FleetError, inboxPrefix, openBus } from "@quarterdeck/fleet";
import type { Bus, FleetNode } from "@quarterdeck/fleet";
import { allowMachine, readNode } from "@quarterdeck/server/fleet";
import { challengeText } from "@quarterdeck/session/bridge";
import { browserKey } from "@quarterdeck/test-kit/browser-key";
import { none, same, told } from "../outcome.ts";
import type { Line, Size } from "../outcome.ts";
import { Commands } from "./commands.ts";
import { pings, until, untilDone } from "./world.ts";
import type { World } from "./world.ts";

const ORIGIN = "https://liar.example";

export const matrix = async (world: World, _size: Size): Promise<Line[]> => [
  ...(await subjects(world)),
  ...(await forgeries(world)),
  ...(await lies(world)),
];

const busOf = async (world: World, name: string): Promise<Bus> => {
  const seed = world.seeds[name] ?? readNode(world.machine(name).place.dataDir)!.seed;
  const bus = await openBus({ url: world.url, seed, inboxPrefix: inboxPrefix(name) });
  world.onClose(() => bus.close());
  return bus;
};

/** Every subject with every node, reading and writing, also as wildcards. */
const subjects = async (world: World): Promise<Line[]> => {
  const names = [...world.machines.keys(), "liar"];
  const pairs = names.flatMap((from) => names.map((to) => [from, to] as const));
  const wild = [
    ">",
    "*",
    "*.>",
    "qd.>",
    "qd.*.*",
    "qd.f.>",
    "qd.f.*.*.*",
    "qd.j.*",
    "qd.p.>",
    "_INBOX.>",
    "_INBOX_*.>",
  ];
  const system = ["$SYS.>", "$SYS.ACCOUNT.*.DISCONNECT", "$SYS.ACCOUNT.QD.DISCONNECT", "$SYS.REQ.SERVER.PING"];
  const reading = [
    ...wild,
    ...system,
    "qd.p.*",
    ...names.flatMap((name) => [
      `qd.p.${name}`,
      `${inboxPrefix(name)}.>`,
      `${inboxPrefix(name)}.x`,
      `qd.f.*.${name}.*`,
      `qd.f.*.${name}.>`,
      `qd.f.${name}.*.*`,
      `qd.f.${name}.>`,
    ]),
    ...pairs.map(([from, to]) => `qd.f.${from}.${to}.x`),
  ];
  const writing = [
    "qd.j.x",
    "$SYS.REQ.SERVER.PING",
    ...names.flatMap((name) => [`qd.p.${name}`, `${inboxPrefix(name)}.x`]),
    ...pairs.flatMap(([from, to]) => [`qd.f.${from}.${to}.x`, `qd.f.${from}.${to}.x.y`, `qd.f.${from}.${to}`]),
    ...names.map((name) => `qd.p.${name}.x`),
  ];
  const mayRead = (name: string) =>
    new Set([
      "qd.p.*",
      "qd.p.>",
      ...names.map((each) => `qd.p.${each}`),
      `${inboxPrefix(name)}.>`,
      `${inboxPrefix(name)}.x`,
      `qd.f.*.${name}.*`,
      `qd.f.*.${name}.>`,
      ...names.map((from) => `qd.f.${from}.${name}.x`),
      ...(name === "hub" ? ["qd.j.*", "$SYS.ACCOUNT.QD.DISCONNECT"] : []),
    ]);
  const mayWrite = (name: string) => new Set([`qd.p.${name}`, ...names.map((to) => `qd.f.${name}.${to}.x`)]);
  let tried = 0;
  const wrong: string[] = [];
  const missing: string[] = [];
  const look = (who: string, subject: string, isAllowed: boolean, wanted: ReadonlySet<string>): void => {
    tried += 1;
    if (isAllowed && !wanted.has(subject)) wrong.push(`${who} ${subject}`);
    // NATS takes a last `>` as `*` here. Nobody can write to a longer subject, so nothing more is read. It may refuse it as well.
    if (!isAllowed && wanted.has(subject) && !subject.endsWith(".>")) missing.push(`${who} ${subject}`);
  };
  await Promise.all(
    names.map(async (name) => {
      const bus = await busOf(world, name);
      const reads = await Promise.all(reading.map((subject) => bus.maySubscribe(subject)));
      for (const [at, isAllowed] of reads.entries()) look(`${name} reads`, reading[at]!, isAllowed, mayRead(name));
      const writes = await Promise.all(writing.map((subject) => bus.mayPublish(subject)));
      for (const [at, isAllowed] of writes.entries()) look(`${name} writes`, writing[at]!, isAllowed, mayWrite(name));
    }),
  );
  return [
    told("subjects tried", `${String(tried)} by ${String(names.length)} nodes`),
    same("allowed beyond the table", wrong, []),
    same("refused although in the table", missing, []),
  ];
};

/** Another node sends what it saw or invented, in the name of others and in its own. */
const forgeries = async (world: World): Promise<Line[]> => {
  const [box, liar] = [await busOf(world, "box"), await busOf(world, "liar")];
  const seen: { readonly subject: string; readonly bytes: Uint8Array }[] = [];
  box.subscribe("qd.f.hub.box.*", ({ subject, bytes, answer }) => {
    if (answer === undefined) seen.push({ subject, bytes: Uint8Array.from(bytes) });
  });
  await box.flush();
  const fleet = world.fleet("hub", await world.device(["hub"]));
  const client = fleet.machine("box");
  await untilDone(() => client.call("ping", {}));
  const commands = new Commands(world, "box");
  await commands.prepare(client);
  for (let n = 0; n < 3; n += 1) await commands.send(client);
  await until(() => seen.length >= 4);
  const openedAt = client.state.status === "open" ? client.state.since : 0;

  let isAllowed = 0;
  const frames = seen.splice(0);
  for (const { subject } of frames.slice(0, 5)) if (await liar.mayPublish(subject)) isAllowed += 1;
  for (const { subject, bytes } of frames) {
    liar.publish(subject, bytes);
    // In its own name: the machine knows no such connection of this node.
    liar.publish(subject.replace("qd.f.hub.", "qd.f.liar."), bytes);
    liar.publish(subject.replace("qd.f.hub.box.", "qd.f.liar.hub."), bytes);
  }
  const hello = (kind: string, incarnation = "0123456789abcdef") =>
    new TextEncoder().encode(JSON.stringify({ kind, incarnation, version: "9.9.9", bridge: 1 }));
  for (const name of ["box", "hub"]) {
    for (const kind of ["hello", "bye", "beat"]) liar.publish(`qd.p.${name}`, hello(kind));
    if (await liar.mayPublish(`qd.p.${name}`)) isAllowed += 1;
  }
  // Only the hub may ask all to look.
  liar.publish("qd.p.liar", hello("look"));
  await liar.flush();
  await pings(client, 5);
  const isSame = client.state.status === "open" && client.state.since === openedAt;
  const lines = await commands.lines({ reachesCli: true });
  liar.publish("qd.p.liar", hello("bye"));
  return [
    none("forged or replayed messages that NATS let pass", isAllowed),
    same("a connection of others after forged and replayed frames", isSame ? "open" : "ended", "open"),
    same("states of the machines after a forged bye", (await world.states("hub"))["box"], "here"),
    ...lines.filter(({ figure }) => figure !== "commands"),
  ];
};

/** A gateway that lies about its devices. The owner of `box` lets it look on. */
const lies = async (world: World): Promise<Line[]> => {
  const { dataDir } = world.machine("box").place;
  const admin = world.admin("box");
  const allow = async (role: "view" | "none"): Promise<void> => {
    await allowMachine(dataDir, "liar", role);
    await admin.command("fleet/reload", {});
  };
  await allow("view");
  const liar = await world.model("liar");
  world.onClose(() => liar.close());
  const person = await world.device(["hub"]);
  const own = await browserKey();
  const devices = [
    { id: "own", name: "Mine", role: "admin", publicKey: own.publicKey },
    // Its key is public. Only the person can sign with it.
    { id: "stolen", name: "Theirs", role: "admin", publicKey: person.key.publicKey },
  ];
  await liar.ask("box", { kind: "introduce", rev: "1", origins: [ORIGIN], devices });

  const mine = await entered(world, liar, { kind: "device", id: "own", sign: own.sign });
  const role = mine.info?.device.role;
  const refusedTo = async (call: Promise<unknown>): Promise<string> =>
    call.then(() => "done").catch((error: unknown) => String((error as { code?: unknown }).code));
  const { cwd } = world.machine("box").place;
  const wanted = await Promise.all([
    refusedTo(mine.command("sessions/start", { cwd })),
    refusedTo(mine.command("devices/pair", { role: "admin" })),
    refusedTo(mine.command("devices/addToken", { role: "admin", name: "x" })),
    refusedTo(mine.command("fleet/reload", {})),
  ]);
  // A signature of the person for another challenge, for another page, and one of the liar.
  const signed = await person.key.sign(challengeText({ serverId: "x", origin: ORIGIN, nonce: "y" }));
  const elsewhere = (text: string) => person.key.sign(text.replace(ORIGIN, "http://127.0.0.1"));
  const stolen = await Promise.all(
    [() => Promise.resolve(signed), elsewhere, own.sign].map((sign) =>
      outcomeOf(world, liar, { kind: "device", id: "stolen", sign }),
    ),
  );
  const unknown = await outcomeOf(world, liar, { kind: "device", id: "nobody", sign: own.sign });
  // Through the liar, a token, another name of the server and a pairing code are worth nothing.
  const { token } = world.machine("box").server!;
  const { code } = await admin.command("devices/pair", { role: "admin" });
  const paired = JSON.stringify({ code, name: "x", publicKey: own.publicKey });
  const statuses = [
    await statusOf(liar, `GET /metrics HTTP/1.1\r\nHost: box.fleet\r\nAuthorization: Bearer ${token}\r\n\r\n`),
    await statusOf(liar, "GET / HTTP/1.1\r\nHost: other.example\r\n\r\n"),
    await statusOf(liar, `GET /metrics HTTP/1.1\r\nHost: box.fleet\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n`),
    await statusOf(
      liar,
      `POST /pair HTTP/1.1\r\nHost: box.fleet\r\nOrigin: ${ORIGIN}\r\nContent-Type: application/json\r\nContent-Length: ${String(paired.length)}\r\n\r\n${paired}`,
    ),
  ];
  await allow("none");
  await until(() => mine.state.status !== "open");
  const shut = await liar.open("box", { rev: "1" }).then(
    () => "open",
    (error: unknown) => (error instanceof FleetError ? error.code : "failed"),
  );
  return [
    same("role of a device that a viewer's gateway calls admin", role, "view"),
    same("its commands", wanted, ["forbidden", "forbidden", "forbidden", "forbidden"]),
    same("a person's public key with other signatures", stolen, [
      "unauthenticated",
      "unauthenticated",
      "unauthenticated",
    ]),
    same("a device that was not introduced", unknown, "unauthenticated"),
    same(
      "token, other host, proxy header, pairing code",
      statuses.every((status) => status >= 400),
      true,
    ),
    told("their HTTP statuses", statuses.join(", ")),
    same("a gateway that may do nothing", shut, "refused"),
  ];
};

const openSocketOver =
  (socket: Awaited<ReturnType<FleetNode["open"]>>) =>
  (_url: string, headers: Record<string, string>): WebSocket =>
    new Socket("ws://box.fleet/bridge", {
      headers: { ...headers, host: "box.fleet" },
      createConnection: () => socket as never,
    }) as unknown as WebSocket;

const clientOver = async (world: World, node: FleetNode, credentials: DeviceCredentials): Promise<Client> => {
  const socket = await node.open("box", { rev: "1" });
  const client = connect({
    url: ORIGIN,
    credentials,
    client: { name: "liar", version: "1" },
    openSocket: openSocketOver(socket),
  });
  world.onClose(() => client.close());
  return client;
};
const entered = async (world: World, node: FleetNode, credentials: DeviceCredentials): Promise<Client> => {
  const client = await clientOver(world, node, credentials);
  await client.call("ping", {});
  return client;
};
const outcomeOf = async (world: World, node: FleetNode, credentials: DeviceCredentials): Promise<string> => {
  const client = await clientOver(world, node, credentials);
  await until(() => client.state.status !== "connecting");
  const { state } = client;
  client.close();
  return state.status === "refused" ? state.code : state.status;
};
/** The status of the answer to these bytes. */
const statusOf = async (node: FleetNode, request: string): Promise<number> => {
  const socket = await node.open("box", { rev: "1" });
  socket.write(request);
  const said = await new Promise<string>((resolve) => {
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString("latin1")));
    socket.once("close", () => resolve(""));
  });
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3})/u.exec(said)?.[1] ?? 499);
};
