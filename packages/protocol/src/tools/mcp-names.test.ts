import { describe, expect, it } from "vitest";
import { fc } from "../property.fixture.ts";
import { isMcpName, mcpDisplayName, mcpToolName, mcpWireServer, splitMcpName } from "./mcp-names.ts";

describe("splitMcpName", () => {
  it("splits at the first double underscore, as the CLI does", () => {
    expect(splitMcpName("mcp__github__search_repositories")).toEqual({ server: "github", tool: "search_repositories" });
    expect(splitMcpName("mcp__my_server__a__b")).toEqual({ server: "my_server", tool: "a__b" });
    expect(splitMcpName("mcp__plugin_x_y__tool")).toEqual({ server: "plugin_x_y", tool: "tool" });
  });

  it("splits by the configured servers", () => {
    expect(splitMcpName("mcp__my__server__tool", ["my", "my__server"])).toEqual({ server: "my__server", tool: "tool" });
    expect(splitMcpName("mcp__plugin_x_y__tool", ["plugin:x:y"])).toEqual({ server: "plugin:x:y", tool: "tool" });
    expect(splitMcpName("mcp__claude_ai_Gmail__send", ["claude.ai Gmail"])).toEqual({
      server: "claude.ai Gmail",
      tool: "send",
    });
    expect(splitMcpName("mcp__other__tool", ["my"])).toEqual({ server: "other", tool: "tool" });
  });

  it("rejects other names", () => {
    for (const name of ["Bash", "mcp__", "mcp__a", "mcp__a__", "mcp____b", "mcp_a__b"]) {
      expect(splitMcpName(name, ["a", ""]), name).toBeUndefined();
    }
  });

  it("finds the tools of any configured server", () => {
    const server = fc.string({ minLength: 1, unit: fc.constantFrom("a", "B", "1", "_", "-", " ", ".", ":", "é") });
    fc.assert(
      fc.property(fc.array(server, { minLength: 1 }), fc.stringMatching(/^[a-z]+(_[a-z]+)*$/), (servers, tool) => {
        const wire = mcpWireServer(servers[0] ?? "");
        const name = mcpToolName(servers[0] ?? "", tool);
        expect(name).toBe(`mcp__${wire}__${tool}`);
        const split = splitMcpName(name, servers);
        // Two names may be equal on the wire, or one may begin like another. Then the longest is meant.
        expect(`${mcpWireServer(split?.server ?? "")}__${split?.tool}`).toBe(`${wire}__${tool}`);
        expect(mcpWireServer(split?.server ?? "").length).toBeGreaterThanOrEqual(wire.length);
      }),
    );
  });
});

it("isMcpName knows tools of servers, and whole servers", () => {
  expect(["mcp__github__search", "mcp__github", "Bash", "mcp"].map(isMcpName)).toEqual([true, true, false, false]);
});

describe("mcpDisplayName", () => {
  it("writes names for people (S1)", () => {
    const shown = {
      mcp__github__search_repositories: "GitHub › Search Repositories",
      mcp__memory__create_entities: "Memory › Create Entities",
      mcp__filesystem__readFile: "Filesystem › Read File",
      "mcp__chrome-devtools__list_urls": "Chrome DevTools › List Urls",
      mcp__plugin_github_github__get_pr: "GitHub › Get PR",
      mcp__plugin_x_y__tool: "X Y › Tool",
      mcp__sdksrv__echo: "Sdksrv › Echo",
      Bash: "Bash",
      ___: "___",
    };
    expect(Object.fromEntries(Object.keys(shown).map((name) => [name, mcpDisplayName(name)]))).toEqual(shown);
    expect(mcpDisplayName("mcp__claude_ai_Gmail__send_mail", ["claude.ai Gmail"])).toBe("Claude AI Gmail › Send Mail");
    expect(mcpDisplayName("mcp__-__-")).toBe("- › -");
  });

  it("never throws and is never empty", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (name) => {
        expect(mcpDisplayName(`mcp__${name}`)).not.toBe("");
      }),
    );
  });
});
