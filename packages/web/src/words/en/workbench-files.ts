// The tab of files, and the view of one file.

import { plural } from "../format.ts";

export const english = {
  files: "Files",
  findFile: "Find a file",
  tooMany: "More files than can be listed.",
  empty: "Empty",
  link: "link",
  noFile: "No file found",
  findInFile: "Find in file",
  find: "Find",
  notFound: "Not found",
  match: (at: number, all: number) => `${at} of ${all}`,
  previous: "Previous match",
  next: "Next match",
  closeFind: "Close find",
  changes: "Changes",
  rendered: "Rendered",
  raw: "Raw",
  wrap: "Wrap",
  latin1: "Shown as Latin-1: the file is not UTF-8.",
  sent: "Sent.",
  showMore: "Show more",
  kindAndSize: (kind: string, size: string) => `${kind}, ${size}`,
  binary: (kind: string, size: string) => `A binary file (${kind}, ${size}).`,
  pdf: {
    pages: (count: number) => plural(count, "page"),
    facts: (facts: readonly string[]) => facts.join(", "),
    encrypted: "It is encrypted. Its viewer may ask for a password.",
    scripts: "It has scripts of its own. This page does not run them, a viewer may.",
    open: "Open in a new tab",
    download: "Download",
  },
  editor: {
    open: "Open in editor",
    openIn: "Open in",
    yours: "Your editor",
    another: "Another editor…",
    title: "Open in another editor",
    about:
      "An address with {path}, {line} and {column}. For files of another machine, for example: vscode://vscode-remote/ssh-remote+host{path}:{line}",
    go: "Open",
    address: "Address",
    bad: "Name an editor's address with {path}. Web addresses and scripts do not work here.",
  },
};
