import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { endHolder, findHolder, listHolders } from "./session-holder.ts";

const ID = "00000000-0000-4000-8000-00000000000a";
const OTHER = "00000000-0000-4000-8000-00000000000b";

/** A process that looks like the CLI in a terminal: a script named `claude`, in this folder, with these arguments. */
const claude = async (cwd: string, args: readonly string[] = []): Promise<number> => {
  const script = join(cwd, "claude");
  writeFileSync(
    script,
    `process.on("SIGTERM", () => process.exit(0)); console.log("up"); setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, [script, ...args], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child.pid!;
};
const startOf = (pid: number): string => {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]!;
};
const register = (config: string, pid: number, entry: object): void => {
  mkdirSync(join(config, "sessions"), { recursive: true });
  writeFileSync(join(config, "sessions", `${String(pid)}.json`), JSON.stringify({ pid, ...entry }));
};

describe.runIf(process.platform === "linux")("[H21] who holds a session", () => {
  it("comes from the file that a newer CLI keeps while it lives", async () => {
    const config = scratchFolder();
    const cwd = scratchFolder();
    const pid = await claude(cwd);
    register(config, pid, { sessionId: ID, startedAt: 5000, procStart: startOf(pid) });
    register(config, 1, { sessionId: OTHER, procStart: "not when it started" });
    writeFileSync(join(config, "sessions", "2.json"), "{ half");
    expect([...(await listHolders(config)).keys()]).toEqual([ID]);
    const holder = await findHolder({ sessionId: ID, cwd, config });
    expect(holder).toMatchObject({ pid, since: 5000, how: "registered" });
    // It says that it has another session open, so the folder does not matter.
    expect(await findHolder({ sessionId: OTHER, cwd, config, writtenAt: Date.now() + 5000 })).toBeUndefined();
    expect(await endHolder(holder!)).toBe(true);
    expect(await findHolder({ sessionId: ID, cwd, config })).toBeUndefined();
  });

  it("comes from the arguments of an older CLI, unless it forks", async () => {
    const config = scratchFolder();
    const cwd = scratchFolder();
    const pid = await claude(cwd, ["--resume", ID, "--verbose"]);
    expect(await findHolder({ sessionId: ID, cwd: "/", config })).toMatchObject({ pid, how: "arguments" });
    expect(await findHolder({ sessionId: OTHER, cwd, config, writtenAt: Date.now() + 5000 })).toBeUndefined();
    const forking = scratchFolder();
    await claude(forking, [`--resume=${OTHER}`, "--fork-session"]);
    expect(await findHolder({ sessionId: OTHER, cwd: forking, config, writtenAt: Date.now() })).toBeUndefined();
  });

  it("may be a CLI that runs in the folder and ran when the transcript was written", async () => {
    const config = scratchFolder();
    const cwd = scratchFolder();
    const pid = await claude(cwd);
    const question = { sessionId: ID, cwd, config };
    expect(await findHolder(question)).toBeUndefined();
    expect(await findHolder({ ...question, writtenAt: Date.now() - 3_600_000 })).toBeUndefined();
    const holder = await findHolder({ ...question, writtenAt: Date.now() + 1000 });
    expect(holder).toMatchObject({ pid, how: "folder" });
    expect(Math.abs(holder!.since - Date.now())).toBeLessThan(60_000);
    expect(await findHolder({ ...question, writtenAt: Date.now() + 1000, ours: new Set([pid]) })).toBeUndefined();
    expect(await findHolder({ ...question, cwd: scratchFolder(), writtenAt: Date.now() + 1000 })).toBeUndefined();
  });

  it("reports a holder that does not end", async () => {
    const cwd = scratchFolder();
    const script = join(cwd, "claude");
    writeFileSync(script, `process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000);`);
    const child = spawn(process.execPath, [script, "--session-id", ID], { cwd, stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const holder = await findHolder({ sessionId: ID, cwd, config: scratchFolder() });
    expect(await endHolder(holder!, 50)).toBe(false);
  });
});
