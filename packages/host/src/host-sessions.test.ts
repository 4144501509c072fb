import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { PermissionUpdate } from "@quarterdeck/protocol";
import type { Script } from "@quarterdeck/simulator";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { isTrusted, trust } from "./trust/folder-trust.ts";
import type { TrustRecord, TrustStore } from "./trust/folder-trust.ts";
import {
  asked,
  bench,
  codeOf,
  GATE,
  HELLO,
  isReceived,
  kinds,
  oldCli,
  prompts,
  TOUCH,
  turn,
  until,
  when,
} from "./host-bench.fixture.ts";
import { Host } from "./host.ts";
import { HostError } from "./host-error.ts";
import { createMemoryStore } from "./store/memory-store.ts";
import type { Session } from "./session/session.ts";
import { listTranscripts } from "./past/transcripts.ts";

/** Works with and without Node's --expose-gc flag. */
const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

const texts = (session: Session) => session.rows.flatMap((row) => (row.kind === "text" ? [row.text] : []));

/** Runs a prompt and answers every request. Returns the number of requests. */
const ran = async (session: Session, text: string, updatedPermissions: readonly PermissionUpdate[] = []) => {
  let asks = 0;
  const stop = session.subscribe((event) => {
    const [open] = session.head.requests;
    if (!isReceived("control_request", "can_use_tool")(event) || open === undefined) return;
    asks++;
    void session.respond(open.id, { behavior: "allow", updatedPermissions });
  });
  await turn(session, text);
  stop();
  return asks;
};

describe.runIf(process.platform === "linux")("a session that another process holds", () => {
  const holder = async (config: string, sessionId: string): Promise<number> => {
    const child = spawn(process.execPath, ["-e", `console.log("up"); setInterval(() => {}, 1000)`]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const stat = readFileSync(`/proc/${String(child.pid)}/stat`, "latin1");
    const procStart = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]!;
    mkdirSync(join(config, "sessions"), { recursive: true });
    const entry = { pid: child.pid, sessionId, startedAt: 1_700_000_000_000, procStart };
    writeFileSync(join(config, "sessions", `${String(child.pid)}.json`), JSON.stringify(entry));
    return child.pid!;
  };

  it("[H21] is not resumed; the error says who has it and since when", async () => {
    const { host, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd });
    await turn(session, "hello");
    await session.close();
    const pid = await holder(join(cwd, ".claude"), session.head.sessionId!);
    const refused = await host.resume(session.id).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HostError);
    expect(refused).toMatchObject({
      code: "session-held",
      details: { pid, since: 1_700_000_000_000, how: "registered" },
    });
    expect((refused as HostError).message).toContain(String(pid));
    expect(await host.holderOf(session.id)).toMatchObject({ pid });
    expect(session.isLive).toBe(false);
    // A fork does not touch it.
    const child = await host.fork(session.id);
    await turn(child, "hello");
    expect(texts(child)).toHaveLength(2);
    process.kill(pid, 0);
  });

  it("[H21] is taken over on request: the other process is ended first", async () => {
    const { host, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd });
    await turn(session, "hello");
    await session.close();
    const pid = await holder(join(cwd, ".claude"), session.head.sessionId!);
    await host.resume(session.id, { takeOver: true });
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await turn(session, "hello");
    expect(await host.holderOf(session.id)).toBeUndefined();
  });
});

