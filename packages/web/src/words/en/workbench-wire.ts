// The tab of raw messages between host and CLI.

import { plural } from "../format.ts";

export const english = {
  wire: "Wire",
  direction: "Direction",
  directions: { all: "All", in: "To the CLI", out: "From the CLI", host: "Host" },
  type: "Type",
  allTypes: (count: number) => `All types (${count})`,
  unknownTypes: (count: number) => `Unknown (${count})`,
  search: "Search in messages",
  messages: (count: number) => plural(count, "message"),
  shown: (count: number) => `, the last ${count} are shown`,
  ofUnknownType: (count: number) => ` · ${plural(count, "message")} of an unknown type`,
  notJson: (count: number) => ` · ${plural(count, "line")} that ${count === 1 ? "is" : "are"} not JSON`,
  copyFixture: "Copy as fixture",
  loadOlder: "Load older messages",
  knownTypes: (seen: number, all: number) => `${seen} of ${all} known types`,
  strangeTypes: (count: number) => `, ${plural(count, "type")} with unknown messages`,
  sent: "Sent",
  received: "Received",
  unknown: "Unknown",
  /** For readers that hear the page: which way a message went. */
  way: {
    in: (seq: number) => `to the CLI, number ${seq}`,
    out: (seq: number) => `from the CLI, number ${seq}`,
    host: (seq: number) => `fact of the host, number ${seq}`,
  },
  isUnknown: "unknown",
  why: (reason: string) => `Unknown: ${reason}`,
  noLog: "Claude Code writes no debug log for this session.",
  log: "Debug log of Claude Code: {file}",
  open: "Open",
  withoutLog: "Restart without log",
  writeLog: "Write a debug log",
  logFile: "File for the debug log",
  waitForTurn: "Wait for the end of the turn. Claude Code must restart.",
  restarts: "Claude Code restarts and resumes this session. The log may contain what you say and what tools read.",
  withLog: "Restart with log",
  cancel: "Cancel",
};
