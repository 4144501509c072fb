// What the real CLI forgets, marks and writes, and how the host handles it.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PermissionUpdate } from "@quarterdeck/protocol";
import type { Script } from "@quarterdeck/simulator";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { isTrusted, trust } from "./trust/folder-trust.ts";
import type { TrustRecord, TrustStore } from "./trust/folder-trust.ts";
import { Host } from "./host.ts";
import { HostError } from "./host-error.ts";
import { createMemoryStore } from "./store/memory-store.ts";
import {
  asked,
  bench,
  DATA_DIR,
  lastTurn,
  received,
  result,
  texts,
  tool,
  turn,
  until,
  when,
} from "@quarterdeck/test-kit/real-host";
import type { Session } from "./session/session.ts";
import { listTranscripts } from "./past/transcripts.ts";
import type { Transcript } from "./past/transcripts.ts";
import { TRIED_VERSIONS } from "@quarterdeck/test-kit/how-much";

const NPM: Script = {
  when: "npm",
  steps: [{ say: [{ tool: "Bash", input: { command: "npm run thing" } }] }, { say: [{ text: "Tried." }] }],
};
const rule = (destination: "session" | "localSettings"): PermissionUpdate => ({
  type: "addRules",
  behavior: "allow",
  destination,
  rules: [{ toolName: "Bash", ruleContent: "npm run thing" }],
});

/** Runs a prompt and answers every request. Returns the number of requests. */
const ran = async (session: Session, text: string, updatedPermissions: readonly PermissionUpdate[] = []) => {
  let asks = 0;
  const stop = session.subscribe((event) => {
    const [open] = session.head.requests;
    if (!received("control_request", "can_use_tool")(event) || open === undefined) return;
    asks++;
    void session.respond(open.id, { behavior: "allow", updatedPermissions });
  });
  await turn(session, text);
  stop();
  return asks;
};

/** The CLI writes its transcript some time after it sent the message. */
const writtenTranscript = (root: string, words: string): Promise<Transcript> =>
  vi.waitFor(
    async () => {
      const [transcript] = await listTranscripts(join(root, ".claude"));
      expect(readFileSync(transcript!.path, "utf8")).toContain(words);
      return transcript!;
    },
    { timeout: 60_000 },
  );

