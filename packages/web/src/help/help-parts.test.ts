import type { Head } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import { helpParts, LATER, searchParts, type HelpSources } from "./help-parts.ts";

/** What help reads of a head. */
const EMPTY_HEAD = { commands: [], about: {}, servers: [] } as unknown as Head;
const INFO = {
  bridge: 1,
  server: { name: "quarterdeck", version: "0.1.0", id: "s", startedAt: 0 },
  agent: { kind: "claude", version: "2.1.325" },
  machine: { hostname: "vm", platform: "linux", home: "/h", roots: [] },
} as unknown as NonNullable<HelpSources["info"]>;

const partsOf = (sources: Partial<HelpSources>) => {
  const parts = helpParts({ head: undefined, info: INFO, page: "0.1.0", servers: [], ...sources });
  return Object.fromEntries(parts.map((part) => [part.id, part]));
};

describe("[E183] help", () => {
  it("says what it does not know before a session is open, and before its first message", () => {
    const home = partsOf({});
    expect(home["tools"]).toMatchObject({ entries: [], note: "Open a session to see them." });
    expect(home["commands"]!.entries.map(({ name }) => name)).toContain("/help");
    expect(home["versions"]!.entries.map(({ name, about }) => `${name}: ${about}`)).toEqual([
      "Claude Code: 2.1.325",
      "Server: Quarterdeck 0.1.0 on vm",
      "Page: Quarterdeck 0.1.0",
      "Bridge: 1",
    ]);
    const started = partsOf({
      head: {
        ...EMPTY_HEAD,
        commands: [{ name: "review", description: "Review a pull request", hint: "[pr]", aliases: ["rv"] }],
        about: { agents: [{ name: "Explore", description: "Looks around", model: "haiku" }] },
      },
    });
    expect(started["commands"]!.entries).toContainEqual({
      name: "/review [pr]",
      about: "Review a pull request · also /rv",
    });
    expect(started["agents"]).toMatchObject({ entries: [{ name: "Explore", about: "Looks around · haiku" }] });
    expect(started["agents"]!.note).toBeUndefined();
    expect(started["tools"]!.note).toBe(LATER);
    expect(started["skills"]!.note).toBe(LATER);
    expect(started["plugins"]!.note).toBe(LATER);
  });

  it("names tools, skills, agents, plugins and servers with what is known of them", () => {
    const parts = partsOf({
      head: {
        ...EMPTY_HEAD,
        cliVersion: "2.1.38",
        commands: [{ name: "tidy", description: "Tidies the deck" }],
        about: {
          tools: ["Bash", "mcp__tide_table__next", "Newest"],
          skills: ["tidy"],
          agentTypes: ["Explore"],
          plugins: [{ name: "knots", path: "/p/knots", version: "2" }],
        },
        servers: [{ name: "tide table", status: "connected" }],
      },
      servers: [
        { name: "tide table", status: "connected", tools: [{ name: "next", description: "The next tide" }] },
        { name: "wreck", status: "failed", error: "no such program" },
        { name: "wreck", status: "failed", error: "no such program" },
      ],
    });
    expect(parts["tools"]!.entries).toEqual([
      { name: "Bash", about: "Runs a shell command" },
      { name: "mcp__tide_table__next", about: "The next tide" },
      { name: "Newest", about: "" },
    ]);
    expect(parts["skills"]!.entries).toEqual([{ name: "tidy", about: "Tidies the deck" }]);
    expect(parts["agents"]!.entries).toEqual([{ name: "Explore", about: "" }]);
    expect(parts["plugins"]!.entries).toEqual([{ name: "knots 2", about: "/p/knots" }]);
    expect(parts["servers"]!.entries).toEqual([
      { name: "tide table", about: "connected" },
      { name: "wreck", about: "failed · no such program" },
    ]);
    expect(parts["versions"]!.entries).toContainEqual({
      name: "Claude Code on the server",
      about: "2.1.325, for new sessions",
    });
    expect(parts["lacks"]!.title).toBe("What Claude Code 2.1.38 lacks");
    expect(parts["lacks"]!.entries.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["Mode “Auto”", "--worktree"]),
    );
    expect(partsOf({})["lacks"]).toMatchObject({ entries: [], note: "Nothing that Quarterdeck knows of." });
  });

  it("is searched in names and words, and survives answers of any shape", () => {
    const head = {
      ...EMPTY_HEAD,
      about: { tools: "x", skills: { a: 1 }, agents: [null, 7], plugins: "no", agentTypes: [1] } as never,
    };
    const parts = helpParts({ head, info: undefined, page: "1", servers: [{ tools: 3 }, { name: {}, tools: [{}] }] });
    expect(parts.flatMap(({ entries }) => entries).filter(({ name }) => name === "")).toEqual([]);
    expect(searchParts(parts, "SHELL nothing")).toEqual([]);
    const found = searchParts(parts, "keyboard show");
    expect(found.map(({ id, entries }) => [id, entries.map(({ name }) => name)])).toEqual([
      ["commands", ["/keybindings-help"]],
    ]);
  });
});
