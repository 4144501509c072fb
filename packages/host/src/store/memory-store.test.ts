import { describe, vi } from "vitest";
import { createMemoryStore } from "./memory-store.ts";
import { storeContract } from "./store-contract.fixture.ts";

// Each test waits for the disk, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe("[D16] the memory store", () => {
  storeContract(async () => createMemoryStore());
});
