// Tools that search.
import { glob, grep, group, read, user } from "./build.ts";

const TOOLS = { flags: ["--tools", "Glob,Grep,Read,Bash"] };
export const SEARCH = [
  ...group("search", "qga", "no rule", TOOLS, [
    glob("*"),
    glob("**/*"),
    glob("*", "{{cwd}}/src"),
    glob("*", "src"),
    glob("*", "{{out}}"),
    glob("*", "{{home}}"),
    glob("*", ".."),
    grep("alpha"),
    grep("alpha", "{{cwd}}/a.txt"),
    grep("x", "src"),
    grep("omega", "{{out}}"),
    grep("x", "{{home}}/other"),
    grep("x", ".."),
    glob("~/other/*"),
    glob("*", "~/other"),
  ]),
  ...group("search", "qgb", "deny rules", { ...TOOLS, ...user({ deny: ["Read(src/**)", "Read(a.txt)", "Glob(x)"] }) }, [
    glob("*"),
    glob("*", "{{cwd}}/src"),
    glob("*", "{{cwd}}/src/deep"),
    grep("x"),
    grep("x", "{{cwd}}/src"),
    grep("x", "{{cwd}}/src/app.ts"),
    grep("alpha", "a.txt"),
    grep("x", "{{cwd}}/old.txt"),
  ]),
  ...group(
    "search",
    "qgc",
    "ask and allow rules",
    { ...TOOLS, ...user({ ask: ["Grep", "Read(src/**)"], allow: ["Read(/{{out}}/**)", "Glob"] }) },
    [
      glob("*"),
      grep("alpha"),
      glob("*", "{{out}}"),
      glob("*", "{{home}}/other"),
      glob("*", "{{cwd}}/src"),
      grep("x", "{{out}}"),
    ],
  ),
  ...group("search", "qgd", "dontAsk", { flags: [...TOOLS.flags, "--permission-mode", "dontAsk"] }, [
    glob("*"),
    grep("alpha"),
    glob("*", "{{out}}"),
    grep("x", "{{out}}"),
    read("{{cwd}}/a.txt"),
  ]),
];
