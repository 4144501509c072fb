// Where rules come from, and which one wins.
import type { PermissionCase } from "../case.ts";
import { bash, group, read, user, write } from "./build.ts";

const rules = (behaviour: "allow" | "ask" | "deny", ...programs: readonly string[]) => ({
  [behaviour]: programs.map((one) => `Bash(${one}:*)`),
});
/**
 * Each program means one combination of scopes. Its letters say who allows (a), asks (k) and denies (d), in the order
 * user, project, local, flag.
 */
const SCOPED: PermissionCase["settings"] = {
  user: {
    permissions: {
      ...rules("allow", "ua", "ua-pk", "ua-pd", "ua-lk", "ua-ld", "ua-fd"),
      ...rules("ask", "uk", "uk-pa", "uk-la", "uk-fa"),
      ...rules("deny", "ud", "ud-pa", "ud-la", "ud-fa"),
    },
  },
  project: {
    permissions: {
      ...rules("allow", "pa", "uk-pa", "ud-pa", "pa-ld", "pa-lk", "pa-fd"),
      ...rules("ask", "pk", "ua-pk", "pk-la", "pk-fa"),
      ...rules("deny", "pd", "ua-pd", "pd-la", "pd-fa"),
    },
  },
  local: {
    permissions: {
      ...rules("allow", "la", "uk-la", "ud-la", "pk-la", "pd-la", "la-fd"),
      ...rules("ask", "lk", "ua-lk", "pa-lk", "lk-fa"),
      ...rules("deny", "ld", "ua-ld", "pa-ld", "ld-fa"),
    },
  },
};
const FLAGGED = [
  "--allowedTools",
  "Bash(fa:*)",
  "Bash(uk-fa:*)",
  "Bash(ud-fa:*)",
  "Bash(pk-fa:*)",
  "Bash(pd-fa:*)",
  "Bash(lk-fa:*)",
  "Bash(ld-fa:*)",
  "--disallowedTools",
  "Bash(fd:*)",
  "Bash(ua-fd:*)",
  "Bash(pa-fd:*)",
  "Bash(la-fd:*)",
];
const PROGRAMS = [
  "ua",
  "uk",
  "ud",
  "pa",
  "pk",
  "pd",
  "la",
  "lk",
  "ld",
  "fa",
  "fd",
  "ua-pk",
  "ua-pd",
  "ua-lk",
  "ua-ld",
  "ua-fd",
  "uk-pa",
  "uk-la",
  "uk-fa",
  "ud-pa",
  "ud-la",
  "ud-fa",
  "pa-ld",
  "pa-lk",
  "pa-fd",
  "pk-la",
  "pk-fa",
  "pd-la",
  "pd-fa",
  "la-fd",
  "lk-fa",
  "ld-fa",
  "none",
];
const each = (programs: readonly string[]) => programs.map((one) => bash(`${one} x`));
const every = (count: number, from = 0) => PROGRAMS.filter((_, index) => index % count === from);

export const SCOPES = [
  ...group("scope", "qca", "trusted folder", { settings: SCOPED, flags: FLAGGED, trusted: true }, each(PROGRAMS)),
  ...group("scope", "qcb", "folder not trusted", { settings: SCOPED, flags: FLAGGED }, each(PROGRAMS)),
  ...group(
    "scope",
    "qcd",
    "bypass",
    { settings: SCOPED, flags: [...FLAGGED, "--permission-mode", "bypassPermissions"], trusted: true },
    each(every(2, 1)),
  ),
  ...group(
    "scope",
    "qch",
    "settings flag",
    {
      settings: SCOPED,
      flags: [
        "--settings",
        JSON.stringify({
          permissions: {
            ...rules("allow", "ga", "ud"),
            ...rules("deny", "ua", "gd"),
            ...rules("ask", "la", "gk"),
            additionalDirectories: ["/opt"],
          },
        }),
      ],
      trusted: true,
    },
    each(["ga", "gd", "gk", "ua", "ud", "la", "pa"]),
  ),
  ...group(
    "scope",
    "qci",
    "managed settings",
    {
      settings: {
        policy: {
          permissions: {
            ...rules("allow", "ma", "ma-ud"),
            ...rules("deny", "md", "md-ua"),
            ...rules("ask", "mk", "mk-ua"),
          },
        },
        user: { permissions: { ...rules("allow", "md-ua", "mk-ua", "ua"), ...rules("deny", "ma-ud") } },
      },
    },
    each(["ma", "md", "mk", "ma-ud", "md-ua", "mk-ua", "ua", "none"]),
  ),
  ...group(
    "scope",
    "qcj",
    "managed settings, managed rules only",
    {
      settings: {
        policy: {
          allowManagedPermissionRulesOnly: true,
          permissions: { ...rules("allow", "ma"), ...rules("deny", "md") },
        },
        user: { permissions: { ...rules("allow", "ua"), ...rules("deny", "ud"), ...rules("ask", "uk") } },
      },
    },
    [...each(["ma", "md", "ua", "ud", "uk"]), bash("ls")],
  ),
  ...group(
    "scope",
    "qcl",
    "granted for the session",
    {
      before: [bash("first a")],
      grants: [
        {
          type: "addRules",
          rules: [{ toolName: "Bash", ruleContent: "zed:*" }],
          behavior: "allow",
          destination: "session",
        },
      ],
    },
    [bash("zed a"), bash("zoo a"), bash("zed a && zoo b")],
  ),
  ...group(
    "scope",
    "qcm",
    "denied for the session",
    {
      before: [bash("first a")],
      grants: [
        {
          type: "addRules",
          rules: [{ toolName: "Bash", ruleContent: "zed:*" }],
          behavior: "deny",
          destination: "session",
        },
      ],
      ...user({ allow: ["Bash(zed:*)"] }),
    },
    [bash("zed a")],
  ),
  ...group(
    "scope",
    "qco",
    "mode set for the session",
    { before: [bash("first a")], grants: [{ type: "setMode", mode: "acceptEdits", destination: "session" }] },
    [write("{{cwd}}/n1"), bash("zed a"), bash("mkdir n2")],
  ),
  ...group(
    "scope",
    "qcp",
    "folder added for the session",
    {
      before: [bash("first a")],
      grants: [{ type: "addDirectories", directories: ["{{out}}"], destination: "session" }],
    },
    [read("{{out}}/o.txt"), bash("cat {{out}}/o.txt"), write("{{out}}/n1")],
  ),
  ...group(
    "scope",
    "qcr",
    "rules of a command",
    {
      prompt: "/power",
      files: {
        "{{cwd}}/.claude/commands/power.md": "---\nallowed-tools: Bash(zed:*)\ndescription: power\n---\nLAB-MAIN go\n",
      },
    },
    [bash("zed a"), bash("zoo a")],
  ),
];
