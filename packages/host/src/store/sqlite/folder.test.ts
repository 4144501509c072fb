import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createFold } from "@quarterdeck/session";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreError } from "../event-store.ts";
import { openSqliteStore } from "../sqlite-store.ts";
import { fileOfVolume, MIGRATIONS, openToWrite, volumeVersionOf } from "./volume.ts";
import { converse, everythingOf, facts, recordOf, said, typed } from "../store-facts.fixture.ts";
import { contentOf, EXPECTED_FILE, GOLDEN_ROOT } from "./store-golden.fixture.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "quarterdeck-folder-"));
  folder = join(root, "data");
});
afterEach(() => rmSync(root, { recursive: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const modesIn = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => [
      name,
      modeOf(join(path, name)).toString(8),
    ]),
  );
const failureOf = async (opening: Promise<unknown>): Promise<StoreError> => {
  const error: unknown = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreError)) throw new Error("It should have failed with a StoreError.", { cause: error });
  return error;
};

describe("stored data", () => {
  it("[D1] is there after a restart", async () => {
    const store = await openSqliteStore(folder, { volumeBytes: 100_000 });
    const sessions = ["a", "b", "c"];
    for (const session of sessions) {
      const fold = createFold();
      await converse(store, session, fold, typed("p", `${session} asks`), said("m1", session.repeat(300_000)));
      await converse(store, session, fold, said("m2", "second"), { type: "prompt-held", uuid: "p" });
      store.saveDrafts(session, { draft: session });
      await store.putSession(recordOf(session));
    }
    const was = sessions.map((session) => everythingOf(store, session));
    const { sessions: bytes } = store.usage();
    await store.close();

    const again = await openSqliteStore(folder);
    expect(sessions.map((session) => everythingOf(again, session))).toEqual(was);
    expect(again.usage().sessions).toEqual(bytes);
    expect(again.check()).toEqual([]);
    const [event] = await again.append("b", facts(typed("q", "goes on")));
    expect(event?.seq).toBe(5);
    await again.close();
  });
});

describe("the folder", () => {
  it("[D7] and its files are private", async () => {
    const store = await openSqliteStore(folder);
    await converse(store, "s", createFold(), said("m1", "x".repeat(300_000)));
    const modes = modesIn(folder);
    expect(modeOf(folder)).toBe(0o700);
    expect(Object.keys(modes)).toEqual(
      expect.arrayContaining(["blobs", "lock", "owner.json", "sessions-0001.db", "sessions-0001.db-wal"]),
    );
    for (const [name, mode] of Object.entries(modes)) {
      expect([name, mode]).toEqual([name, statSync(join(folder, name)).isDirectory() ? "700" : "600"]);
    }
    const copy = join(root, "copy");
    await store.backup(copy);
    expect(new Set(Object.values(modesIn(copy)))).toEqual(new Set(["700", "600"]));
    await store.close();
  });

  it("[D7] becomes private if others could read it", async () => {
    await (await openSqliteStore(folder)).close();
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, "blobs", "9-9"), { mode: 0o755 });
    writeFileSync(join(folder, fileOfVolume(1)), "", { mode: 0o644 });
    const store = await openSqliteStore(folder);
    expect([modeOf(folder), modeOf(join(folder, fileOfVolume(1)))]).toEqual([0o700, 0o600]);
    await store.close();
  });

  it("[D7] is refused if it contains a planted link (S30)", async () => {
    mkdirSync(folder);
    writeFileSync(join(root, "elsewhere"), "");
    symlinkSync(join(root, "elsewhere"), join(folder, "blobs"));
    expect(await failureOf(openSqliteStore(folder))).toMatchObject({ code: "no-permission" });
  });

  it("[D7] is refused if it cannot be made", async () => {
    const closed = join(root, "closed");
    mkdirSync(closed, { mode: 0o500 });
    // Root can write to the closed folder, but not to the kernel's folders.
    const parent = process.getuid?.() === 0 ? "/sys" : closed;
    expect(await failureOf(openSqliteStore(join(parent, "quarterdeck")))).toMatchObject({ code: "no-permission" });
  });
});

