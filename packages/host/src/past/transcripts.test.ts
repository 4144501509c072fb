import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFold, eventsOfTranscript } from "@quarterdeck/session";
import type { Event } from "@quarterdeck/session";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { FileError } from "../trust/contained-file.ts";
import { configFolder, findTranscript, followTranscript, listTranscripts, readTranscript } from "./transcripts.ts";

const fixtures = fileURLToPath(new URL("../../../session/fixtures/transcripts/", import.meta.url));
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

const agentPath = (): string => join(path.slice(0, -".jsonl".length), "subagents", "agent-a833f2be8ec5475dc.jsonl");
const rowsOf = (events: readonly Event[]) => {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return fold.rows;
};

describe("transcripts", () => {
  it("[T1] are found in the CLI's folder, with their first prompt", async () => {
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

  it("[S42] are regular files: a FIFO or a link in their place is skipped", async () => {
    const project = join(config, "projects", "-home-user-work");
    const [fifo, link] = [join(project, "fifo.jsonl"), join(project, "link.jsonl")];
    execFileSync("mkfifo", [fifo]);
    symlinkSync("/dev/zero", link);
    symlinkSync("/dev/zero", join(dirname(agentPath()), "agent-link.jsonl"));
    execFileSync("mkfifo", [join(dirname(agentPath()), "agent-fifo.jsonl")]);
    expect((await listTranscripts(config)).map(({ path: listed }) => listed)).toEqual([path]);
    expect(await findTranscript(config, "fifo")).toBe(undefined);
    expect(await findTranscript(config, "link")).toBe(undefined);
    expect(rowsOf(await readTranscript(path)).length).toBeGreaterThan(0);
    await expect(readTranscript(fifo)).rejects.toThrow(/is not a regular file/);
    await expect(readTranscript(link)).rejects.toThrow(/cannot be read/);
    for (const special of [fifo, link]) {
      const failed = Promise.withResolvers<unknown>();
      onTestFinished(followTranscript(special, () => {}, failed.resolve));
      expect(await failed.promise).toBeInstanceOf(FileError);
    }
  });

  describe("that are followed", () => {
    /** Folds the reported events. `until` waits for a row. */
    const follow = () => {
      const fold = createFold();
      const told: (readonly Event[])[] = [];
      let look = (): void => {};
      const failed = Promise.withResolvers<never>();
      failed.promise.catch(() => {});
      const stop = followTranscript(
        path,
        (events) => {
          told.push(events);
          for (const event of events) fold.apply(event);
          look();
        },
        (error) => failed.reject(error),
      );
      onTestFinished(stop);
      const until = (isThere: () => boolean): Promise<void> =>
        Promise.race([
          failed.promise,
          new Promise<void>((resolve) => {
            look = () => {
              if (isThere()) resolve();
            };
            look();
          }),
        ]);
      const texts = () => fold.rows.flatMap((row) => (row.kind === "text" ? [row.text] : []));
      return { fold, told, until, texts };
    };
    const said = (text: string, uuid: string): string =>
      `${JSON.stringify({ type: "assistant", uuid, message: { id: uuid, role: "assistant", content: [{ type: "text", text }] } })}\n`;

    it("[T2] report what a terminal adds, once, and read only that", async () => {
      const text = readFileSync(path, "utf8");
      const cut = text.indexOf('"content":"second"');
      const at = text.lastIndexOf("\n", text.lastIndexOf("\n", cut)) + 1;
      writeFileSync(path, text.slice(0, at));
      const { fold, told, until, texts } = follow();
      await until(() => told.length > 0);
      expect(texts().at(-1)).toBe("Written.");
      // Overwrites the start of the file. A reader that starts again would not understand it.
      const file = openSync(path, "r+");
      writeSync(file, "#".repeat(200), 0);
      closeSync(file);
      appendFileSync(path, text.slice(at));
      await until(() => texts().at(-1) === "Second done.");
      const seqs = told.flat().map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
      expect(fold.rows.map(({ kind }) => kind)).toEqual(
        rowsOf(eventsOfTranscript(text, { a833f2be8ec5475dc: readFileSync(agentPath(), "utf8") })).map(
          ({ kind }) => kind,
        ),
      );
    });

    it("[T2] survive a line that arrives in parts, even inside a character", async () => {
      const { told, until, texts } = follow();
      await until(() => told.length > 0);
      const line = Buffer.from(said("Grüße", "u-parts"));
      const within = line.indexOf(0xc3) + 1;
      appendFileSync(path, line.subarray(0, within));
      appendFileSync(path, line.subarray(within, -1));
      appendFileSync(path, "\n");
      await until(() => texts().at(-1) === "Grüße");
      expect(told.slice(1).flat()).toHaveLength(1);
    });

    it("[T2] survive being cut, rewritten and replaced, and report nothing twice", async () => {
      const text = readFileSync(path, "utf8");
      const { fold, told, until, texts } = follow();
      await until(() => told.length > 0);
      const rows = fold.rowCount;
      writeFileSync(path, text.slice(0, text.indexOf("\n") + 1));
      appendFileSync(path, said("After a cut.", "u-cut"));
      await until(() => texts().at(-1) === "After a cut.");
      writeFileSync(`${path}.new`, text + said("After a rotation.", "u-rotated"));
      renameSync(`${path}.new`, path);
      await until(() => texts().at(-1) === "After a rotation.");
      expect(fold.rowCount).toBe(rows + 2);
    });

    it("[T2] report a subagent while it works, even if its folder appears after its call", async () => {
      const text = readFileSync(path, "utf8");
      const agent = readFileSync(agentPath(), "utf8");
      const call = text.indexOf('"name":"Task"');
      const at = text.indexOf("\n", call) + 1;
      rmSync(join(path, "..", "9ee32a39-b274-45aa-90d0-fb557d7df018"), { recursive: true });
      writeFileSync(path, text.slice(0, at));
      const { fold, told, until } = follow();
      await until(() => told.length > 0);
      const own = () => fold.rows.filter((row) => row.parent !== undefined).map(({ kind }) => kind);
      expect(own()).toEqual([]);
      mkdirSync(join(agentPath(), ".."), { recursive: true });
      const [first, ...rest] = agent.split("\n");
      writeFileSync(agentPath(), `${first}\n`);
      await until(() => own().length === 1);
      appendFileSync(agentPath(), rest.join("\n"));
      await until(() => own().length === 3);
      appendFileSync(path, text.slice(at));
      await until(() => fold.rows.some((row) => row.kind === "text" && row.text === "Second done."));
      expect(own()).toEqual(["prompt", "tool", "text"]);
    });
  });

  it("[T1] are in CLAUDE_CONFIG_DIR if that is set", () => {
    expect(configFolder({ HOME: "/home/user" })).toBe("/home/user/.claude");
    expect(configFolder({ HOME: "/home/user", CLAUDE_CONFIG_DIR: "/etc/claude" })).toBe("/etc/claude");
  });
});
