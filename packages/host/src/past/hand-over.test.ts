import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { continueCommand, shellWord } from "./hand-over.ts";

const FOLDERS = [
  "/srv/app",
  "/srv/my app",
  "/srv/it's; touch pwned",
  "/srv/$(touch pwned)`touch pwned`",
  '/srv/"quoted" \\ back',
  "/srv/\u001b]52;c;AAAA\u0007evil",
  "/srv/line\nrm -rf x",
  "/srv/\u202etxt.exe\u200b",
  "/srv/日本語",
  "-rf",
];

describe("[S83] the command that a person pastes", () => {
  it.each(FOLDERS)("names the folder %j and nothing else", (folder) => {
    const word = shellWord(folder);
    expect(word).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(execFileSync("bash", ["-c", `printf %s ${word}`], { encoding: "utf8" })).toBe(folder);
  });

  it("is short for a usual folder, and names another configuration", () => {
    const about = { cwd: "/srv/app", cliId: "0b6f", home: "/home/ann" };
    expect(continueCommand({ ...about, config: "/home/ann/.claude" })).toBe("cd /srv/app && claude --resume 0b6f");
    expect(continueCommand({ ...about, config: "/home/ann/my claude" })).toBe(
      "cd /srv/app && CLAUDE_CONFIG_DIR='/home/ann/my claude' claude --resume 0b6f",
    );
  });
});
