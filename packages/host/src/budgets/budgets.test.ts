import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { bench, codeOf, HELLO, isReceived, prompts, turn, until, when } from "../host-bench.fixture.ts";
import { Host } from "../host.ts";
import type { Session } from "../session/session.ts";
import { openBudgets } from "./budget-store.ts";

const WAITS = {
  when: "wait",
  steps: [{ say: [{ tool: "Bash", input: { command: "sleep 300" } }] }, { say: [{ text: "Waited." }] }],
};

const state = (session: Session, wanted: string | undefined): Promise<void> =>
  when(session, () => session.head.budget?.state === wanted);

it("[B1] at 80 % the session says so, at 100 % it takes no prompt until the budget is raised, also after a restart", async () => {
  const path = join(scratchFolder(), "budgets.json");
  const { host, cwd, options } = await bench([HELLO], { budgets: openBudgets({ path }) });
  const session = await host.start({ cwd });
  await turn(session, "hello");
  const cost = session.head.gauges.costUsd;
  expect(cost).toBeGreaterThan(0);
  expect(session.head.budget ?? null).toBeNull();

  host.budgets!.change({ sessions: { [session.id]: cost * 1.1 } });
  await state(session, "near");
  await turn(session, "hello again");
  await state(session, "reached");
  expect(session.head.budget).toMatchObject({ scope: "session", limitUsd: cost * 1.1 });
  expect(await codeOf(session.prompt("hello a third time"))).toBe("budget-reached");
  // A refused prompt leaves nothing behind.
  expect(prompts(session)).toHaveLength(2);

  await session.close();
  const again = await Host.open({ ...options, budgets: openBudgets({ path }) });
  const after = await again.resume(session.id);
  expect(after.head.budget?.state).toBe("reached");
  expect(await codeOf(after.prompt("hello after the restart"))).toBe("budget-reached");
  again.budgets!.change({ sessions: { [session.id]: cost * 100 } });
  await state(after, undefined);
  await turn(after, "hello, raised");
  expect(prompts(after).at(-1)).toEqual(["hello, raised", "done"]);
  await after.close();
  again.budgets!.close();
});

it("[B2] the budget of the day interrupts other sessions that work, and holds what is queued there", async () => {
  const { host, cwd } = await bench([HELLO, WAITS], { budgets: openBudgets() });
  const [spender, worker] = [
    await host.start({ cwd }),
    await host.start({ cwd, cli: { allowedTools: ["Bash"] } }),
  ] as const;
  const working = until(worker, () => worker.head.phase === "tool");
  await worker.prompt("wait");
  await working;
  await worker.prompt("hello later", { priority: "later" });
  const interrupted = until(worker, isReceived("result"));
  host.budgets!.change({ dayUsd: 0.000_001, sessions: {} });
  expect(worker.head.budget ?? null).toBeNull();
  await turn(spender, "hello");
  await state(spender, "reached");
  await state(worker, "reached");
  await interrupted;
  await when(worker, () => prompts(worker).some(([, is]) => is === "held"));
  expect(prompts(worker)).toContainEqual(["hello later", "held"]);
  const held = worker.rows.find((row) => row.kind === "prompt" && row.state === "held");
  // To send a held prompt is refused, too, and it stays.
  const uuid = held?.kind === "prompt" ? (held.uuid ?? "") : "";
  expect(await codeOf(worker.editPrompt(uuid, "hello now"))).toBe("budget-reached");
  expect(prompts(worker)).toContainEqual(["hello later", "held"]);
});

it("[B3] a file of budgets that is damaged stops the start", () => {
  const path = join(scratchFolder(), "budgets.json");
  openBudgets({ path }).set({ dayUsd: 5, sessions: {} });
  expect(openBudgets({ path }).limits()).toEqual({ dayUsd: 5, sessions: {} });
  writeFileSync(path, '{"dayUsd":"much","sessions":{}}');
  expect(() => openBudgets({ path })).toThrow(/nobody knows your budgets/u);
  expect(() => openBudgets().set({ dayUsd: -1, sessions: {} })).toThrow(/above zero/u);
});