describe("permissions of a session", () => {
  const rule: PermissionUpdate = {
    type: "addRules",
    behavior: "allow",
    destination: "session",
    rules: [{ toolName: "Bash", ruleContent: "touch made.txt" }],
  };

  it("[H23] survive a resume if the user asked for that, at the start or at the resume", async () => {
    const { host, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd, keepPermissions: true });
    expect([await ran(session, "touch", [rule]), await ran(session, "touch")]).toEqual([1, 0]);
    await session.setPermissionMode("acceptEdits");
    for (let n = 0; n < 2; n++) {
      await session.close();
      await host.resume(session.id);
      expect(await ran(session, "touch")).toBe(0);
      expect(session.head).toMatchObject({ mode: "acceptEdits", rules: { allow: ["Bash(touch made.txt)"] } });
    }
    await session.close();
    await host.resume(session.id, { keepPermissions: false });
    expect(session.head.rules.allow).toEqual([]);
  });

  it("[H23] end with the process otherwise", async () => {
    const { host, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    await ran(session, "touch", [rule]);
    await session.close();
    await host.resume(session.id);
    expect(await ran(session, "touch")).toBe(1);
    await session.close();
    await host.resume(session.id, { keepPermissions: true });
    // It was allowed only for the process that is gone.
    expect(await ran(session, "touch")).toBe(1);
  });

  it("[H23] survive if the host released the process", async () => {
    const { host, cwd } = await bench([TOUCH, HELLO], { maxLive: 1, makesRoom: true });
    const session = await host.start({ cwd });
    expect([await ran(session, "touch", [rule]), await ran(session, "touch")]).toEqual([1, 0]);
    const other = await host.start({ cwd });
    expect(session.isLive).toBe(false);
    await other.close();
    await host.resume(session.id);
    expect(await ran(session, "touch")).toBe(0);
    await session.close();
    await host.resume(session.id);
    expect(await ran(session, "touch")).toBe(1);
  });

  it("[H23] are separate from the chosen model and thinking tokens, which always survive a resume", async () => {
    const { host, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd, cli: { model: "opus" } });
    await turn(session, "hello");
    const { model: first } = session.head;
    await session.setModel("sonnet");
    await session.setThinking(4000);
    const { model: chosen } = session.head;
    expect(chosen).not.toBe(first);
    await session.close();
    await host.resume(session.id);
    await turn(session, "hello");
    expect(session.head.model).toBe(chosen);
    expect(host.list()[0]!.settings).toMatchObject({ cli: { model: "sonnet", maxThinkingTokens: 4000 } });
    await session.setThinking(null);
    expect(host.list()[0]!.settings["cli"]).toEqual({ model: "sonnet" });
  });

  it("[H23] keep the mode that was chosen with a plan, and leave plan mode with it", async () => {
    const PLAN: Script = {
      when: "plan",
      steps: [{ say: [{ tool: "ExitPlanMode", input: { plan: "1. Look." } }] }, { say: [{ text: "Planned." }] }],
    };
    const { host, cwd } = await bench([PLAN, HELLO]);
    const session = await host.start({ cwd, cli: { permissionMode: "plan" } });
    const into: PermissionUpdate = { type: "setMode", mode: "acceptEdits", destination: "session" };
    const chosen = () => host.list()[0]!.settings["cli"];
    expect(await ran(session, "plan", [into])).toBe(1);
    await expect.poll(chosen).toEqual({ permissionMode: "acceptEdits" });
    await session.close();
    await host.resume(session.id);
    expect(session.head.mode).toBe("acceptEdits");
    await session.setPermissionMode("plan");
    expect(await ran(session, "plan")).toBe(1);
    await expect.poll(chosen).toEqual({});
  });

  it("[H22] for good keep the folder's trust, and nothing else is trusted with them", async () => {
    const records = new Map<string, TrustRecord>();
    const store: TrustStore = {
      get: (folder) => records.get(folder),
      set: (record) => void records.set(record.folder, record),
      delete: (folder) => void records.delete(folder),
    };
    const { host, cwd } = await bench([TOUCH], { trust: store });
    const folder = join(cwd, "project");
    mkdirSync(folder);
    const options = { configDir: join(cwd, ".claude") };
    await trust(folder, store, options);
    const session = await host.start({ cwd: folder });
    await ran(session, "touch", [{ ...rule, destination: "localSettings" }]);
    expect(readFileSync(join(folder, ".claude", "settings.local.json"), "utf8")).toContain("touch made.txt");
    await vi.waitFor(async () => expect(await isTrusted(folder, store, options)).toBe(true), { timeout: 30_000 });
    writeFileSync(join(folder, ".mcp.json"), "{}");
    expect(await isTrusted(folder, store, options)).toBe(false);
  });
});

