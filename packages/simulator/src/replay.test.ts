import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Host } from "./host.fixture.ts";
import { isRecord, recordAt, textAt } from "./json.ts";
import type { Json } from "./json.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

const RECORDINGS = fileURLToPath(new URL("../../protocol/fixtures/recordings", import.meta.url));
/** Two processors can run this many at a time. */
const AT_ONCE = 4;

interface Entry {
  readonly dir: "in" | "out";
  readonly msg?: Json;
  readonly raw?: string;
}

const entriesOf = (file: string): readonly Entry[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry);

/** Replaces each id that the host chose, so that repeating the recording cannot pass the test. */
const renamed = (value: unknown, ids: ReadonlyMap<string, string>): unknown => {
  if (typeof value === "string") return ids.get(value) ?? value;
  if (Array.isArray(value)) return value.map((entry) => renamed(entry, ids));
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, renamed(entry, ids)]))
    : value;
};

const hostIds = (entries: readonly Entry[]): ReadonlyMap<string, string> => {
  const ids = new Map<string, string>();
  for (const { dir, msg } of entries) {
    if (dir !== "in" || msg === undefined) continue;
    const id = msg.type === "control_request" ? textAt(msg, "request_id") : textAt(msg, "uuid");
    if (id !== undefined) ids.set(id, `mine-${id}`);
  }
  return ids;
};

/** Plays one recording with a host that sends what the recorded host sent. Returns the difference. */
const differenceOf = async (file: string): Promise<string | undefined> => {
  const entries = entriesOf(file);
  const ids = hostIds(entries);
  const meta = JSON.parse(readFileSync(file.replace(".ndjson", ".meta.json"), "utf8")) as Json;
  const child = spawn(process.execPath, [...programWords("quarterdeck-sim"), "--replay", file], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => {});
  let output = "";
  let stderr = "";
  let wake: () => void = () => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  let ended = false;
  const exited = new Promise<Json>((resolve) => {
    child.once("close", (code, sig) => {
      ended = true;
      wake();
      resolve({ code, sig });
    });
  });
  const nextLine = async (): Promise<string | undefined> => {
    for (;;) {
      const at = output.indexOf("\n");
      if (at >= 0) {
        const line = output.slice(0, at);
        output = output.slice(at + 1);
        return line;
      }
      if (ended) return undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  for (const { dir, msg, raw } of entries) {
    if (dir === "out") {
      const line = await nextLine();
      const wanted = msg === undefined ? raw : JSON.stringify(renamed(msg, ids));
      if (line !== wanted) return `${file}\n  wanted ${String(wanted)}\n  got    ${String(line)}`;
    } else if (msg?.type === "__eof") child.stdin.end();
    else if (msg?.type === "__signal") child.kill(textAt(msg, "signal") as NodeJS.Signals);
    else child.stdin.write(`${msg === undefined ? (raw ?? "") : JSON.stringify(renamed(msg, ids))}\n`);
  }
  child.stdin.end();
  const end = await exited;
  const wantedEnd = recordAt(meta, "exit");
  if (output !== "") return `${file} wrote more: ${output}`;
  if (end.code !== wantedEnd.code || end.sig !== wantedEnd.sig) return `${file} ended with ${JSON.stringify(end)}`;
  return stderr === meta.stderr ? undefined : `${file} wrote to stderr: ${stderr}`;
};

describe.each(readdirSync(RECORDINGS))("recordings of %s", (version) => {
  const options = version === "2.1.22" ? {} : { tags: "long" };
  it("are all played back, line by line, with the ids of this host", options, async () => {
    const folder = join(RECORDINGS, version);
    const waiting = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
    expect(waiting.length).toBeGreaterThan(50);
    const differences: string[] = [];
    const work = async (): Promise<void> => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        const difference = await differenceOf(join(folder, name));
        if (difference !== undefined) differences.push(difference);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(differences).toEqual([]);
  });
});

describe("a host that differs from the recorded one", () => {
  const recording = join(RECORDINGS, "2.1.325", "01b_plain_nopartial.ndjson");

  it("may initialize although the recorded one did not", async () => {
    const host = new Host({ bareArgs: ["--replay", recording] });
    expect(await host.request({ subtype: "initialize" })).toMatchObject({ commands: [], models: [] });
    expect(await host.turn("anything")).toMatchObject({ result_index: 0 });
    expect(await host.turn("anything else")).toMatchObject({ result_index: 1 });
    expect(await host.end()).toEqual({ code: 0, signal: null });
  });

  it("may leave before the end", async () => {
    const host = new Host({ bareArgs: ["--replay", recording, "--speed", "1000"] });
    await host.turn("anything");
    expect(await host.end()).toEqual({ code: 0, signal: null });
    expect(host.words()).toEqual(["init", "assistant text", "result success"]);
  });

  it("sees faults in a replay too", async () => {
    const host = new Host({ bareArgs: ["--replay", recording, "--fault", "die-mid-line@result"] });
    host.prompt("anything");
    expect(await host.exited).toEqual({ code: 1, signal: null });
    expect(host.noise).toHaveLength(1);
  });
});
