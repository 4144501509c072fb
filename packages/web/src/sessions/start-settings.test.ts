import { describe, expect, it } from "vitest";
import { EMPTY_FORM, toolsOfList, startParams } from "./start-settings.ts";
import { splitMatches } from "./split-matches.ts";

describe("the start form", () => {
  it("says nothing that was not chosen", () =>
    expect(startParams({ ...EMPTY_FORM, cwd: " /code ", prompt: " hi " }, false)).toEqual({
      cwd: "/code",
      prompt: "hi",
    }));

  it("says all that was", () => {
    const form = {
      ...EMPTY_FORM,
      cwd: "/code",
      title: "Fix",
      begin: "pr" as const,
      pr: "#12",
      model: "opus",
      mode: "plan",
      effort: "high",
      addDir: "/a\n\n /b ",
      maxTurns: "5.9",
      maxBudgetUsd: "2.5",
      appendSystemPrompt: "Be brief.",
      tools: "Read, Bash(git log *)",
      disallowedTools: "WebFetch",
      agent: "reviewer",
      fallbackModel: "haiku",
      pluginDir: "/p",
      debugFile: " /p/debug.log ",
      worktree: "try",
      base: "main",
    };
    expect(startParams(form, true)).toEqual({
      cwd: "/code",
      title: "Fix",
      fromPr: 12,
      withoutFolderSettings: true,
      settings: {
        model: "opus",
        permissionMode: "plan",
        effort: "high",
        addDir: ["/a", "/b"],
        maxTurns: 5,
        maxBudgetUsd: 2.5,
        appendSystemPrompt: "Be brief.",
        tools: ["Read", "Bash(git log *)"],
        disallowedTools: ["WebFetch"],
        agent: "reviewer",
        fallbackModel: "haiku",
        pluginDir: ["/p"],
        debugFile: "/p/debug.log",
      },
      worktree: { name: "try", base: "main" },
    });
  });

  it("leaves out invalid numbers", () =>
    expect(startParams({ ...EMPTY_FORM, cwd: "/c", maxTurns: "-1", maxBudgetUsd: "lots" }, false)).toEqual({
      cwd: "/c",
    }));

  it("reads a pull request's address as it stands", () =>
    expect(startParams({ ...EMPTY_FORM, cwd: "/c", begin: "pr", pr: "https://host/o/r/pull/3" }, false)).toMatchObject({
      fromPr: "https://host/o/r/pull/3",
    }));

  it("lets the mode that allows everything be chosen later only if somebody ticked it", () => {
    expect(startParams({ ...EMPTY_FORM, cwd: "/c" }, false)).toEqual({ cwd: "/c" });
    expect(startParams({ ...EMPTY_FORM, cwd: "/c", bypass: "yes" }, false)).toEqual({
      cwd: "/c",
      settings: { allowDangerouslySkipPermissions: true },
    });
  });

  it("splits rules between brackets, not inside", () =>
    expect(toolsOfList("Read Bash(npm run a, b),Edit(src/**)  Grep")).toEqual([
      "Read",
      "Bash(npm run a, b)",
      "Edit(src/**)",
      "Grep",
    ]));
});

describe("marking what a search found", () => {
  it("marks every word, the longer first, and keeps every letter", () => {
    const cut = splitMatches("Retry the retries", "retry retries");
    expect(cut.filter(({ match }) => match).map(({ text }) => text)).toEqual(["Retry", "retries"]);
    expect(cut.map(({ text }) => text).join("")).toBe("Retry the retries");
  });
});
