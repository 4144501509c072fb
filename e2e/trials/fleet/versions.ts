// The previous release as a machine and as a gateway, with another number of the bridge, so that a notice must come. Its sources come from
// git, its dependencies from this checkout.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@quarterdeck/client";
import type { Client, DeviceCredentials } from "@quarterdeck/client";
import { BRIDGE_VERSION } from "@quarterdeck/session/bridge";
import { same, told } from "../outcome.ts";
import type { Line, Size } from "../outcome.ts";
import { Commands } from "./commands.ts";
import { remove, scratch, startSession, until, untilDone, World } from "./world.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
/** Until a release has a tag: what was published before the fleet had a page. */
const WITHOUT_TAGS = "72b08c3c";

export const versions = async (world: World, size: Size): Promise<Line[]> => [
  ...(await otherNumbers(world)),
  ...(size.isSmall ? [] : await previousRelease()),
];

/** A machine that says it has another number, and a page that says so to a machine. The rest of both is as it is. */
const otherNumbers = async (world: World): Promise<Line[]> => {
  const older = await world.model("older", { version: "0.0.9", bridge: BRIDGE_VERSION - 1 });
  try {
    await until(async () => (await world.states("hub"))["older"] === "here");
    const { out } = await world.machine("hub").run("fleet", "ls");
    const { devices } = await world.device(["hub"]);
    const own = `"bridge":${String(BRIDGE_VERSION)}`;
    const client = clientAt(world, "box", devices.get("hub")!, (text) =>
      text.replace(own, `"bridge":${String(BRIDGE_VERSION - 1)}`),
    );
    await client.call("sessions/list", {});
    const { notice = "nothing" } = client.info!;
    client.close();
    return [
      same("an older machine has a notice in `fleet ls`", out.includes("older runs an older Quarterdeck"), true),
      same("an older page gets a notice from the machine", notice.includes("What both know works"), true),
    ];
  } finally {
    await older.close();
  }
};

const clientAt = (
  world: World,
  machine: string,
  credentials: DeviceCredentials,
  rewrite = (text: string): string => text,
): Client =>
  connect({
    url: world.machine("hub").server!.url,
    machine,
    credentials,
    client: { name: "trial", version: "1" },
    openSocket: (url, headers) => {
      const socket = new WebSocket(url, { headers } as never);
      const send = socket.send.bind(socket);
      socket.send = (data) => send(rewrite(data as string));
      return socket;
    },
  });

const git = (...words: string[]): string => execFileSync("git", ["-C", ROOT, ...words], { encoding: "utf8" }).trim();
const previous = (): string => {
  const [newest] = git("tag", "--sort=-creatordate", "--merged", "HEAD^").split("\n");
  return newest === undefined || newest === "" ? WITHOUT_TAGS : newest;
};

/** Returns the words that start the old program. */
const checkedOut = (commit: string, folder: string): readonly string[] => {
  const archive = join(folder, "sources.tar");
  execFileSync("git", [
    "-C",
    ROOT,
    "archive",
    "--output",
    archive,
    commit,
    "packages",
    "package.json",
    "tsconfig.json",
  ]);
  execFileSync("tar", ["-xf", archive, "-C", folder]);
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@quarterdeck"), { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (!name.startsWith("@quarterdeck") && name !== "quarterdeck" && !name.startsWith(".quarterdeck"))
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  for (const name of readdirSync(join(folder, "packages"))) {
    const { name: called } = JSON.parse(readFileSync(join(folder, "packages", name, "package.json"), "utf8")) as {
      name: string;
    };
    symlinkSync(join(folder, "packages", name), join(modules, called));
  }
  const bridge = join(folder, "packages/session/src/bridge/bridge.ts");
  const text = readFileSync(bridge, "utf8");
  writeFileSync(bridge, text.replace(/BRIDGE_VERSION = \d+/u, `BRIDGE_VERSION = ${String(BRIDGE_VERSION - 1)}`));
  return ["--conditions=source", join(folder, "packages/cli/bin/quarterdeck.js")];
};

const previousRelease = async (): Promise<Line[]> => {
  const folder = scratch();
  const commit = previous();
  try {
    const program = checkedOut(commit, folder);
    const world = await World.open({ machines: { old: { program }, box: {} } });
    try {
      const person = await world.device(["hub", "old"]);
      const lines: Line[] = [told("the previous release", `${commit}, ${git("log", "-1", "--format=%s", commit)}`)];
      for (const [gateway, machine] of [
        ["hub", "old"],
        ["old", "box"],
      ] as const) {
        const client = world.fleet(gateway, person).machine(machine);
        const about = gateway === "old" ? "as a gateway" : "as a machine";
        lines.push(same(`${about}: a session through it`, await worksAt(world, client, machine), "Done."));
        const commands = new Commands(world, machine);
        await commands.prepare(client);
        for (let n = 0; n < 20; n += 1) await commands.send(client);
        lines.push(
          ...(await commands.lines({ reachesCli: true })).map((line) => ({
            ...line,
            figure: `${about}: ${line.figure}`,
          })),
        );
      }
      lines.push(...(await notices(world, "old")));
      return lines;
    } finally {
      await world.close();
    }
  } finally {
    remove(folder);
  }
};

const worksAt = async (world: World, client: Client, machine: string): Promise<string | undefined> => {
  await untilDone(() => client.call("ping", {}));
  const session = await startSession(client, world.machine(machine).place.cwd);
  const lastText = async () =>
    (await client.call("sessions/list", {})).sessions.find(({ id }) => id === session)?.lastText;
  await client.command("session/prompt", { session, content: "hello" });
  await until(async () => (await lastText()) !== undefined && (await lastText()) !== "hello");
  return lastText();
};

/** What a person is told about a machine with another number, by the connection and by the command. */
const notices = async (world: World, machine: string): Promise<Line[]> => {
  const { devices } = await world.device(["hub"]);
  const client = clientAt(world, machine, devices.get("hub")!);
  await client.call("ping", {});
  const { notice = "nothing", bridge } = client.info!;
  client.close();
  const { out } = await world.machine("hub").run("fleet", "ls");
  return [
    told("its bridge and ours", `${String(bridge)} and ${String(BRIDGE_VERSION)}`),
    same("as a machine: a notice on the connection", notice.includes("What both know works"), true),
    same("as a machine: a notice in `fleet ls`", out.includes(`${machine} runs an older Quarterdeck`), true),
  ];
};