describe.each(TRIED_VERSIONS)("a session of the real CLI %s", (version) => {
  it(
    "[H21] [H24] that another process has open is taken over on request, shows what was said elsewhere, and is the folder's newest",
    { tags: "long" },
    async () => {
      const { root, host, start, options } = await bench(version);
      const session = await start();
      await turn(session, "hello");
      const other = await Host.open({ ...options, store: createMemoryStore(), dataDirId: `${DATA_DIR}-other` });
      const transcript = await writtenTranscript(root, "Hello there.");
      const adopted = await other.adopt(transcript);
      const refused = await other.resume(adopted.id).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(HostError);
      expect(refused).toMatchObject({
        code: "session-held",
        details: { pid: session.head.process!.pid, how: version === "2.1.38" ? "folder" : "registered" },
      });
      // 2.1.38 does not say which session it has open, so only the user may end it.
      if (version === "2.1.38") await session.close();
      await other.resume(adopted.id, { takeOver: true });
      await session.ended;
      expect(session.isLive).toBe(false);
      await turn(adopted, "hello again");
      expect(texts(adopted.rows)).toEqual(["Hello there.", "Hello there."]);
      await other.close();
      // The text that was said there is here too.
      await host.resume(session.id);
      expect(texts(session.rows)).toEqual(["Hello there.", "Hello there."]);
      await turn(session, "hello once more");
      await session.close();
      // A host that does not know the conversation continues it as the newest of the folder.
      const third = await Host.open({ ...options, store: createMemoryStore(), dataDirId: `${DATA_DIR}-third` });
      const continued = await third.continue(root);
      await turn(continued, "hello at last");
      const wanted = continued.rows.flatMap((row) => (row.kind === "prompt" ? [row.content] : []));
      expect(wanted).toEqual(["hello", "hello again", "hello once more", "hello at last"]);
      expect(texts(continued.rows)).toHaveLength(4);
      await third.close();
    },
  );

  it("[H7] [H8] that died in its first turn continues, and its fork that ended before its first turn is forked again", async () => {
    const { host, start, api } = await bench(version);
    const parent = await start();
    const speaks = until(parent, (event) => event.type === "streamed" && parent.drafts.length > 0);
    await parent.prompt("slow");
    await speaks;
    process.kill(parent.head.process!.pid!, "SIGKILL");
    await parent.ended;
    // The CLI may have stored nothing.
    await host.resume(parent.id);
    await turn(parent, "hello parent");
    await parent.close();
    await host.resume(parent.id);
    const child = await host.fork(parent.id);
    await child.close();
    await turn(parent, "hello later");
    expect(texts(parent.rows).filter((text) => text === "Hello there.")).toHaveLength(2);
    await host.resume(child.id);
    await turn(child, "hello child");
    expect(child.head.sessionId).toBe(child.id);
    expect(parent.isLive).toBe(true);
    // It never continues its parent.
    const sent = JSON.stringify(
      api.requests.findLast(({ body }) => JSON.stringify(body).includes("hello child"))?.body,
    );
    expect([sent.includes("hello parent"), sent.includes("hello later")]).toEqual([true, false]);
  });

  it("[H23] keeps its permissions after a resume if the user asked for that", { tags: "long" }, async () => {
    const { host, start } = await bench(version, {}, [NPM]);
    const session = await start({ keepPermissions: true });
    expect([await ran(session, "npm", [rule("session")]), await ran(session, "npm")]).toEqual([1, 0]);
    await session.close();
    await host.resume(session.id);
    expect(await ran(session, "npm")).toBe(0);
    await session.close();
    await host.resume(session.id, { keepPermissions: false });
    expect(await ran(session, "npm")).toBe(1);
  });

  it("[H22] keeps the folder's trust when a person always allows something", { tags: "long" }, async () => {
    const records = new Map<string, TrustRecord>();
    const store: TrustStore = {
      get: (folder) => records.get(folder),
      set: (record) => void records.set(record.folder, record),
      delete: (folder) => void records.delete(folder),
    };
    const { root, start } = await bench(version, { trust: store }, [NPM]);
    const folder = join(root, "project");
    mkdirSync(join(folder, ".claude"), { recursive: true });
    writeFileSync(
      join(folder, ".claude", "settings.local.json"),
      JSON.stringify({ permissions: { deny: ["WebFetch"] } }),
    );
    const configDir = join(root, ".claude");
    await trust(folder, store, { configDir });
    const session = await start({ cwd: folder });
    expect(await ran(session, "npm", [rule("localSettings")])).toBe(1);
    expect(readFileSync(join(folder, ".claude", "settings.local.json"), "utf8")).toContain("npm run thing");
    expect(await isTrusted(folder, store, { configDir })).toBe(true);
  });

  it("[H17] answers in the schema that it was started with, checked and typed", async () => {
    const Colour = z.object({ colour: z.enum(["red", "blue"]), shade: z.number().optional() });
    const say = (input: Record<string, unknown>) => ({ say: [{ tool: "StructuredOutput", input }] });
    const { start } = await bench(version, {}, [
      { when: "[[good]]", steps: [say({ colour: "red" }), { say: [{ text: "Done." }] }] },
      {
        when: "[[second]]",
        steps: [say({ colour: 5 }), say({ colour: "blue", shade: 2 }), { say: [{ text: "Done." }] }],
      },
    ]);
    const session = await start({ output: Colour });
    expect(await session.askFor(Colour, "[[good]]")).toEqual({ colour: "red" });
    expect(await session.askFor(Colour, "[[second]]")).toEqual({ colour: "blue", shade: 2 });
    const words = await session.askFor(Colour, "hello").catch((error: unknown) => error);
    expect(words).toMatchObject({ code: "no-output", details: { turn: { ok: true } } });
  });

  it("[H15] [H5] withdraws its question when it is interrupted, stops with a denial, and accepts prompts while it works", async () => {
    const { start } = await bench(version);
    const session = await start();
    let request = asked(session);
    let done = result(session);
    await session.prompt("touch");
    await request;
    const { id } = session.head.requests[0]!;
    await session.interrupt();
    await done;
    expect(session.head).toMatchObject({ phase: "idle", requests: [] });
    expect(session.head.closedRequests).toMatchObject([{ id, fate: "cancelled" }]);
    expect(tool(session)?.state).toBe("interrupted");
    request = asked(session);
    done = result(session);
    await session.prompt("touch");
    await request;
    await session.respond(session.head.requests[0]!.id, { behavior: "deny", message: "stop", interrupt: true });
    await done;
    expect(session.head.phase).toBe("idle");
    expect(tool(session)?.state).toBe("denied");
    await turn(session, "hello");
    expect(lastTurn(session)).toMatchObject({ ok: true });

    // Prompts while it works: in order, urgent ones first, and withdrawn ones never.
    const before = session.rows.length;
    const streaming = until(session, () => session.drafts.some((draft) => draft.text.length > 20));
    await session.prompt("slow");
    await streaming;
    const last = await session.prompt("hello, last", { priority: "later" });
    const gone = await session.prompt("hello, gone", { priority: "later" });
    if (version === "2.1.325") {
      await when(session, () => session.head.queue.filter(({ state }) => state === "queued").length === 2);
    }
    expect(await session.cancelPrompt(gone.uuid)).toBe(true);
    const urgent = session.ask("hello, urgent", { priority: "now" });
    expect((await urgent).turn.ok).toBe(true);
    await session.reply(last.uuid);
    const wanted = session.rows
      .slice(before)
      .flatMap((row) => (row.kind === "prompt" ? [[row.content, row.state] as const] : []));
    expect(wanted).toHaveLength(4);
    expect(new Map<unknown, unknown>(wanted)).toEqual(
      new Map([
        ["hello, gone", "cancelled"],
        ["hello, last", "done"],
        ["hello, urgent", "done"],
        ["slow", "interrupted"],
      ]),
    );
    const order = wanted.map(([content]) => content).filter((content) => content !== "hello, gone");
    expect(order).toEqual(["slow", "hello, urgent", "hello, last"]);
  });
});
