// The command `claude`. All of its arguments are Claude Code's own.

import packageJson from "../../package.json" with { type: "json" };
import type { CliCommand } from "../command.ts";
import { onOutputError, rawOutput } from "../terminal/printer.ts";

export const CLAUDE_COMMAND: CliCommand = {
  usage: "quarterdeck claude <arguments of claude>",
  about: "is Claude Code for programs: sessions over stream-json live in the server (docs/claude.md)",
  options: [
    ["stream-json calls", "run in the server, which is started if none runs; page and phone can follow and answer"],
    ["all other calls", "run the real program in this terminal"],
    ["quarterdeck-claude", "is the same as one program, for settings that want a path"],
  ],
  passesHelp: true,
  run: async (args) => {
    const [{ claude }, { readServeSettings: readSettings }] = await Promise.all([
      import("./claude.ts"),
      import("../serve/settings.ts"),
    ]);
    const { env } = process;
    const settings = readSettings({ flags: {}, env, cwd: process.cwd() });
    const { dataDir, claude: named } = settings;
    const output = rawOutput;
    return claude({
      args,
      version: packageJson.version,
      env,
      cwd: process.cwd(),
      dataDir,
      claude: named,
      write: (bytes, done) => void output().stdout.write(bytes, () => done()),
      say: (text) => void output().stderr.write(text),
      onOutputGone: (then) => onOutputError(["stdout"], then),
    });
  },
};
