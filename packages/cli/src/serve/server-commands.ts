// The commands of the server. Each parses its arguments, then loads its module.

import { resolve } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import { cleanPath } from "@quarterdeck/host/find-claude";
import packageJson from "../../package.json" with { type: "json" };
import { dataDirOf, onStop, parse, refuseFlags, UsageError } from "../command.ts";
import type { CliCommand } from "../command.ts";
import { isTerminal, looks, print, say } from "../terminal/printer.ts";
import { NOTIFY_COMMAND } from "./notify-command.ts";

const settingHelp = async () => (await import("./settings.ts")).settingHelp();

const settingsOf = async (args: string[], command: string, more: ParseArgsOptionsConfig = {}) => {
  const { readServeSettings: readSettings, settingFlags } = await import("./settings.ts");
  const { values, positionals } = parse(args, { ...settingFlags(), ...more });
  if (positionals.length > 0) throw new UsageError(`${command} does not accept \`${positionals[0]!}\`.`);
  return { values, settings: readSettings({ flags: values, env: process.env, cwd: process.cwd() }) };
};

/** What each action of `devices` accepts, in addition to --data-dir. */
const DEVICE_FLAGS: Readonly<Record<string, readonly string[]>> = {
  list: ["json"],
  pair: ["json", "role", "name", "no-qr"],
  add: ["json", "role"],
  revoke: ["json"],
};

export const SERVER_COMMANDS: readonly (readonly [string, CliCommand])[] = [
  [
    "serve",
    {
      usage: "quarterdeck serve [options]",
      about: "starts the server: prints a link, opens the page, runs sessions (the default command)",
      options: settingHelp,
      run: async (args) => {
        const { settings } = await settingsOf(args, "serve");
        const { serve } = await import("./serve.ts");
        return serve({
          settings,
          version: packageJson.version,
          cwd: process.cwd(),
          env: process.env,
          ...looks(),
          writeLog: say,
          isTerminal: isTerminal("stderr"),
          onStop,
        });
      },
    },
  ],
  [
    "env",
    {
      usage: "quarterdeck env [list | set NAME=VALUE | unset NAME] [--folder DIR]",
      about: "manages variables that sessions in a folder get, in addition to your own",
      options: [
        ["list", "lists the folders that have variables, with their names; values are never shown"],
        ["set NAME=VALUE", "for this folder and all below it; `set NAME` reads the value from stdin"],
        ["unset NAME", "removes it"],
        ["--folder DIR", "another folder than this one"],
        ["--json", "prints the list as JSON"],
        ["--data-dir DIR", "the data directory of the server"],
      ],
      run: async (args) => {
        const { values, positionals } = parse(args, {
          folder: { type: "string" },
          json: { type: "boolean" },
          "data-dir": { type: "string" },
        });
        const [action = "list", target, ...rest] = positionals;
        if (rest.length > 0) throw new UsageError(`env ${action} does not accept \`${rest[0]!}\`.`);
        if (action !== "list") refuseFlags(values, ["json"], `cannot be used with env ${action}.`);
        const options = {
          dataDir: await dataDirOf(values["data-dir"]),
          folder: resolve(values.folder ?? "."),
          json: values.json === true,
          write: looks().write,
        };
        const { listVariables, setVariable, unsetVariable } = await import("./variables.ts");
        if (action === "list" && target === undefined) listVariables(options);
        else if (action === "set" && target !== undefined) setVariable(target, options);
        else if (action === "unset" && target !== undefined) unsetVariable(target, options);
        else throw new UsageError("Use `env`, `env set NAME=VALUE` or `env unset NAME`.");
        return 0;
      },
    },
  ],
  [
    "devices",
    {
      usage: "quarterdeck devices [list | pair | add NAME | revoke ID] [--role ROLE]",
      about: "manages access: browsers use a link (with a QR code for a phone), programs use a token",
      options: [
        ["list", "lists devices with their role and last activity"],
        ["pair", "creates a link for a browser; it works once, within two minutes (--name N, --no-qr; role: admin)"],
        ["add NAME", "creates a token for a program and shows it once (default role: operate)"],
        ["revoke ID", "revokes a device at once, by its id or a unique name"],
        ["--role ROLE", "view, answer (also requests), operate (also prompts and sessions) or admin (everything)"],
        ["--json", "prints one JSON object (list: an array) instead of text"],
        ["--data-dir DIR", "the data directory of the server"],
      ],
      run: async (args) => {
        const { values, positionals } = parse(args, {
          role: { type: "string" },
          name: { type: "string" },
          json: { type: "boolean" },
          "no-qr": { type: "boolean" },
          "data-dir": { type: "string" },
        });
        const [action = "list", ...rest] = positionals;
        const target = rest.join(" ");
        const taken = DEVICE_FLAGS[action] ?? [];
        const others = Object.values(DEVICE_FLAGS)
          .flat()
          .filter((flag) => !taken.includes(flag));
        refuseFlags(values, others, `cannot be used with devices ${action}.`);
        const devices = await import("./devices.ts");
        const options = {
          dataDir: await dataDirOf(values["data-dir"]),
          version: packageJson.version,
          ...looks(),
          json: values.json === true,
        };
        if (action === "list" && target === "") await devices.listDevices(options);
        else if (action === "pair" && target === "") {
          const role = devices.roleOf(values.role, "admin");
          const named = values.name === undefined ? {} : { name: values.name };
          await devices.inviteDevice({
            ...options,
            role,
            ...named,
            qr: values["no-qr"] !== true && isTerminal("stdout"),
          });
        } else if (action === "add" && target !== "") {
          await devices.addDevice({ ...options, name: target, role: devices.roleOf(values.role, "operate") });
        } else if (action === "revoke" && target !== "") await devices.revokeDevice({ ...options, wanted: target });
        else throw new UsageError("Use devices list, pair, add NAME or revoke ID.");
        return 0;
      },
    },
  ],
  ["notify", NOTIFY_COMMAND],
  [
    "doctor",
    {
      usage: "quarterdeck doctor [--json] [options of serve]",
      about: "checks Node, Claude Code, its login, the data directory and the port, and suggests fixes",
      options: [["--json", "prints the findings as JSON"]],
      run: async (args) => {
        const { settings, values } = await settingsOf(args, "doctor", { json: { type: "boolean" } });
        const { doctor } = await import("./doctor.ts");
        return doctor({
          settings,
          json: values["json"] === true,
          env: process.env,
          ...looks(),
        });
      },
    },
  ],
  [
    "service",
    {
      usage: "quarterdeck service [systemd | launchd] [options of serve]",
      about: "prints a service file that starts the server with these options, and says where to put it",
      options: [],
      run: async (args) => {
        const kind = args[0] === "systemd" || args[0] === "launchd" ? args[0] : undefined;
        const flags = kind === undefined ? args : args.slice(1);
        const { finishTurnsMs } = (await settingsOf(flags, "service")).settings;
        const { absoluteFlags } = await import("./settings.ts");
        const { serviceFile } = await import("./service.ts");
        print(
          serviceFile({
            kind: kind ?? (process.platform === "darwin" ? "launchd" : "systemd"),
            command: [process.execPath, ...process.execArgv, process.argv[1]!],
            flags: absoluteFlags(flags, process.cwd()),
            path: cleanPath(process.env["PATH"]),
            finishTurnsMs,
          }),
        );
        return 0;
      },
    },
  ],
];