describe("where a session starts and continues", () => {
  it("[H24] shows after a resume what was said in a terminal meanwhile", async () => {
    const { host, options, cwd } = await bench([
      HELLO,
      { when: "elsewhere", steps: [{ say: [{ text: "Over there." }] }] },
    ]);
    const session = await host.start({ cwd });
    await turn(session, "hello");
    await session.close();
    const elsewhere = await Host.open({ ...options, store: createMemoryStore() });
    const [transcript] = await listTranscripts(join(cwd, ".claude"));
    const terminal = await elsewhere.adopt(transcript!);
    await elsewhere.resume(terminal.id);
    await turn(terminal, "elsewhere");
    await elsewhere.close();
    await host.resume(session.id);
    expect(prompts(session)).toEqual([
      ["hello", "done"],
      ["elsewhere", "done"],
    ]);
    expect(texts(session)).toEqual(["Hello there.", "Over there."]);
    await turn(session, "hello");
    await session.close();
    await host.resume(session.id);
    // Once: messages that we saw ourselves are not imported.
    expect(texts(session)).toEqual(["Hello there.", "Over there.", "Hello there."]);
  });

  it("[H55] is handed over to a terminal, followed there, and taken back with all that was said", async () => {
    const { host, options, cwd } = await bench([
      HELLO,
      { when: "elsewhere", steps: [{ say: [{ text: "Over there." }] }] },
    ]);
    const session = await host.start({ cwd });
    expect(await codeOf(host.handOver(session.id))).toBe("not-kept");
    expect(session.isLive).toBe(true);
    await turn(session, "hello");
    const { command } = await host.handOver(session.id);
    expect(command).toBe(`cd ${cwd} && claude --resume ${session.head.sessionId!}`);
    expect([session.isLive, host.overview(session.id).handedOver?.command]).toEqual([false, command]);

    const stop = host.followElsewhere(session.id);
    const elsewhere = await Host.open({ ...options, store: createMemoryStore() });
    const [transcript] = await listTranscripts(join(cwd, ".claude"));
    const terminal = await elsewhere.adopt(transcript!);
    await elsewhere.resume(terminal.id);
    await turn(terminal, "elsewhere");
    await vi.waitFor(() => expect(texts(host.get(session.id))).toEqual(["Hello there.", "Over there."]), {
      timeout: 60_000,
    });
    expect(host.get(session.id).head.phase).toBe("ended");
    await elsewhere.close();

    await host.resume(session.id);
    expect(host.overview(session.id).handedOver).toBeUndefined();
    await turn(host.get(session.id), "hello");
    stop();
    expect(texts(host.get(session.id))).toEqual(["Hello there.", "Over there.", "Hello there."]);
    expect(prompts(host.get(session.id))).toEqual([
      ["hello", "done"],
      ["elsewhere", "done"],
      ["hello", "done"],
    ]);
  });

  it("[H1] does not deliver a prompt again that the CLI had read when the host died, first prompt or later", async () => {
    const { host, options, store, cwd } = await bench([HELLO]);
    // Another host lets the CLI run the prompt. Our log ends when the prompt was sent, like the log of a host that died
    // then.
    const id = "33333333-3333-4333-8333-333333333333";
    const uuid = "44444444-4444-4444-8444-444444444444";
    const elsewhere = await Host.open({ ...options, store: createMemoryStore() });
    const survivor = await elsewhere.start({ cwd, id });
    const done = until(survivor, isReceived("result"));
    await survivor.prompt("hello", { uuid });
    await done;
    await elsewhere.close();
    const record = { id, createdAt: 1, updatedAt: 1, cwd, archived: false, cliSessionId: id, settings: {} };
    await store.putSession(record);
    const message = { type: "user", uuid, message: { role: "user", content: "hello" } };
    await store.append(id, [
      { at: 1, fact: { type: "process-started", pid: 1 } },
      { at: 2, fact: { type: "prompt-accepted", uuid, content: "hello" } },
      { at: 3, fact: { type: "sent", message } },
    ]);
    const session = await host.resume(id);
    expect(prompts(session)).toEqual([["hello", "done"]]);
    expect(texts(session)).toEqual(["Hello there."]);
    await turn(session, "hello again");
    expect(prompts(session)).toEqual([
      ["hello", "done"],
      ["hello again", "done"],
    ]);
    expect(texts(session)).toHaveLength(2);
  });

  it("[H25] continues the newest conversation of a folder, also one of another host", async () => {
    const { host, options, cwd } = await bench([HELLO]);
    expect(await codeOf(host.continue(cwd))).toBe("nothing-to-continue");
    const elsewhere = await Host.open({ ...options, store: createMemoryStore() });
    const terminal = await elsewhere.start({ cwd });
    await turn(terminal, "hello");
    await elsewhere.close();
    const session = await host.continue(cwd);
    await turn(session, "hello again");
    expect(prompts(session).map(([text]) => text)).toEqual(["hello", "hello again"]);
    expect(await host.continue(cwd)).toBe(session);
    await session.close();
    expect(await host.continue(cwd)).toBe(session);
  });

  it("[H25] has the given id, and no other session gets it", async () => {
    const { host, cwd } = await bench([HELLO]);
    const id = "11111111-1111-4111-8111-111111111111";
    const session = await host.start({ cwd, id });
    await turn(session, "hello");
    expect([session.id, session.head.sessionId]).toEqual([id, id]);
    expect(await codeOf(host.start({ cwd, id }))).toBe("session-exists");
  });

  it("[H25] lets the CLI choose the id for a session of a pull request", async () => {
    const argvFile = join(scratchFolder(), "argv.json");
    const plain = oldCli("");
    const note = `require("node:fs").writeFileSync(${JSON.stringify(argvFile)}, JSON.stringify(process.argv));`;
    const claude = { ...plain, prefixArgs: ["-e", note + plain.prefixArgs![1]!, "--"] };
    const { host, cwd } = await bench([], { claude });
    const session = await host.start({ cwd, cli: { fromPr: "12" } });
    const argv = JSON.parse(readFileSync(argvFile, "utf8")) as string[];
    expect(argv).toContain("--from-pr");
    expect(argv).not.toContain("--session-id");
    await session.close({ interrupt: false });
  });

  it("[H25] is not resumed if the CLI stored nothing of it", async () => {
    const { host, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd, cli: { noSessionPersistence: true } });
    await turn(session, "hello");
    await session.close();
    expect(await codeOf(host.resume(session.id))).toBe("not-kept");
    expect(texts(session)).toEqual(["Hello there."]);
  });

  it("[H8] forks at a row, and names the session that it was forked from", async () => {
    const { host, cwd } = await bench([HELLO]);
    const parent = await host.start({ cwd });
    await turn(parent, "hello one");
    await turn(parent, "hello two");
    const row = parent.rows.find(({ kind }) => kind === "turn")!;
    const id = "22222222-2222-4222-8222-222222222222";
    const child = await host.fork(parent.id, { atRow: row.id, id });
    expect(child.id).toBe(id);
    await turn(child, "hello fork");
    expect(prompts(child).map(([text]) => text)).toEqual(["hello one", "hello fork"]);
    expect(host.overview(id)).toMatchObject({ forkOf: parent.id });
    expect(await codeOf(host.fork(parent.id, { atRow: "nobody" }))).toBe("unknown-row");
    // Nothing was said before the first prompt.
    const restarted = await host.fork(parent.id, { atRow: parent.rows.find(({ kind }) => kind === "prompt")!.id });
    await turn(restarted, "hello again");
    expect(prompts(restarted)).toEqual([["hello again", "done"]]);
    expect(host.overview(restarted.id)).toMatchObject({ forkOf: parent.id });
  });

  it("[H8] forks a busy session: its open requests and queued prompts stay with it", async () => {
    const { host, cwd } = await bench([HELLO, TOUCH]);
    const parent = await host.start({ cwd });
    await turn(parent, "hello");
    const request = asked(parent);
    await parent.prompt("touch");
    await request;
    await parent.prompt("hello later", { priority: "later" });
    await when(parent, () => parent.head.queue.some((entry) => entry.state === "queued"));
    const child = await host.fork(parent.id);
    expect(child.head).toMatchObject({ requests: [], queue: [], phase: "ready" });
    expect(child.rows.filter((row) => row.kind === "error")).toEqual([]);
    await turn(child, "hello fork");
    expect(prompts(child).at(-1)).toEqual(["hello fork", "done"]);
    expect(prompts(child).find(([text]) => text === "hello later")).toEqual(["hello later", "cancelled"]);
    expect(parent.head).toMatchObject({ phase: "awaiting", requests: [{ kind: "permission" }] });
    expect(parent.head.queue).toHaveLength(1);
  });

  it("[H3] leaves nothing behind when it is refused", async () => {
    const { host, cwd } = await bench([HELLO], {
      claude: { command: process.execPath, prefixArgs: ["-e", "0"], version: "2.1.38" },
    });
    expect(await codeOf(host.start({ cwd, cli: { restricted: true } }))).toBe("unsafe-flags");
    expect(host.list()).toEqual([]);
  });

  it("[H3] leaves only the prompts sent to it when its process ends before it answers", async () => {
    const endsAtFile = 'setInterval(() => require("node:fs").existsSync("end") && process.exit(3), 20)';
    const { host, cwd } = await bench([HELLO], {
      claude: { command: process.execPath, prefixArgs: ["-e", endsAtFile, "--"] },
    });
    const id = randomUUID();
    const spokenTo = codeOf(host.start({ cwd, id }));
    await expect.poll(() => host.list()).toHaveLength(1);
    await host.get(id).prompt("wait for me");
    writeFileSync(join(cwd, "end"), "");
    expect(await spokenTo).toBe("process-ended");
    expect(await codeOf(host.start({ cwd }))).toBe("process-ended");
    expect(host.list().map((record) => record.id)).toEqual([id]);
    expect(prompts(host.get(id))).toEqual([["wait for me", "accepted"]]);
  });

  it("[H9] answers hooks that are given at a resume", async () => {
    const { host, options, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    await turn(session, "nothing");
    await session.close();
    const seen: string[] = [];
    const next = await Host.open(options);
    const again = await next.resume(session.id, {
      hooks: [
        {
          event: "PreToolUse",
          run: ({ hook_event_name: name }) => {
            seen.push(name);
            return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
          },
        },
      ],
    });
    await turn(again, "touch");
    expect(seen).toEqual(["PreToolUse"]);
    await again.close();
  });
});

