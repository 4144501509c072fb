import { describe, vi } from "vitest";
import { openSqliteStore } from "./sqlite-store.ts";
import { storeContract } from "./store-contract.fixture.ts";

// Every test waits for the disk, and a busy machine has a slow one.
vi.setConfig({ testTimeout: 60_000 });

describe("[D16] the SQLite store", () => {
  storeContract((folder) => openSqliteStore(folder));
});
