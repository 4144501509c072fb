// Folders beside the project.
import { bash, group, mode, read, user, write } from "./build.ts";

const ADDED = [
  read("{{out}}/o.txt"),
  read("{{out}}/d/e.txt"),
  bash("cat {{out}}/o.txt"),
  bash("ls {{out}}"),
  write("{{out}}/n1"),
  bash("touch {{out}}/n2"),
  bash("echo x > {{out}}/n3"),
  read("{{home}}/other/x.txt"),
];
const FILES = { "{{out}}/d/e.txt": "x\n" };
export const DIRECTORIES = [
  ...group(
    "directories",
    "qdb",
    "additionalDirectories in acceptEdits",
    { ...user({ additionalDirectories: ["{{out}}"] }), ...mode("acceptEdits"), files: FILES },
    ADDED,
  ),
  ...group(
    "directories",
    "qdd",
    "--add-dir in acceptEdits",
    { flags: ["--permission-mode", "acceptEdits", "--add-dir", "{{out}}"], files: FILES },
    ADDED,
  ),
  ...group(
    "directories",
    "qde",
    "relative additionalDirectories",
    { ...user({ additionalDirectories: ["../other", "../../out"] }), files: FILES },
    [...ADDED.slice(0, 3), read("{{home}}/other/x.txt")],
  ),
  ...group(
    "directories",
    "qdf",
    "project additionalDirectories, trusted",
    { settings: { project: { permissions: { additionalDirectories: ["{{out}}"] } } }, trusted: true, files: FILES },
    ADDED.slice(0, 5),
  ),
  ...group(
    "directories",
    "qdh",
    "in dontAsk",
    { flags: ["--permission-mode", "dontAsk", "--add-dir", "{{out}}"], files: FILES },
    ADDED,
  ),
  ...group(
    "directories",
    "qdk",
    "cd",
    {},
    [
      "cd src",
      "cd src && cat app.ts",
      "cd src && zed",
      "cd src; git status",
      "cd src && cd ..",
      "cd src && echo x > y",
    ].map((one) => bash(one)),
  ),
];
