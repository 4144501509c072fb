import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EventStore, Host } from "@quarterdeck/host";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { expect, it } from "vitest";
import type { Log } from "../log.ts";
import { KEPT_SETTINGS_FILE, openKeptSettings } from "./kept-settings.ts";
import { keepRetention } from "./retention.ts";

const DAY_MS = 86_400_000;
const NOW = 1000 * DAY_MS;

it("[A5] keeps defaults and retention through a restart, and stops at a file that it cannot read", () => {
  const dataDir = scratchFolder();
  const kept = openKeptSettings(dataDir);
  kept.setDefaults({ model: "sonnet" });
  kept.setDefaults({ effort: "low" }, "/a");
  kept.setDefaults({ effort: "high" }, "/b");
  kept.setDefaults({}, "/b");
  kept.setRetention({ days: 30, onlyArchived: true });
  const again = openKeptSettings(dataDir);
  expect([
    again.defaultsFor(),
    again.defaultsFor("/a"),
    again.defaultsFor("/b"),
    again.defaultsFor("toString"),
  ]).toEqual([{ model: "sonnet" }, { effort: "low" }, undefined, undefined]);
  expect(again.retention).toEqual({ days: 30, onlyArchived: true });
  const path = join(dataDir, KEPT_SETTINGS_FILE);
  writeFileSync(path, readFileSync(path, "utf8").replace("30", "-1"));
  expect(() => openKeptSettings(dataDir)).toThrow(/retention is not valid/u);
});

it("[A5] deletes nothing by default, and later only old sessions that nobody has open, with their attachments", async () => {
  const dataDir = scratchFolder();
  const sessionFiles = join(dataDir, "session-files");
  const days: Record<string, number> = { old: 40, archived: 40, open: 40, young: 2 };
  for (const id of Object.keys(days)) mkdirSync(join(sessionFiles, id), { recursive: true });
  const entries = () =>
    Object.entries(days).map(([id, age]) => ({
      record: { id, cwd: "/w", updatedAt: NOW - age * DAY_MS, createdAt: 0, archived: id === "archived", settings: {} },
      usedAt: NOW - age * DAY_MS,
      bytes: 10,
    }));
  const store = { list: entries, session: (id: string) => days[id] } as unknown as EventStore;
  const host = {
    opened: (id: string) => (id === "open" ? {} : undefined),
    delete: (id: string) => {
      delete days[id];
      return Promise.resolve();
    },
  } as unknown as Host;
  const log = { info: () => undefined, error: () => undefined } as unknown as Log;
  const kept = openKeptSettings(dataDir);
  const retention = keepRetention({ host, store, kept, sessionFiles, log, now: () => NOW });
  expect(await retention.run()).toBe(0);
  expect(retention.plan({ days: 30, onlyArchived: false }).map(({ id }) => id)).toEqual(["old", "archived"]);
  expect(retention.plan({ days: 30, onlyArchived: true }).map(({ id }) => id)).toEqual(["archived"]);
  kept.setRetention({ days: 30, onlyArchived: false });
  expect(await retention.run()).toBe(2);
  retention.close();
  expect(Object.keys(days)).toEqual(["open", "young"]);
  expect(["old", "open", "young"].map((id) => existsSync(join(sessionFiles, id)))).toEqual([false, true, true]);
  expect(kept.retention.last).toEqual({ at: NOW, deleted: 2 });
});
