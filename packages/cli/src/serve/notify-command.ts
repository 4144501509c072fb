// `quarterdeck notify`: parses its arguments, then loads its module.

import { readFileSync } from "node:fs";
import packageJson from "../../package.json" with { type: "json" };
import { dataDirOf, parse, refuseFlags, UsageError } from "../command.ts";
import type { CliCommand } from "../command.ts";
import { looks } from "../terminal/printer.ts";
import type { NewTarget } from "./notify.ts";

/** What only `add` accepts. */
const ADD_FLAGS = ["events", "content", "token"] as const;

export const NOTIFY_COMMAND: CliCommand = {
  usage: "quarterdeck notify [list | add webhook URL | add ntfy URL | remove ID | test ID]",
  about: "tells other services when a session waits, finishes or fails (docs/notifications.md)",
  options: [
    ["list", "lists webhooks and ntfy topics, with the last problem"],
    ["add webhook URL", "adds a webhook and shows the secret that signs its messages once"],
    ["add ntfy URL", "adds a topic such as https://ntfy.sh/my-topic"],
    ["remove ID", "removes a target, by its id or its address"],
    ["test ID", "sends a test and says how it was answered (exit code 1: it failed)"],
    ["--events LIST", "waiting,finished,failed (default: all three)"],
    ["--content", "sends title, text and project too (default: event, time and session only)"],
    ["--token", "reads an access token of ntfy from stdin"],
    ["--json", "prints JSON instead of text"],
    ["--data-dir DIR", "the data directory of the server"],
  ],
  run: async (args) => {
    const { values, positionals } = parse(args, {
      events: { type: "string" },
      content: { type: "boolean" },
      token: { type: "boolean" },
      json: { type: "boolean" },
      "data-dir": { type: "string" },
    });
    const [action = "list", ...words] = positionals;
    if (action !== "add") refuseFlags(values, ADD_FLAGS, `cannot be used with notify ${action}.`);
    const notify = await import("./notify.ts");
    const options = {
      dataDir: await dataDirOf(values["data-dir"]),
      version: packageJson.version,
      ...looks(),
      json: values.json === true,
    };
    const [first, second] = words;
    if (action === "list" && words.length === 0) await notify.listTargets(options);
    else if (action === "remove" && first !== undefined && words.length === 1)
      await notify.removeTarget({ ...options, wanted: first });
    else if (action === "test" && first !== undefined && words.length === 1)
      return notify.testTarget({ ...options, wanted: first });
    else if (
      action === "add" &&
      (first === "webhook" || first === "ntfy") &&
      second !== undefined &&
      words.length === 2
    ) {
      if (values.token === true && first !== "ntfy") throw new UsageError("--token is for ntfy only.");
      const target: NewTarget = {
        kind: first,
        url: second,
        events: eventsOf(values.events, notify.EVENTS),
        showsContent: values.content === true,
        ...(values.token === true && { token: tokenFromStdin() }),
      };
      await notify.addTarget({ ...options, target });
    } else throw new UsageError("Use notify list, add webhook URL, add ntfy URL, remove ID or test ID.");
    return 0;
  },
};

const eventsOf = <E extends string>(text: string | undefined, known: readonly E[]): readonly E[] => {
  if (text === undefined) return known;
  const names = text.split(",").map((name) => name.trim());
  const events = known.filter((event) => names.includes(event));
  if (events.length === 0 || events.length !== new Set(names).size)
    throw new UsageError(`--events needs names of this list: ${known.join(",")}.`);
  return events;
};

/** Arguments are seen by other users of the machine. One line feed at the end belongs to the shell. */
const tokenFromStdin = (): string => {
  if (process.stdin.isTTY)
    throw new UsageError("--token reads the token from stdin: `quarterdeck notify add … --token < FILE`.");
  return readFileSync(0, "utf8").replace(/\r?\n$/u, "");
};
