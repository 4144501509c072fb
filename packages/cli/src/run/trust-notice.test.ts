import { describe, expect, it } from "vitest";
import { leftOutNotice, trustedNotice } from "./trust-notice.ts";

const file = (path: string, ...runs: string[]) => ({
  path,
  kind: "file" as const,
  runsSomething: runs.length > 0,
  runs,
});

describe("[S38] the notice about a folder's own files", () => {
  it("names each file and what it would run, before and after --trust", () => {
    const files = [file("/a/.mcp.json", "server x: sh -c evil"), file("/a/.claude/agents/b.md")];
    expect(leftOutNotice({ files })).toBe(
      [
        "This folder is not trusted. These files are ignored:",
        "  /a/.mcp.json",
        "    server x: sh -c evil",
        "  /a/.claude/agents/b.md",
        "Use --trust to allow them, now and later.",
        "",
      ].join("\n"),
    );
    expect(trustedNotice({ files })).toContain("\n  /a/.mcp.json\n    server x: sh -c evil\n");
  });

  it("does not offer --trust for a folder that cannot be trusted", () => {
    const notice = leftOutNotice({ files: [file("/a/.mcp.json")], obstacle: "This folder cannot be trusted: a link." });
    expect(notice).toContain("This folder cannot be trusted: a link.\n");
    expect(notice).not.toContain("--trust");
  });

  it("marks hidden characters, and no text can look like a line of ours", () => {
    const notice = trustedNotice({ files: [file("/a\nfake/.mcp.json", "shell: one\nUse this\u001b]0;x\u0007\u202e")] });
    expect(notice).toContain("  /a‹U+000A›fake/.mcp.json\n    shell: one\n    Use this‹U+001B›]0;x‹U+0007›‹U+202E›\n");
  });
});
