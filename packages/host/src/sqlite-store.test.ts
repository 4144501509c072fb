import { describe } from "vitest";
import { openSqliteStore } from "./sqlite-store.ts";
import { storeContract } from "./store-contract.fixture.ts";

describe("the SQLite store", () => {
  storeContract((folder) => openSqliteStore(folder));
});

describe("the SQLite store with every session in a file of its own", () => {
  storeContract((folder) => openSqliteStore(folder, { volumeBytes: 1 }));
});
