// Each mode with each kind of call, and modes from settings.
import type { PermissionCase } from "../case.ts";
import { bash, edit, group, mode, question, read, REMOVED, task, user, web, write } from "./build.ts";
import type { Entry } from "./build.ts";

const MODE_CALLS: readonly Entry[] = [
  read("{{cwd}}/a.txt"),
  read("{{out}}/o.txt"),
  write("{{cwd}}/n1.txt"),
  write("{{out}}/n2.txt"),
  edit("{{cwd}}/n3.txt"),
  write("{{cwd}}/.git/n4"),
  bash("ls"),
  bash("zed a"),
  bash("mkdir n5"),
  bash("touch {{out}}/n6"),
  bash("rmdir /"),
  bash("ruled a"),
  bash("asked a"),
  bash("denied a"),
  question,
  task("general-purpose"),
  { tool: "WebSearch", input: { query: "lab" } },
  REMOVED,
  REMOVED,
  web("https://example.com/"),
];
const MODE_RULES = { allow: ["Bash(ruled:*)"], ask: ["Bash(asked:*)"], deny: ["Bash(denied:*)"] };
const inMode = (name: string, more: Partial<PermissionCase> = {}) => ({
  ...mode(name),
  settings: { user: { skipWebFetchPreflight: true, permissions: MODE_RULES } },
  web: true,
  ...more,
});
export const MODES = [
  ...group("mode", "qma", "default", inMode("default"), MODE_CALLS),
  ...group("mode", "qmb", "acceptEdits", inMode("acceptEdits"), MODE_CALLS),
  ...group("mode", "qmc", "plan", inMode("plan"), MODE_CALLS.slice(0, 10)),
  ...group("mode", "qmd", "dontAsk", inMode("dontAsk"), MODE_CALLS),
  ...group("mode", "qme", "bypass", inMode("bypassPermissions"), MODE_CALLS),
  ...group("mode", "qmf", "auto", inMode("auto"), MODE_CALLS.slice(1, 7)),
  ...group("mode", "qmi", "default mode acceptEdits in user settings", user({ defaultMode: "acceptEdits" }), [
    write("{{cwd}}/n1"),
    bash("mkdir n2"),
    bash("zed a"),
  ]),
  ...group("mode", "qmk", "default mode bypass in user settings", user({ defaultMode: "bypassPermissions" }), [
    write("{{cwd}}/n1"),
    bash("zed a"),
  ]),
  ...group("mode", "qmn", "flag over default mode", { ...user({ defaultMode: "acceptEdits" }), ...mode("default") }, [
    write("{{cwd}}/n1"),
    bash("mkdir n2"),
  ]),
  ...group(
    "mode",
    "qmp",
    "skip permissions flag",
    { flags: ["--dangerously-skip-permissions"], ...user({ deny: ["Bash(zed:*)", "Read(a.txt)"], ask: ["Write"] }) },
    [bash("zed a"), bash("zoo a"), read("{{cwd}}/a.txt"), write("{{cwd}}/n1"), bash("cat a.txt"), question],
  ),
  ...group(
    "mode",
    "qms",
    "auto, shell",
    mode("auto"),
    ["touch n1", "echo x > n2", "zed > n3", "touch {{out}}/n4", "touch .git/n5", "cp a.txt n6 && zed"].map((one) =>
      bash(one),
    ),
  ),
];