describe("what a server needs", () => {
  it("[H26] reports every change of an overview, live or not, without loading a session", async () => {
    const { host, options, store, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd, title: "one" });
    const seen: string[] = [];
    const stop = host.subscribe((id) => {
      const { phase, requests, live } = host.overview(id);
      const line = `${phase} ${String(requests.length)} ${live ? "live" : "stored"}`;
      if (seen.at(-1) !== line) seen.push(line);
    });
    const request = asked(session);
    await session.prompt("touch");
    await request;
    expect(host.overview(session.id)).toMatchObject({
      id: session.id,
      title: "one",
      cwd,
      live: true,
      phase: "awaiting",
      requests: [{ kind: "permission" }],
      firstPrompt: "touch",
      archived: false,
    });
    const done = until(session, isReceived("result"));
    await session.respond(session.head.requests[0]!.id, { behavior: "allow" });
    await done;
    const { costUsd, lastOrder } = host.overview(session.id);
    expect([costUsd > 0, lastOrder]).toEqual([true, session.rows.at(-1)!.order]);
    await session.close();
    await host.archive(session.id);
    stop();
    expect(seen).toEqual(expect.arrayContaining(["awaiting 1 live", "idle 0 live", "ended 0 stored"]) as unknown);
    const later = await Host.open({ ...options, store });
    expect(later.overviews()).toMatchObject([
      { id: session.id, phase: "ended", live: false, costUsd, archived: true, lastText: "Touched.", requests: [] },
    ]);
    expect(later.opened(session.id)).toBeUndefined();
  });

  it("[H26] reads a stored session by pages and changes like one in memory, in the same epoch", async () => {
    const { host, options, store, cwd } = await bench([HELLO]);
    const session = await host.start({ cwd });
    for (let n = 0; n < 3; n++) await turn(session, `hello ${n}`);
    const rev = session.changes(0).rows.find(({ kind }) => kind === "turn")!.rev;
    await session.close();
    const later = await Host.open({ ...options, store });
    const view = later.view(session.id);
    expect(later.opened(session.id)).toBeUndefined();
    expect({ ...view.head }).toEqual({ ...session.head });
    expect([view.epoch, view.rev, view.seq, view.rowCount]).toEqual([
      session.epoch,
      session.rev,
      session.seq,
      session.rows.length,
    ]);
    expect(view.rowsBefore(Infinity, 4)).toEqual(session.rowsBefore(Infinity, 4));
    expect(view.rowsAfter(2, 3)).toEqual(session.rowsAfter(2, 3));
    const middle = session.rows[4]!.id;
    expect(view.rowsAround(middle, 2)).toEqual(session.rowsAround(middle, 2));
    for (const limit of [2, 100]) expect(view.changesSince(rev, limit)).toEqual(session.changesSince(rev, limit));
    expect(later.events(session.id, 3, 2).map(({ seq }) => seq)).toEqual([4, 5]);
    // A resumed session continues from there: a client that has the rows so far needs only the new ones.
    const again = await later.resume(session.id);
    expect(again.epoch).toBe(session.epoch);
    await turn(again, "hello again");
    const news = again.changes(view.rev).rows.map(({ kind }) => kind);
    expect(news).toEqual(expect.arrayContaining(["prompt", "text", "turn"]) as unknown);
    expect(news).not.toHaveLength(again.rows.length);
    await again.close();
  });

  it("[H26] starts a new epoch if the last host died", async () => {
    const { host, options, store, cwd } = await bench([TOUCH]);
    const session = await host.start({ cwd });
    const request = asked(session);
    await session.prompt("touch");
    await request;
    const later = await Host.open({ ...options, store });
    expect(later.overview(session.id).phase).toBe("died");
    const again = later.view(session.id);
    expect(again.epoch).not.toBe(session.epoch);
    expect(kinds(again.rowsBefore(Infinity, 50).rows)).toEqual(expect.arrayContaining(["prompt", "tool"]) as unknown);
  });

  it("[H10] lets a start leave the queue, and reports how many wait", async () => {
    const { host, cwd } = await bench([HELLO], { maxLive: 1 });
    const first = await host.start({ cwd });
    const abort = new AbortController();
    const second = codeOf(host.start({ cwd, signal: abort.signal }));
    const third = host.start({ cwd });
    while (host.load.waiting < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(host.load).toEqual({ live: 1, waiting: 2 });
    abort.abort();
    expect(await second).toBe("request-aborted");
    await first.close();
    await turn(await third, "hello");
    expect(host.overviews()).toHaveLength(2);
  });

  it("[H26] keeps one object per session while it is used, and frees it afterwards", async () => {
    const { host, cwd } = await bench([HELLO]);
    const id = await (async () => {
      const session = await host.start({ cwd });
      await turn(session, "hello");
      return session.id;
    })();
    await (async () => {
      const heard: string[] = [];
      const stop = host.get(id).subscribe((event) => heard.push(event.type));
      await host.get(id).close();
      collectGarbage();
      await host.get(id).prompt("hello again");
      expect(heard.at(-1)).toBe("prompt-accepted");
      stop();
    })();
    for (let tries = 0; host.opened(id) !== undefined && tries < 50; tries++) {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    }
    expect(host.opened(id)).toBeUndefined();
    expect(host.overview(id)).toMatchObject({ phase: "ended", queued: expect.any(Number) as unknown });
    expect(prompts(host.get(id)).at(-1)).toEqual(["hello again", "accepted"]);
  });

  it("[H26] the title of a person wins over that of the CLI, and that over one from the first prompt", async () => {
    const { host, cwd } = await bench([]);
    const session = await host.start({ cwd });
    expect(host.overview(session.id).title).toBeUndefined();
    await turn(session, "please look at the tide table. It is late.");
    expect(host.overview(session.id).title).toBe("look at the tide table");
    await session.control.rename_session({ title: "Named by the CLI" });
    await expect.poll(() => host.overview(session.id).title).toBe("Named by the CLI");
    await host.rename(session.id, "Named by a person");
    expect(host.overview(session.id).title).toBe("Named by a person");
    await session.close();
    expect(host.overview(session.id).title).toBe("Named by a person");
  });

  it("[H26] renames a session even if an old CLI never answers", async () => {
    const { host, cwd } = await bench([], { claude: oldCli("", "initialize") });
    const session = await host.start({ cwd });
    await host.rename(session.id, "another name");
    expect(host.overview(session.id).title).toBe("another name");
    await session.close({ interrupt: false });
  });

  it("[H19] closes all sessions and lets their turns finish", async () => {
    const { host, store, cwd } = await bench([GATE]);
    const start = { cwd, cli: { allowedTools: ["Bash"] } };
    const sessions = await Promise.all([host.start(start), host.start(start)]);
    await Promise.all(
      sessions.map(async (session) => {
        await session.prompt("gate");
        await when(session, () => session.head.phase === "tool");
      }),
    );
    const closed = host.close({ finishTurn: true });
    writeFileSync(join(cwd, "go"), "");
    await closed;
    for (const session of sessions) expect(session.rows.find((row) => row.kind === "turn")).toMatchObject({ ok: true });
    expect(() => store.sessions()).toThrow("closed");
  });
});

