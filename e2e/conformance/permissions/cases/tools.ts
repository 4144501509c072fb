// Rules for tools other than Bash and files: the web, MCP servers, skills, agents, and tools that wait for a person.
import type { FileSpec } from "../case.ts";
import { group, mcp, mode, question, task, user, web } from "./build.ts";

const webbed = (permissions: object, flags?: readonly string[]) => ({
  settings: { user: { skipWebFetchPreflight: true, permissions } },
  web: true,
  ...(flags !== undefined && { flags }),
});
const DOMAINS = [
  "example.com",
  "UPPER.example.org",
  "*.star.com",
  "*.co.uk",
  "sub.*.net",
  "port.com:8080",
  "127.0.0.1",
  "xn--bcher-kva.example",
  "trail.com.",
  "exa*.org",
  "*",
  "localhost",
];
const domainRules = (...names: readonly string[]) => names.map((name) => `WebFetch(domain:${name})`);
const URLS = [
  "https://example.com/",
  "https://example.com/path?q=1#x",
  "http://example.com/",
  "https://sub.example.com/",
  "https://notexample.com/",
  "https://example.com.evil.org/",
  "https://EXAMPLE.COM/",
  "https://example.com:8443/",
  "https://user@example.com/",
  "https://example.com@evil.org/",
  "https://evil.org/example.com",
  "https://upper.example.org/",
  "https://a.star.com/",
  "https://a.b.star.com/",
  "https://star.com/",
  "https://x.co.uk/",
  "https://sub.x.net/",
  "https://port.com:8080/",
  "https://port.com/",
  "http://127.0.0.1/",
  "https://xn--bcher-kva.example/",
  "https://bücher.example/",
  "https://trail.com/",
  "https://example.com./",
  "https://example.org/",
  "http://localhost/",
  "ftp://example.com/",
  "not a url",
  "https://docs.python.org/3/",
  "https://developer.mozilla.org/en-US/",
  "https://github.com/x",
  "https://react.dev/",
];
export const WEB = [
  ...group(
    "web",
    "qwa",
    "allow domains",
    webbed({ allow: domainRules(...DOMAINS.slice(0, 10)) }),
    URLS.map((url) => web(url)),
  ),
  ...group(
    "web",
    "qwb",
    "deny domains",
    webbed({ allow: ["WebFetch"], deny: domainRules(...DOMAINS.slice(0, 10)) }),
    URLS.filter((_, index) => index % 2 === 0).map((url) => web(url)),
  ),
  ...group(
    "web",
    "qwc",
    "ask domains",
    webbed({ allow: ["WebFetch"], ask: domainRules(...DOMAINS.slice(0, 10)) }),
    URLS.filter((_, index) => index % 3 === 0).map((url) => web(url)),
  ),
  ...group(
    "web",
    "qwf",
    "bypass",
    webbed({ deny: domainRules("example.com"), ask: domainRules("asked.com") }, [
      "--permission-mode",
      "bypassPermissions",
    ]),
    [web("https://example.com/"), web("https://other.com/"), web("https://asked.com/")],
  ),
];

