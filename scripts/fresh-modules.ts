// A worker runs several files. Each file gets fresh modules of ours, so that no state of one file reaches the next.

import { vi } from "vitest";

vi.resetModules();
