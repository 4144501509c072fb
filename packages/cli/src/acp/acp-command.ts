// The command `quarterdeck acp`. It parses its arguments, then loads its module.

import packageJson from "../../package.json" with { type: "json" };
import { dataDirOf, parse, signalled, UsageError } from "../command.ts";
import type { CliCommand } from "../command.ts";
import { rawOutput } from "../terminal/printer.ts";

export const ACP_COMMAND: CliCommand = {
  usage: "quarterdeck acp [--elsewhere live|held] [--unstable]",
  about: "runs sessions in an editor that speaks the Agent Client Protocol, on stdin and stdout",
  options: [
    ["--elsewhere live", "shows turns that another device began at once"],
    ["--elsewhere held", "shows them at the start of your next prompt (default: what suits the editor)"],
    ["--unstable", "also offers what the protocol calls unstable: fork, title, archive"],
    ["--data-dir DIR", "the data directory of the server on this machine; starts a server if none runs"],
    ["environment", "QUARTERDECK_URL and QUARTERDECK_TOKEN select a server on another machine"],
    ["to leave", "close stdin; the sessions continue"],
  ],
  run: async (args) => {
    const { values, positionals } = parse(args, {
      elsewhere: { type: "string" },
      unstable: { type: "boolean" },
      "data-dir": { type: "string" },
    });
    if (positionals.length > 0) throw new UsageError("acp does not accept arguments.");
    const { elsewhere } = values;
    if (elsewhere !== undefined && elsewhere !== "live" && elsewhere !== "held")
      throw new UsageError("--elsewhere must be live or held.");
    const { runAcp } = await import("./acp.ts");
    return runAcp({
      dataDir: await dataDirOf(values["data-dir"]),
      version: packageJson.version,
      env: process.env,
      unstable: values.unstable === true,
      elsewhere,
      stdin: process.stdin,
      stdout: rawOutput().stdout,
      signal: signalled(),
    });
  },
};
