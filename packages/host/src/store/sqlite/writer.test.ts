import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { StoreError } from "../event-store.ts";
import { Writer } from "./writer.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-writer-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("[D15] fails waiting and later jobs when its thread ends", async () => {
  const ends: StoreError[] = [];
  const writer = new Writer({ folder }, (error) => ends.push(error));
  const [waiting] = await Promise.allSettled([writer.do({ kind: "open", sweepSince: undefined }), writer.end()]);
  expect(waiting).toMatchObject({ status: "rejected", reason: { code: "closed" } });
  await expect(writer.do({ kind: "close" })).rejects.toMatchObject({ code: "closed" });
  expect(ends).toHaveLength(1);
});

it("reports a failure with its code", async () => {
  rmSync(folder, { recursive: true });
  const writer = new Writer({ folder }, () => {});
  const sessions = [{ key: 1, id: "s", isNew: true, events: undefined, folds: [], drafts: [], parts: {} }];
  const [outcome] = await writer.do({ kind: "write", volumes: [{ volume: 1, sessions }] });
  await writer.end();
  expect(outcome).toMatchObject({ ok: false, failure: { code: "io" } });
});
