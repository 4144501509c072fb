import type { Client, Method, SessionSummary } from "@quarterdeck/client";
import { allows } from "@quarterdeck/client/policy";
import { describe, expect, it } from "vitest";
import { sessionMenu } from "./session-commands.ts";

const ROLES = ["view", "answer", "operate", "admin"] as const;
type Role = (typeof ROLES)[number];

const clientWith = (role: Role): Client => ({ info: { device: { id: "d", name: "Desk", role } } }) as unknown as Client;
const summary = (live: boolean): SessionSummary => ({ id: "s", cwd: "/w", archived: false, live }) as SessionSummary;

/** The call that each item makes. */
const CALLS: Readonly<Record<string, Method>> = {
  rename: "sessions/rename",
  fork: "sessions/fork",
  close: "sessions/close",
  resume: "sessions/resume",
  export: "tickets/create",
  archive: "sessions/archive",
  delete: "sessions/delete",
};

describe("the menu of a session", () => {
  it.each(ROLES)("offers %s exactly what the policy allows", (role) => {
    for (const live of [true, false]) {
      const items = sessionMenu(clientWith(role), summary(live));
      // The others change only what this browser shows, copy, or open a dialog that asks.
      const calling = items.filter(({ id }) => !["link", "pin", "replay", "terminal", "unread"].includes(id));
      expect(calling.map(({ id, disabled = false }) => [id, !disabled])).toEqual(
        calling.map(({ id }) => [id, allows(role, CALLS[id]!)]),
      );
    }
  });
});
