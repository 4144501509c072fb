import { createMemoryStore, Host } from "@quarterdeck/host";
import type { Fact } from "@quarterdeck/host";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { describe, expect, it } from "vitest";
import { cellOf, exportAudit } from "./audit-file.ts";
import { listAudit } from "./audit.ts";
import type { AuditFilter, AuditParts } from "./audit.ts";

const POLICY = { id: "p", name: "Tests", behavior: "allow", rule: "Bash(npm test:*)" } as const;

const call = (id: string, name: string, input: object): Fact => ({
  type: "received",
  message: {
    type: "assistant",
    message: { id: `m-${id}`, role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    parent_tool_use_id: null,
    session_id: "s",
  } as never,
});
const ask = (id: string, name: string, input: object): Fact => ({
  type: "received",
  message: {
    type: "control_request",
    request_id: `r-${id}`,
    request: { subtype: "can_use_tool", tool_name: name, input, tool_use_id: id },
  } as never,
});
const answer = (id: string, response: object, more: object): Fact => ({
  type: "sent",
  message: { type: "control_response", response: { subtype: "success", request_id: `r-${id}`, response } } as never,
  ...more,
});
const done = (id: string): Fact => ({
  type: "received",
  message: {
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
    parent_tool_use_id: null,
    session_id: "s",
  } as never,
});

/** Two sessions whose calls take turns: a person allows, a policy allows, nobody is asked, a person denies. */
const filled = async (): Promise<AuditParts & { readonly calls: number }> => {
  const store = createMemoryStore();
  const host = await Host.open({ store, claude: { command: "none" }, environment: () => ({}) });
  const record = (id: string, cwd: string) => ({ id, cwd, createdAt: 0, updatedAt: 0, archived: false, settings: {} });
  await store.putSession({ ...record("a", "/code/a"), title: "First" });
  await store.putSession(record("b", "/code/b/deep"));
  const calls = 40;
  for (let at = 1; at <= calls; at += 1) {
    const id = `t${String(at)}`;
    const input = { command: `echo ${String(at)}` };
    const by = { by: { id: "phone", name: "Pixel 9" } };
    const kinds: readonly (readonly Fact[])[] = [
      [ask(id, "Bash", input), answer(id, { behavior: "allow", updatedInput: input }, by), done(id)],
      [ask(id, "Bash", input), answer(id, { behavior: "allow", updatedInput: input }, { policy: POLICY }), done(id)],
      [done(id)],
      [ask(id, "Bash", input), answer(id, { behavior: "deny", message: "not now" }, by)],
    ];
    const facts = [call(id, "Bash", input), ...kinds[at % 4]!];
    await store.append(
      at % 3 === 0 ? "b" : "a",
      // Two calls share a time, in one session or in two.
      facts.map((fact) => ({ at: 1000 + Math.floor(at / 2) * 10, fact })),
    );
  }
  return { host, store, calls };
};

const pages = (parts: AuditParts, filter: AuditFilter, limit: number): ResultOf<"audit/list">["entries"] => {
  const all: ResultOf<"audit/list">["entries"] = [];
  for (let cursor: string | undefined; ;) {
    const page = listAudit(parts, { ...filter, limit, ...(cursor !== undefined && { cursor }) });
    all.push(...page.entries);
    if (page.nextCursor === undefined) return all;
    cursor = page.nextCursor;
  }
};
const texts = async (body: AsyncIterable<unknown>): Promise<string> => {
  let text = "";
  for await (const piece of body) text += String(piece);
  return text;
};

describe("the audit", () => {
  it("[A1] lists each decision once, the newest first, with who decided on which input", async () => {
    const { calls, ...parts } = await filled();
    const all = pages(parts, {}, 500);
    expect(all).toHaveLength(calls);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((a, b) => b - a));
    const first = all.find(({ input }) => input.includes("echo 40"));
    expect(first).toEqual({
      session: "a",
      title: "First",
      folder: "/code/a",
      rowId: "tool/t40",
      at: 1200,
      tool: "Bash",
      input: '{"command":"echo 40"}',
      behavior: "allow",
      decider: "person",
      by: { id: "phone", name: "Pixel 9" },
    });
    expect(all.find(({ input }) => input.includes("echo 37"))).toMatchObject({
      decider: "policy",
      policy: { id: "p", name: "Tests" },
      rule: "Bash(npm test:*)",
    });
    expect(all.find(({ input }) => input.includes("echo 38"))).toMatchObject({ behavior: "allow", decider: "unknown" });
    expect(all.find(({ input }) => input.includes("echo 39"))).toMatchObject({ behavior: "deny", reason: "not now" });
  });

  it("[A1] gives the same list in pages of any size", async () => {
    const parts = await filled();
    const whole = pages(parts, {}, 500);
    for (const limit of [1, 2, 3, 7, 40]) expect(pages(parts, {}, limit)).toEqual(whole);
  });

  it("[A2] filters by session, folder, decider, decision and time", async () => {
    const { calls, ...parts } = await filled();
    const whole = pages(parts, {}, 500);
    const expectSame = (filter: AuditFilter, fits: (entry: (typeof whole)[number]) => boolean): void => {
      const wanted = whole.filter(fits);
      expect(wanted.length).toBeGreaterThan(0);
      expect(wanted.length).toBeLessThan(calls);
      expect(pages(parts, filter, 3)).toEqual(wanted);
    };
    expectSame({ session: "b" }, ({ session }) => session === "b");
    expectSame({ folder: "/code/b" }, ({ session }) => session === "b");
    expectSame({ decider: "policy" }, ({ decider }) => decider === "policy");
    expectSame({ behavior: "deny" }, ({ behavior }) => behavior === "deny");
    expectSame({ from: 1050, until: 1120 }, ({ at }) => at >= 1050 && at <= 1120);
    expectSame({ until: 1009 }, ({ at }) => at <= 1009);
    const words = whole.find(({ policy }) => policy !== undefined)?.policy?.name.toUpperCase() ?? "";
    expectSame({ text: ` ${words} ` }, ({ policy }) => policy?.name.toUpperCase() === words);
    expect(pages(parts, { text: `${words} nowhere` }, 3)).toEqual([]);
    expect(pages(parts, { folder: "/code/bb" }, 3)).toEqual([]);
    expect(() => listAudit(parts, { cursor: "none" })).toThrow(/cursor/u);
  });

  it("[A2] exports what fits the filter as CSV and JSON", async () => {
    const parts = await filled();
    const { body, name } = exportAudit(parts, { decider: "policy" }, "csv");
    expect(name).toMatch(/^audit-\d{4}-\d\d-\d\d\.csv$/u);
    const lines = (await texts(body)).split("\r\n");
    expect(lines).toHaveLength(pages(parts, { decider: "policy" }, 500).length + 2);
    expect(lines[0]).toContain('"time","decision","decided by","device"');
    expect(lines[1]).toContain('"allow","policy","","","Bash(npm test:*)","","Tests"');
    expect(lines[1]).toContain('"{""command"":""echo 37""}"');
    const json = JSON.parse(await texts(exportAudit(parts, {}, "json").body)) as { input: object }[];
    expect(json).toHaveLength(40);
    expect(json.some(({ input }) => JSON.stringify(input) === '{"command":"echo 40"}')).toBe(true);
    expect(JSON.parse(await texts(exportAudit(parts, { session: "none" }, "json").body))).toEqual([]);
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\u200B=1", "＝1", "|calc", "%0A"])(
    "[S69] never writes %j as a formula",
    (text) => {
      const cell = cellOf(text);
      expect(cell.startsWith(`"'`)).toBe(true);
      expect(cell.endsWith('"')).toBe(true);
    },
  );

  it("[S69] keeps a cell one cell, and shows characters that cannot be seen", () => {
    expect(cellOf('a","=1"\n=2')).toBe('"a"",""=1""\n=2"');
    expect(cellOf("a\u202Eb")).not.toContain("\u202E");
  });
});
