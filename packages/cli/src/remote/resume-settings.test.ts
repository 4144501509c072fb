// What `quarterdeck run --resume` asks a server for, without a server.

import type { Client } from "@quarterdeck/client";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import { expect, it } from "vitest";
import { resumed } from "./run-on-server.ts";

const ID = "4f1c2f60-8d0c-4f5e-9d0e-0d6f4b0a5e11";

const resume = async (live: boolean, cli: ClaudeOptions) => {
  const asked: unknown[] = [];
  const client = {
    call: () => Promise.resolve({ sessions: [{ id: ID, cwd: "/work", live }] }),
    command: (method: string, params: unknown) => {
      asked.push([method, params]);
      return Promise.resolve({});
    },
  } as unknown as Pick<Client, "call" | "command">;
  const session = await resumed(client, ID.slice(0, 8), { trust: false, cli, say: () => undefined });
  return { session, asked };
};

it("a session without a process starts again with all flags", async () => {
  const { session, asked } = await resume(false, { model: "haiku", maxTurns: 3, dangerouslySkipPermissions: true });
  expect(session).toEqual({ id: ID, wasLive: false });
  const settings = {
    ...{ model: "haiku", maxTurns: 3 },
    ...{ allowDangerouslySkipPermissions: true, permissionMode: "bypassPermissions" },
  };
  expect(asked).toEqual([["sessions/resume", { session: ID, settings }]]);
});

it("a running session changes its model and its mode, and keeps the rest", async () => {
  const { session, asked } = await resume(true, { model: "haiku", permissionMode: "plan" });
  expect(session).toEqual({ id: ID, wasLive: true });
  expect(asked).toEqual([
    ["session/setModel", { session: ID, model: "haiku" }],
    ["session/setPermissionMode", { session: ID, mode: "plan" }],
  ]);
  await expect(resume(true, { model: "haiku", maxTurns: 3 })).rejects.toThrow(
    "Session 4f1c2f60 already runs, and its process keeps its flags. Omit --max-turns, or stop the process on the page first.",
  );
});

it("nothing is asked without flags", async () => {
  for (const live of [true, false]) expect((await resume(live, {})).asked).toEqual([]);
});
