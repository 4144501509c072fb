// The command palette.

import { plural } from "../format.ts";

export const english = {
  kinds: {
    all: "All",
    actions: "Actions",
    sessions: "Sessions",
    files: "Files",
    commands: "Commands",
    settings: "Settings",
  },
  here: "This session",
  archived: "archived",
  recent: "Recent",
  openForFiles: "Open a session to find its files.",
  typeFile: "Type a part of a file's name.",
  openForCommands: "Open a session to see its commands.",
  none: (words: string) => `No results for “${words}”.`,
  noneOf: (kind: string, words: string) => `No ${kind.toLowerCase()} for “${words}”.`,
  title: "Command palette",
  label: "Search actions, sessions, files, commands and settings",
  placeholder: "Search or run",
  close: "Close",
  kindsLabel: "Kinds",
  results: "Results",
  count: (count: number) => plural(count, "result"),
  move: "move",
  open: "open",
  next: "next kind",
  searchAll: "Search all conversations",
  search: (words: string) => `Search “${words}” in all conversations`,
};
