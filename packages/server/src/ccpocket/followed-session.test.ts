import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Client } from "@quarterdeck/client";
import { createFold, eventsOfRecording } from "@quarterdeck/session";
import type { Event } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";
import { FollowedSession } from "./followed-session.ts";
import { isAnswerable, pocketIdOf } from "./translate.ts";
import type { PocketMessage } from "./translate.ts";

const RECORDING = "2.1.325/03b_bash_allow_updated";
const path = fileURLToPath(new URL(`../../../protocol/fixtures/recordings/${RECORDING}.ndjson`, import.meta.url));
const EVENTS = eventsOfRecording(readFileSync(path, "utf8")).filter(
  (event): event is Event => event.type !== "streamed",
);

const foldOf = (count: number) => {
  const fold = createFold();
  for (const event of EVENTS.slice(0, count)) fold.apply(event);
  return fold;
};
const openAt = (count: number): string[] => foldOf(count).head.requests.filter(isAnswerable).map(pocketIdOf);

/**
 * What an app still shows of requests if it begins when the view has `shown` facts and the log has `logged`. It may read the history
 * meanwhile.
 */
const askedOf = async (shown: number, logged: number, readsHistory: boolean): Promise<unknown[]> => {
  const fold = foldOf(shown);
  const snapshot = { status: "ready", head: fold.head, rows: fold.rows, drafts: [] };
  const log = EVENTS.slice(0, logged);
  const told: PocketMessage[] = [];
  const client = {
    session: () => ({ snapshot, subscribe: () => () => undefined, close: () => undefined }),
    call: async (_method: string, { after = 0 }: { after?: number }) => ({
      events: log.filter(({ seq }) => seq > after),
      lastSeq: log.at(-1)?.seq ?? 0,
    }),
  };
  const isTold = new Promise<void>((resolve, reject) => {
    const followed = new FollowedSession({
      client: client as unknown as Client,
      id: "s",
      tell: (message) => {
        if (message.type === "status") resolve();
        else told.push(message);
      },
      onError: reject,
      keepImage: () => undefined,
      wantsQueue: () => false,
    });
    if (readsHistory) followed.history(0).catch(reject);
  });
  await isTold;
  const types = new Set(told.map(({ type }) => type));
  expect([...types].filter((type) => type !== "permission_request" && type !== "permission_resolved")).toEqual([]);
  const shows = new Set<unknown>();
  for (const { type, toolUseId } of told)
    if (type === "permission_request") shows.add(toolUseId);
    else shows.delete(toolUseId);
  return [...shows];
};

describe("[Y5] an app that begins to follow a session", () => {
  it("hears the requests that are open at the end of the log, however far behind it the view is", async () => {
    const seen = new Set<number>();
    for (let logged = 0; logged <= EVENTS.length; logged++) {
      const open = openAt(logged);
      seen.add(open.length);
      for (let shown = 0; shown <= logged; shown++)
        for (const reads of [false, true])
          expect({ shown, logged, reads, asked: await askedOf(shown, logged, reads) }).toEqual({
            shown,
            logged,
            reads,
            asked: open,
          });
    }
    expect(seen).toEqual(new Set([0, 1]));
  });
});
