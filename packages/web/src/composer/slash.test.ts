import { describe, expect, it } from "vitest";
import { allows } from "@quarterdeck/client/policy";
import { commandChoices, judgeCommand, offeredCommands, rankCommands, readCommand } from "./slash.ts";

const choices = commandChoices([
  { name: "compact", description: "Summarise", hint: "[instructions]" },
  { name: "code-review", aliases: ["review"] },
  { name: "clear", aliases: ["reset", "new"] },
  { name: "model", description: "the CLI's own" },
  { name: "plugin:plan" },
  { name: "__hidden" },
]);
const names = (query: string) => rankCommands(choices, query).map(({ name }) => name);

describe("the list", () => {
  it("joins the commands of the CLI and the page, sorted by name; a command of the page replaces one of the CLI", () => {
    expect(choices.map(({ name }) => name)).toEqual(choices.map(({ name }) => name).toSorted());
    expect(choices.filter(({ name }) => name === "model")).toMatchObject([{ own: "model" }]);
  });
  it("has every command that opens here", () => {
    const own = ["config", "help", "fast", "keybindings-help", "model", "permissions", "mcp", "resume", "btw"];
    expect(choices.flatMap((choice) => choice.own ?? []).toSorted()).toEqual(own.toSorted());
  });
  it("offers a device the commands that it may send, and all that open here (S36)", () => {
    const commands = [{ name: "compact" }, { name: "plugin", builtin: true as const }, { name: "mine" }];
    const offeredTo = (role: "operate" | "admin") =>
      offeredCommands(commandChoices(commands), (name) =>
        allows(role, "session/prompt", { content: `/${name}` }, { commands }),
      ).map(({ name }) => name);
    expect(offeredTo("admin")).toContain("plugin");
    expect(offeredTo("operate")).toEqual(offeredTo("admin").filter((name) => name !== "plugin"));
    expect(offeredTo("operate")).toContain("config");
  });
  it("leaves out internal commands of the CLI", () => expect(names("__hidden")).toEqual([]));
});

describe("the order", () => {
  it("puts names with this prefix first, then aliases, then parts, then letters in order", () => {
    expect(names("c").slice(0, 4)).toEqual(["clear", "code-review", "compact", "config"]);
    expect(names("rev")).toEqual(["code-review"]);
    expect(names("re")[0]).toBe("resume");
    expect(names("plan")).toEqual(["plugin:plan"]);
    expect(names("cmpt")).toEqual(["compact"]);
  });
  it("puts the exact name before longer ones", () => expect(names("mcp")[0]).toBe("mcp"));
});

describe("typed text", () => {
  it("is a command only if it can be one", () => {
    expect(readCommand("/compact keep the tide table\nand more ")).toEqual({
      name: "compact",
      args: "keep the tide table\nand more",
    });
    expect(readCommand("/usr/bin is full")).toBeUndefined();
    expect(readCommand("/ hello")).toBeUndefined();
    expect(readCommand("not /one")).toBeUndefined();
  });
  it("is a command of the page, of the CLI, an unknown command, or text", () => {
    expect(judgeCommand("/model opus", choices)).toEqual({ kind: "own", own: "model", args: "opus" });
    expect(judgeCommand("/settings", choices)).toEqual({ kind: "own", own: "config", args: "" });
    expect(judgeCommand("/review", choices)).toEqual({ kind: "known" });
    expect(judgeCommand("/frobnicate", choices)).toEqual({ kind: "unknown" });
    expect(judgeCommand("/tmp/x is gone", choices)).toEqual({ kind: "text" });
  });
});
