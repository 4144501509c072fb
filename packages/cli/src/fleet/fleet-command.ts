// The command `fleet`: decodes its arguments, and loads its modules only then.

import packageJson from "../../package.json" with { type: "json" };
import { dataDirOf, parse, refuseFlags, UsageError } from "../command.ts";
import type { CliCommand } from "../command.ts";
import { isInteractive, looks } from "../terminal/printer.ts";

const FLAGS = {
  "data-dir": { type: "string" },
  json: { type: "boolean" },
  name: { type: "string" },
  listen: { type: "string" },
  "reach-at": { type: "string" },
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
  "nats-server": { type: "string" },
  "own-nats": { type: "boolean" },
  "accept-nats": { type: "string" },
  allow: { type: "string" },
  folder: { type: "string", multiple: true },
  "all-folders": { type: "boolean" },
  minutes: { type: "string" },
  for: { type: "string" },
  into: { type: "string" },
  "end-fleet": { type: "boolean" },
} as const;

/** What each action takes, beside --json and --data-dir, and how many words. */
const ACTIONS: Readonly<Record<string, { readonly flags: readonly string[]; readonly words: readonly string[] }>> = {
  create: {
    flags: [
      "name",
      "listen",
      "reach-at",
      "tls-cert",
      "tls-key",
      "nats-server",
      "own-nats",
      "accept-nats",
      "allow",
      "folder",
    ],
    words: ["FLEET"],
  },
  code: { flags: ["minutes", "for"], words: [] },
  join: { flags: ["name", "allow", "folder", "accept-nats"], words: ["CODE"] },
  ls: { flags: [], words: [] },
  allow: { flags: ["folder", "all-folders"], words: ["NODE", "ROLE"] },
  leave: { flags: ["end-fleet"], words: [] },
  revoke: { flags: [], words: ["NODE"] },
  rotate: { flags: [], words: [] },
  doctor: { flags: [], words: [] },
  archive: { flags: ["into"], words: ["NODE"] },
};
const EVERYWHERE = new Set(["json", "data-dir"]);

export const FLEET_COMMAND: CliCommand = {
  usage: "quarterdeck fleet [ls | create | code | join | allow | leave | revoke | rotate | archive | doctor]",
  about: "connects machines, so that one of them can show and steer the sessions of the others",
  options: [
    ["ls", "the machines of this fleet and whether they answer (the default)"],
    ["create NAME", "makes a fleet with this machine as its hub, and prints a join code"],
    ["  --listen ADDRESS:PORT", "where nats-server listens (default 127.0.0.1:4222); other addresses need TLS"],
    ["  --reach-at NAME", "the name under which other machines reach it, if it is not the address"],
    ["  --tls-cert F, --tls-key F", "the certificate of nats-server and its key (PEM)"],
    ["  --nats-server PATH", "the program (default: nats-server on the PATH)"],
    ["  --own-nats", "you run nats-server yourself; prints the line for a unit and for a container"],
    ["code", "prints a new join code: --minutes N (default 60), --for NAME (only for this name)"],
    ["join CODE", "joins the fleet of the code"],
    ["  --name NAME", "the name of this machine there (default: its host name); also for create"],
    ["  --allow ROLE", "what devices of other machines may do here: view, answer, operate, admin or none"],
    ["  --folder DIR", "only in this folder here, and only its sessions; repeatable; also for allow"],
    ["  --accept-nats VERSION", "accepts a nats-server from this version on, with its known problems"],
    ["allow NODE ROLE", "changes that for one machine, or for `others`; none lets nobody in"],
    ["  --all-folders", "ends the limit to folders; without it and --folder the limit stays"],
    ["leave [--end-fleet]", "leaves the fleet; on the hub it ends the fleet"],
    ["revoke NODE", "on the hub: puts a machine out at once"],
    ["rotate", "replaces the key of this machine"],
    ["archive NODE --into DIR", "copies the sessions of a machine; `quarterdeck serve --data-dir DIR` shows them"],
    ["doctor", "checks version, reach, permissions and clock"],
    ["--json", "prints JSON"],
    ["--data-dir DIR", "the data directory of the server on this machine"],
  ],
  run: async (args) => {
    const { values, positionals } = parse(args, FLAGS);
    const [action = "ls", ...words] = positionals;
    const takes = Object.hasOwn(ACTIONS, action) ? ACTIONS[action]! : undefined;
    if (takes === undefined) throw new UsageError(`There is no \`fleet ${action}\`.`);
    if (words.length !== takes.words.length)
      throw new UsageError(
        takes.words.length === 0
          ? `fleet ${action} accepts no words.`
          : `fleet ${action} needs ${takes.words.join(" and ")}.`,
      );
    const others = Object.keys(values).filter((name) => !EVERYWHERE.has(name) && !takes.flags.includes(name));
    refuseFlags(values, others, `does not belong to \`fleet ${action}\`.`);
    const { runFleet } = await import("./run-fleet.ts");
    return runFleet({
      action,
      words,
      flags: values,
      dataDir: await dataDirOf(values["data-dir"]),
      version: packageJson.version,
      env: process.env,
      interactive: isInteractive(),
      ...looks(),
    });
  },
};