describe("the lock", () => {
  it("[D5] lets one program in, names the holder to the next, and ends with its owner", async () => {
    const child = spawn(process.execPath, [...programWords("store-child"), folder, "1"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const refused = await failureOf(openSqliteStore(folder));
    expect(refused.code).toBe("locked");
    expect(refused.message).toContain(`process ${child.pid}, started 20`);
    child.kill("SIGKILL");
    await once(child, "exit");
    const store = await openSqliteStore(folder);
    expect(readFileSync(join(folder, "owner.json"), "utf8")).toContain(`"pid":${process.pid}`);
    await store.close();
  });

  it("[D5] also works within one program", async () => {
    const store = await openSqliteStore(folder);
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await failureOf(openSqliteStore(folder))).toMatchObject({ code: "locked" });
    }
    await store.append("s", facts(typed("p", "still mine")));
    await store.close();
    await (await openSqliteStore(folder)).close();
  });

  it("[D5] is released if the store cannot be opened", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, fileOfVolume(1)), "not a database at all, though it is long enough to be one".repeat(9));
    expect(await failureOf(openSqliteStore(folder))).toMatchObject({ code: "corrupt" });
    rmSync(join(folder, fileOfVolume(1)));
    await (await openSqliteStore(folder)).close();
  });
});

describe("the schema", () => {
  const hashesIn = (path: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(path, { recursive: true, encoding: "utf8" })
        .filter((name) => name !== "lock" && statSync(join(path, name)).isFile())
        .map((name) => [
          name,
          createHash("sha256")
            .update(readFileSync(join(path, name)))
            .digest("hex"),
        ]),
    );

  it("[D6] of a newer program is refused and not changed", async () => {
    const store = await openSqliteStore(folder, { volumeBytes: 1 });
    await store.append("a", facts(typed("p", "text")));
    await store.append("b", facts(said("m", "y".repeat(300_000))));
    await store.close();
    const database = new DatabaseSync(join(folder, fileOfVolume(2)));
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    database.close();
    const before = hashesIn(folder);
    const refused = await failureOf(openSqliteStore(folder));
    expect(refused).toMatchObject({ code: "newer-schema" });
    expect(refused.message).toContain(`schema ${MIGRATIONS.length + 1}; this version supports ${MIGRATIONS.length}`);
    expect(hashesIn(folder)).toEqual(before);
  });

  it("[D6] of an older program is migrated step by step, and a failed step changes nothing", async () => {
    mkdirSync(folder);
    openToWrite(folder, 1).close();
    const steps = [
      ...MIGRATIONS,
      (database: DatabaseSync) =>
        database.exec("ALTER TABLE session ADD COLUMN note TEXT; UPDATE session SET note = ''"),
      (database: DatabaseSync) => database.exec("CREATE TABLE extra (a) STRICT"),
    ];
    expect(() => openToWrite(folder, 1, { migrations: steps })).toThrow("missing datatype");
    const half = openToWrite(folder, 1, { migrations: steps.slice(0, -1) });
    expect(volumeVersionOf(half)).toBe(MIGRATIONS.length + 1);
    expect(half.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'extra'").get()).toEqual({ n: 0 });
    expect(half.prepare("SELECT note FROM session").all()).toEqual([]);
    half.close();
    expect(() => openToWrite(folder, 1)).toThrow(expect.objectContaining({ code: "newer-schema" }));
  });

  it.each(readdirSync(GOLDEN_ROOT).filter((name) => name.startsWith("store-schema-")))(
    "[D6] of %s reads as it was written",
    async (name) => {
      cpSync(join(GOLDEN_ROOT, name, "data"), folder, { recursive: true });
      const expected = JSON.parse(readFileSync(join(GOLDEN_ROOT, name, EXPECTED_FILE), "utf8")) as {
        foldVersion: number;
      };
      const store = await openSqliteStore(folder);
      expect(store.damage).toEqual([]);
      expect(contentOf(store, expected.foldVersion)).toEqual(expected);
      expect(store.check()).toEqual([]);
      await store.append("first", facts(typed("p9", "goes on")));
      await store.close();
    },
  );
});
