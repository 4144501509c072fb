// The real CLI, newest and 2.1.38, driven through the host in front of a scripted API.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { imageBlock, textBlock } from "@quarterdeck/protocol";
import { describe, expect, it, vi } from "vitest";
import { findByMarker, sessionMarker } from "./process/descendants.ts";
import { HostError } from "./host-error.ts";
import type { Session } from "./session/session.ts";
import {
  answered,
  asked,
  bench,
  DATA_DIR,
  lastTurn,
  result,
  states,
  texts,
  tool,
  turn,
  until,
  when,
} from "@quarterdeck/test-kit/real-host";
import { TRIED_VERSIONS } from "@quarterdeck/test-kit/how-much";

/** Single, multiple and free text. */
const answersQuestion = async (session: Session): Promise<void> => {
  const request = asked(session);
  const done = result(session);
  await session.prompt("[[ask]]");
  await request;
  const open = session.head.requests[0]!;
  expect(open.kind).toBe("question");
  const { input } = open.request as { input: Record<string, unknown> };
  await session.respond(open.id, {
    behavior: "allow",
    updatedInput: { ...input, answers: { "Which colour?": "a free text", "Which sizes?": "S, L" } },
  });
  await done;
  expect(tool(session)).toMatchObject({ name: "AskUserQuestion", state: "done" });
  expect(tool(session)?.result?.text).toContain("a free text");
  expect(texts(session.rows)).toContain("Thanks.");
};

describe.each(TRIED_VERSIONS)("the real CLI %s through the host", (version) => {
  it("[H2] [H4] streams, allows, allows with changed input, answers a question, denies, denies and stops", async () => {
    const { root, start } = await bench(version);
    const session = await start();
    let streamed = "";
    const stop = session.subscribe((event) => {
      if (event.type === "streamed") streamed = session.drafts.map((draft) => draft.text).join("") || streamed;
    });
    await turn(session, "hello");
    stop();
    expect("Hello there.".startsWith(streamed) && streamed !== "").toBe(true);
    await answered(session, "touch", { behavior: "allow" });
    expect(existsSync(join(root, "made.txt"))).toBe(true);
    await answered(session, "touch", { behavior: "allow", updatedInput: { command: "touch other.txt" } });
    expect(existsSync(join(root, "other.txt"))).toBe(true);
    expect(tool(session)).toMatchObject({
      decision: { behavior: "allow", updatedInput: { command: "touch other.txt" } },
    });
    await answersQuestion(session);
    await answered(session, "touch", { behavior: "deny", message: "not now" });
    expect(tool(session)).toMatchObject({ state: "denied" });
    expect(lastTurn(session)).toMatchObject({ ok: true });
    await answered(session, "touch", { behavior: "deny", message: "stop it", interrupt: true });
    // 2.1.38 does not report a stopped turn as an error.
    expect(lastTurn(session)).toMatchObject({ ok: version === "2.1.38", subtype: "error_during_execution" });
    await turn(session, "hello");
    expect(states(session)).toEqual(["done", "done", "done", "done", "done", "interrupted", "done"]);
  });

  it("[H4] [H29] [H11] interrupts text, thoughts, calls and a tool, and leaves no tool running when it is killed", async () => {
    const pace = { deltaMs: 40, deltaChars: 5 };
    const { start } = await bench(version, {}, [
      { when: "think", steps: [{ say: [{ thinking: "A thought. ".repeat(4000) }, { text: "Done." }], pace }] },
      {
        when: "write",
        steps: [{ say: [{ tool: "Write", input: { file_path: "a.txt", content: "line ".repeat(8000) } }], pace }],
      },
    ]);
    const session = await start({ cli: { allowedTools: ["Bash"] } });
    const streaming = until(session, () => session.drafts.some((draft) => draft.text.length > 20));
    let done = result(session);
    await session.prompt("slow");
    await streaming;
    const [seen] = session.drafts;
    await session.interrupt();
    await done;
    expect(session.head.phase).toBe("idle");
    expect(session.drafts).toEqual([]);
    // Text that a person has read stays.
    expect(texts(session.rows).at(-1)?.startsWith(seen!.text)).toBe(true);
    const running = until(session, () => session.head.phase === "tool");
    done = result(session);
    await session.prompt("[[sleep]]");
    await running;
    await session.interrupt();
    await done;
    expect(tool(session)?.state).toMatch(/interrupted|failed/);
    await turn(session, "hello");
    expect(texts(session.rows).at(-1)).toBe("Hello there.");

    for (const prompt of ["think", "write"]) {
      const drafted = until(session, () => session.drafts.some((draft) => draft.text.length > 60));
      const stopped = result(session);
      await session.prompt(prompt);
      await drafted;
      const [draft] = session.drafts;
      await session.interrupt();
      await stopped;
      const row = session.row(draft!.id);
      if (prompt === "think") {
        expect(row).toMatchObject({ kind: "thinking", aborted: true });
        expect((row as { text: string }).text.startsWith(draft!.text)).toBe(true);
      } else {
        expect(row).toMatchObject({ kind: "tool", name: "Write", state: "unfinished", input: { file_path: "a.txt" } });
      }
      expect(session.rows.at(-2)).toMatchObject({ kind: "mark", what: "interrupted" });
    }

    const sleeping = until(session, () => session.head.phase === "tool");
    await session.prompt("[[sleep]]");
    await sleeping;
    process.kill(session.head.process!.pid!, "SIGKILL");
    await session.ended;
    expect(session.head.phase).toBe("died");
    expect(await findByMarker(sessionMarker({ dataDirId: DATA_DIR, sessionId: session.id, incarnation: 1 }))).toEqual(
      [],
    );
  });

  it("[H7] resumes, forks and continues after /compact and /clear", async () => {
    const { host, start } = await bench(version);
    const session = await start();
    await turn(session, "hello");
    await session.close();
    await host.resume(session.id);
    await turn(session, "hello again");
    expect(states(session)).toEqual(["done", "done"]);
    const child = await host.fork(session.id);
    await turn(child, "hello fork");
    expect(texts(child.rows)).toHaveLength(3);
    expect(texts(session.rows)).toHaveLength(2);
    await turn(session, "/compact");
    expect(session.rows.some((row) => row.kind === "compaction")).toBe(true);
    await turn(session, "/cost");
    expect(session.rows.some((row) => row.kind === "command" && row.text.includes("Total cost"))).toBe(true);
    const before = session.head.gauges.costUsd;
    await turn(session, "/clear");
    await turn(session, "hello cleared");
    expect(session.head.gauges.costUsd).toBeGreaterThan(before);
  });

  it("[H2] accepts an image, and reports 401, 529 and too many turns differently", async () => {
    const { start } = await bench(version);
    const session = await start({ cli: { maxTurns: 2, allowedTools: ["Bash"] } });
    const done = result(session);
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await session.prompt([textBlock("hello, what is this?"), imageBlock("image/png", pixel)]);
    await done;
    expect(lastTurn(session)).toMatchObject({ ok: true });
    await turn(session, "unauthorised");
    expect(lastTurn(session)).toMatchObject({ ok: false });
    expect(session.head.phase).toBe("error");
    await turn(session, "overloaded");
    expect(texts(session.rows).at(-1)).toBe("At last.");
    await turn(session, "[[steps]]");
    expect(lastTurn(session)).toMatchObject({ ok: version === "2.1.38", subtype: "error_max_turns" });
  });

  it("[H11] reports a missing session", async () => {
    const { host, store, root } = await bench(version);
    await store.putSession({
      id: "gone",
      createdAt: 0,
      updatedAt: 0,
      cwd: root,
      archived: false,
      cliSessionId: "00000000-0000-4000-8000-000000000000",
      settings: {},
    });
    const entry = {
      type: "user",
      uuid: "u",
      sessionId: "00000000-0000-4000-8000-000000000000",
      message: { role: "user", content: "hi" },
    };
    await store.append("gone", [{ at: 0, fact: { type: "imported", entry } }]);
    const missing = await host.resume("gone").catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(HostError);
    expect(missing).toMatchObject({ code: "process-ended" });
    await host.get("gone").ended;
    expect(host.get("gone").head.phase).not.toBe("ready");
  });
});

