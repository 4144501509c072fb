import type { OpenRequest } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";
import { quickLine } from "./quick-answer.ts";

const asked = (tool: string, input: Record<string, unknown>): OpenRequest => ({
  id: "1",
  kind: "permission",
  at: 0,
  seq: 1,
  incarnation: 1,
  request: { subtype: "can_use_tool", tool_name: tool, input, tool_use_id: "t" },
});
const line = (command: string, more: Record<string, unknown> = {}): string | undefined =>
  quickLine(asked("Bash", { command, ...more }), "/srv/app");

describe("[S79] a notification may answer", () => {
  it("plain commands inside the project", () => {
    const plain = [
      "ls -la src",
      "npm test",
      "git status --short",
      "git diff src/a.ts",
      "touch made.txt",
      "cargo check",
      "mkdir -p a/b",
    ];
    expect(plain.map((command) => line(command))).toEqual(plain);
    expect(line("ls", { description: "List", timeout: 1000 })).toBe("ls");
    expect(quickLine(asked("Read", { file_path: "/srv/app/src/a.ts" }), "/srv/app")).toBe("Read /srv/app/src/a.ts");
    expect(quickLine(asked("Glob", { pattern: "src/index.ts" }), "/srv/app")).toBe("Glob src/index.ts /srv/app");
  });

  it("nothing that joins, hides, reaches out, destroys, runs code or leaves the project", () => {
    const others = [
      ...[
        "ls; rm x",
        "ls && rm x",
        "ls | sh",
        "ls > x",
        "ls $(rm x)",
        "ls `rm x`",
        "ls\nrm x",
        "ls \u202Ex",
        "lѕ",
        "ls *",
        "~/x",
      ],
      ...[
        "rm -rf made.txt",
        "sudo ls",
        "curl example.com",
        "node x.js",
        "sh x",
        "env ls",
        "xargs ls",
        "find . -delete",
      ],
      ...[
        "git push",
        "git push --force",
        "git branch -D main",
        "git -c core.pager=x log",
        "git diff --ext-diff",
        "git log --output=x",
      ],
      ...[
        "npm install",
        "npm run x",
        "npm test --script-shell=x",
        "go test -exec=x",
        "cat /etc/passwd",
        "cat ../x",
        "touch --reference=/etc/x",
      ],
      ...[
        "cat .env",
        "cat src/.ssh/x",
        "cat secrets.json",
        "cat id_rsa",
        "cat server.pem",
        `echo ${"x".repeat(120)}`,
        "",
      ],
    ];
    expect(others.filter((command) => line(command) !== undefined)).toEqual([]);
    expect(line("ls", { run_in_background: true })).toBeUndefined();
    expect(line("ls", { dangerouslyDisableSandbox: true })).toBeUndefined();
    const tools = [
      asked("Write", { file_path: "/srv/app/a", content: "" }),
      asked("Edit", { file_path: "/srv/app/a", old_string: "a", new_string: "b" }),
      asked("Read", { file_path: "/etc/passwd" }),
      asked("Read", { file_path: "/srv/app/../x" }),
      asked("Read", { file_path: "/srv/app/.env" }),
      asked("Grep", { pattern: "x", path: "/" }),
      asked("Glob", { pattern: "../x" }),
      asked("WebFetch", { url: "https://example.com" }),
      asked("mcp__a__b", {}),
      { ...asked("Bash", { command: "ls" }), kind: "plan" as const },
    ];
    expect(tools.map((one) => quickLine(one, "/srv/app"))).toEqual(tools.map(() => undefined));
  });
});
