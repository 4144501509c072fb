import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFold } from "@quarterdeck/session";
import type { Event } from "@quarterdeck/session";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configFolder, followTranscript, listTranscripts, readTranscript } from "./transcripts.ts";

const fixtures = fileURLToPath(new URL("../../session/fixtures/transcripts/", import.meta.url));
let config: string;
let path: string;

beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), "quarterdeck-transcripts-"));
  const project = join(config, "projects", "-home-user-work");
  path = join(project, "9ee32a39-b274-45aa-90d0-fb557d7df018.jsonl");
  mkdirSync(join(project, "9ee32a39-b274-45aa-90d0-fb557d7df018", "subagents"), { recursive: true });
  cpSync(join(fixtures, "2.1.325-main.jsonl"), path);
  cpSync(
    join(fixtures, "2.1.325-agent-a833f2be8ec5475dc.jsonl"),
    join(project, "9ee32a39-b274-45aa-90d0-fb557d7df018", "subagents", "agent-a833f2be8ec5475dc.jsonl"),
  );
});
afterEach(() => rmSync(config, { recursive: true, force: true }));

const rowsOf = (events: readonly Event[]) => {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return fold.rows;
};

describe("transcripts", () => {
  it("[T1] are found where the CLI keeps them, with what they began with", async () => {
    writeFileSync(join(config, "projects", "-home-user-work", "empty.jsonl"), '{"type":"queue-operation"}\n');
    expect(await listTranscripts(config)).toMatchObject([
      { id: "9ee32a39-b274-45aa-90d0-fb557d7df018", cwd: "/home/user/work", version: "2.1.325", firstPrompt: "first" },
    ]);
    expect(await listTranscripts(join(config, "nowhere"))).toEqual([]);
  });

  it("[T1] are read with their subagents", async () => {
    const rows = rowsOf(await readTranscript(path));
    expect(rows.filter((row) => row.parent !== undefined).map((row) => row.kind)).toEqual(["prompt", "tool", "text"]);
  });

  it("[T2] are followed while a terminal writes to them", async () => {
    const text = readFileSync(path, "utf8");
    const cut = text.indexOf('"content":"second"');
    const at = text.lastIndexOf("\n", text.lastIndexOf("\n", cut)) + 1;
    writeFileSync(path, text.slice(0, at));
    const seen: string[] = [];
    await new Promise<void>((resolve, reject) => {
      const stop = followTranscript(
        path,
        (events) => {
          const last = rowsOf(events).findLast((row) => row.kind === "text" && row.parent === undefined);
          seen.push(last?.kind === "text" ? last.text : "");
          if (seen.length === 1) appendFileSync(path, text.slice(at));
          if (last?.kind === "text" && last.text === "Second done.") {
            stop();
            resolve();
          }
        },
        reject,
      );
    });
    expect(seen[0]).toBe("Written.");
    expect(seen.at(-1)).toBe("Second done.");
  });

  it("[T1] lie in CLAUDE_CONFIG_DIR where that is set", () => {
    expect(configFolder({ HOME: "/home/user" })).toBe("/home/user/.claude");
    expect(configFolder({ HOME: "/home/user", CLAUDE_CONFIG_DIR: "/etc/claude" })).toBe("/etc/claude");
  });
});
