import { describe } from "vitest";
import { createMemoryStore } from "./memory-store.ts";
import { storeContract } from "./store-contract.fixture.ts";

describe("[D16] the memory store", () => {
  storeContract(async () => createMemoryStore());
});