describe.runIf(process.platform === "linux")("limits", () => {
  it("[H27] reports memory above the limit once, and ends nothing unless the user chose that", async () => {
    const { host, cwd } = await bench([HELLO], { memory: { maxBytes: 1, everyMs: 20 } });
    const session = await host.start({ cwd });
    // The event may have come before the start was over.
    if (session.head.memory === undefined) await until(session, (event) => event.type === "memory-exceeded");
    await turn(session, "hello");
    expect(session.head.memory).toMatchObject({ limitBytes: 1 });
    // It may have been measured while the process began.
    expect(session.head.memory!.bytes).toBeGreaterThan(1);
    expect(session.rows.filter((row) => row.kind === "error")).toHaveLength(1);
    expect(session.isLive).toBe(true);
  });

  it("[H27] ends a session above the limit if the user chose that, and it can be resumed", async () => {
    const { host, cwd } = await bench([HELLO], { memory: { maxBytes: 1, then: "end", everyMs: 20 } });
    const session = await host.start({ cwd });
    await session.ended;
    expect(session.head.phase).toBe("ended");
    expect(session.rows.at(-1)).toMatchObject({ kind: "error", source: "memory" });
  });

  it("[H13] does not release a process that has left something running", async () => {
    const leaves: Script = {
      when: "serve",
      steps: [
        { say: [{ tool: "Bash", input: { command: "setsid sleep 300 > /dev/null 2>&1 & echo left" } }] },
        { say: [{ text: "It runs." }] },
      ],
    };
    const { host, cwd } = await bench([HELLO, leaves], { releaseIdleAfterMs: 300 });
    const busy = await host.start({ cwd, cli: { allowedTools: ["Bash"] } });
    await turn(busy, "serve");
    for (let n = 0; n < 2; n++) {
      const idle = await host.start({ cwd });
      await idle.ended;
      expect(idle.head.phase).toBe("ended");
    }
    expect(busy.isLive).toBe(true);
  });
});