describe("the newest CLI through the host", () => {
  it("[H5] queues, adds at a tool boundary, cancels, and holds queued prompts when it is stopped", async () => {
    const { start } = await bench("2.1.325");
    const session = await start();
    const request = asked(session);
    const done = result(session);
    await session.prompt("touch");
    await request;
    await session.prompt("and note this");
    await when(session, () => session.head.queue.some((entry) => entry.state === "queued"));
    await session.respond(session.head.requests[0]!.id, { behavior: "allow" });
    await done;
    expect(states(session)).toEqual(["done", "done"]);
    expect(session.rows.filter((row) => row.kind === "turn")).toHaveLength(1);

    const streaming = until(session, () => session.drafts.some((draft) => draft.text.length > 20));
    const stopped = result(session);
    await session.prompt("slow");
    await streaming;
    const { uuid } = await session.prompt("hello one");
    const two = await session.prompt("hello two");
    await when(
      session,
      () => session.head.queue.length === 2 && session.head.queue.every((entry) => entry.state === "queued"),
    );
    expect(await session.cancelPrompt(uuid)).toBe(true);
    expect(await session.stop()).toEqual({ held: [two.uuid] });
    await stopped;
    expect(states(session).slice(-2)).toEqual(["cancelled", "held"]);
  });

  it("[H2] [H7] shows the turn that a background task wakes the CLI for, and finds the CLI's own transcript of it", async () => {
    const { root, start } = await bench("2.1.325");
    const session = await start({ cli: { allowedTools: ["Bash"] } });
    await turn(session, "[[background]]");
    const woken = result(session);
    writeFileSync(join(root, "go"), "");
    await woken;
    expect(lastTurn(session)).toMatchObject({ ok: true, origin: "task-notification" });
    expect(session.head.tasks).toMatchObject([{ status: "completed" }]);
    const { listTranscripts } = await import("./past/transcripts.ts");
    // The CLI writes its transcript some time later.
    await vi.waitFor(
      async () => {
        const found = await listTranscripts(join(root, ".claude"));
        expect(found).toMatchObject([{ id: session.id, firstPrompt: "[[background]]" }]);
        expect(readFileSync(found[0]!.path, "utf8")).toContain("It has ended.");
      },
      { timeout: 60_000 },
    );
  });
});
