import type { PermissionUpdate } from "@quarterdeck/protocol";
import { describe, expect, it } from "vitest";
import { promptNeed, SLASH_ROLES, updateNeed } from "./roles.ts";

describe("the role that a prompt needs", () => {
  const commands = [
    { name: "config", aliases: ["settings", "prefs"], builtin: true as const },
    { name: "brand-new", aliases: ["bn"], builtin: true as const },
    { name: "mine", description: "Of the project" },
    { name: "plugin:deploy" },
  ];
  const roleOf = (content: Parameters<typeof promptNeed>[0]) => promptNeed(content, commands).role;

  it("is admin for commands that change settings, in any spelling (S36)", () => {
    const texts = [
      "/config x=y",
      "/config",
      " /config",
      "\t\n/config",
      "/Config",
      "/config\u00a0x",
      "/config\nx",
      "\u200b/con\u00adfig",
    ];
    for (const text of [...texts, "/settings", "/prefs", "/mcp", "/plugin install x"])
      expect([text, roleOf(text)]).toEqual([text, "admin"]);
    expect(promptNeed("/config x=y", commands)).toEqual({ role: "admin", command: "/config" });
  });

  it("is admin for a built-in command that is not in the table (S36)", () => {
    expect([roleOf("/brand-new"), roleOf("/bn x"), promptNeed("/brand-new", []).role]).toEqual([
      "admin",
      "admin",
      "operate",
    ]);
  });

  it("counts every block of text (S36)", () => {
    const text = (words: string) => ({ type: "text", text: words });
    expect(roleOf([text("hello"), text("/config")])).toBe("admin");
    expect(roleOf([text("/config"), text("hello")])).toBe("admin");
    expect(roleOf([{ type: "image", source: {} }, text("hello /config")])).toBe("operate");
  });

  it("is operate for commands of the project, for paths and for text (S36)", () => {
    for (const text of [
      "/mine",
      "/plugin:deploy now",
      "/home/me/config",
      "//config",
      "/ config",
      "/",
      "",
      "see /config",
      "!ls",
      "#x",
    ])
      expect([text, roleOf(text)]).toEqual([text, "operate"]);
    expect([...SLASH_ROLES.values()].every((role) => role === "operate" || role === "admin")).toBe(true);
  });
});

describe("the role that a rule needs", () => {
  const rules = [
    { toolName: "Bash", ruleContent: "npm test *" },
    { toolName: "Bash", ruleContent: "make *" },
  ];
  const suggested = [
    { type: "addRules", rules, behavior: "allow", destination: "localSettings" },
    { type: "addDirectories", directories: ["/a", "/b"], destination: "session" },
    { type: "setMode", mode: "acceptEdits", destination: "session" },
    { type: "replaceRules", rules, behavior: "deny", destination: "session" },
    { type: "ofANewerCli", destination: "session" },
  ] as const;
  const needOf = (update: object) => updateNeed(update as PermissionUpdate, suggested as never).role;
  const session = { destination: "session" };

  it("is answer for a suggestion or a part of it, for the session (S46)", () => {
    expect(needOf({ ...suggested[0], ...session })).toBe("answer");
    expect(needOf({ ...suggested[0], ...session, rules: [rules[1]] })).toBe("answer");
    expect(needOf({ ...suggested[1], directories: ["/b"] })).toBe("answer");
    expect(needOf(suggested[3])).toBe("answer");
    expect(needOf(suggested[2])).toBe("operate");
  });

  it("is admin for everything else (S46)", () => {
    const others = [
      suggested[0],
      { ...suggested[0], ...session, behavior: "deny" },
      { ...suggested[0], ...session, rules: [{ toolName: "Bash" }] },
      { ...suggested[0], ...session, rules: [] },
      { ...suggested[0], ...session, rules: [...rules, { toolName: "Edit" }] },
      { ...suggested[0], ...session, rules: [{ ...rules[0], extra: 1 }] },
      { ...suggested[1], directories: ["/"] },
      { ...suggested[3], rules: [rules[0]] },
      { ...suggested[2], destination: "localSettings" },
      { type: "setMode", mode: "auto", ...session },
      { type: "removeDirectories", directories: ["/a"], ...session },
    ];
    for (const update of others) expect([update, needOf(update)]).toEqual([update, "admin"]);
  });
});
