import { describe } from "vitest";
import { openSqliteStore } from "./sqlite-store.ts";
import { storeContract } from "./store-contract.fixture.ts";

describe("[D16] the SQLite store", () => {
  storeContract((folder) => openSqliteStore(folder));
});