const SERVERS = {
  lab: ["alpha", "beta!", "al_pha", "gamma"],
  two: ["alpha", "delta"],
  "my-srv": ["alpha"],
  under_score: ["x__y"],
};
const MCP_CALLS = [
  mcp("lab__alpha"),
  mcp("lab__beta"),
  mcp("lab__al_pha"),
  mcp("lab__gamma"),
  mcp("two__alpha"),
  mcp("two__delta"),
  mcp("my-srv__alpha"),
  mcp("under_score__x__y"),
];
const served = (permissions: object, flags?: readonly string[]) => ({
  settings: { user: { permissions } },
  mcp: SERVERS,
  ...(flags !== undefined && { flags }),
});
export const MCP = [
  ...group("mcp", "qta", "no rule", served({}), MCP_CALLS),
  ...group(
    "mcp",
    "qtb",
    "allow a server and a tool",
    served({ allow: ["mcp__lab", "mcp__two__alpha", "mcp__my-srv__*"] }),
    MCP_CALLS,
  ),
  ...group(
    "mcp",
    "qtc",
    "deny a server and a tool",
    served({ allow: ["mcp__lab", "mcp__two", "mcp__my-srv"], deny: ["mcp__lab__alpha", "mcp__two", "mcp__my-srv__*"] }),
    MCP_CALLS,
  ),
  ...group(
    "mcp",
    "qtd",
    "ask a server and a tool",
    served({ allow: ["mcp__lab", "mcp__two", "mcp__my-srv"], ask: ["mcp__lab__alpha", "mcp__two", "mcp__my-srv__*"] }),
    MCP_CALLS,
  ),
  ...group(
    "mcp",
    "qte",
    "names that nearly fit",
    served({
      allow: ["mcp__la", "MCP__lab", "mcp__lab__alph", "mcp__lab__", "mcp_two", "mcp__my_srv", "mcp__under_score"],
    }),
    MCP_CALLS,
  ),
  ...group("mcp", "qtf", "stars in names", served({ allow: ["mcp__lab__al*", "mcp__t*", "mcp__*__x__y"] }), MCP_CALLS),
  ...group(
    "mcp",
    "qtg",
    "deny with a star",
    served({ allow: ["mcp__lab", "mcp__two"], deny: ["mcp__lab__al*", "mcp__t*"] }),
    MCP_CALLS,
  ),
  ...group(
    "mcp",
    "qti",
    "bypass",
    served({ deny: ["mcp__lab"], ask: ["mcp__two__alpha"] }, ["--permission-mode", "bypassPermissions"]),
    MCP_CALLS.slice(0, 6),
  ),
  ...group(
    "mcp",
    "qtl",
    "odd server names",
    {
      mcp: { "my.server": ["do it", "dot.ted"], "two words": ["alpha"] },
      ...user({ allow: ["mcp__my_server__do_it", "mcp__two_words"], deny: ["mcp__my.server__dot.ted"] }),
    },
    [mcp("my_server__do_it"), mcp("my_server__dot_ted"), mcp("two_words__alpha")],
  ),
];

const skill = (name: string, tools?: string): Readonly<Record<string, FileSpec>> => ({
  [`{{cwd}}/.claude/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: Lab\n${tools === undefined ? "" : `allowed-tools: ${tools}\n`}---\nSay hello.\n`,
});
const SKILLS = { ...skill("hello"), ...skill("power", "Bash"), ...skill("help-me", "Read") };
const call = (name: string, args?: string) => ({
  tool: "Skill",
  input: args === undefined ? { skill: name } : { skill: name, args },
});
const skilled = (permissions: object, flags?: readonly string[]) => ({
  files: SKILLS,
  settings: { user: { permissions } },
  ...(flags !== undefined && { flags }),
});
export const SKILLS_AND_AGENTS = [
  ...group("skill-agent", "qka", "no rule", skilled({}), [call("hello"), call("power")]),
  ...group("skill-agent", "qkc", "deny and ask", skilled({ deny: ["Skill(power)"], ask: ["Skill(hello)"] }), [
    call("power"),
    call("hello"),
  ]),
  ...group("skill-agent", "qkf", "agents, no rule", {}, [
    task("general-purpose"),
    task("Explore"),
    task("Plan"),
    task("missing"),
    task("general-purpose", "Agent"),
  ]),
  ...group("skill-agent", "qkg", "agents, deny", user({ deny: ["Task(Explore)", "Agent(Plan)"] }), [
    task("general-purpose"),
    task("Explore"),
    task("Plan"),
    task("Explore", "Agent"),
    task("Plan", "Agent"),
  ]),
];

const exitPlan = { tool: "ExitPlanMode", input: { plan: "# Plan\n1. Do A" } };
export const INTERACTION = [
  ...group("interaction", "qia", "no rule", {}, [question]),
  ...group("interaction", "qib", "ask rules", user({ ask: ["TodoWrite", "TaskCreate", "AskUserQuestion", "Task"] }), [
    question,
  ]),
  ...group("interaction", "qid", "dontAsk", mode("dontAsk"), [question]),
  ...group("interaction", "qif", "plan", mode("plan"), [exitPlan, question]),
];
