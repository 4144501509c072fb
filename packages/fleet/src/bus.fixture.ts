// A real NATS server with the configuration that `quarterdeck fleet create` writes, and nodes on it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, natsProgram, startNats } from "@quarterdeck/test-kit/nats-server";
import type { RunningNats } from "@quarterdeck/test-kit/nats-server";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { onTestFinished } from "vitest";
import { newKey } from "./bus.ts";
import { natsConfig } from "./nats-config.ts";

type Key = ReturnType<typeof newKey>;

export interface TestBus {
  readonly url: string;
  readonly keys: Readonly<Record<string, Key>>;
  readonly codes: Readonly<Record<string, Key>>;
  /** Ends the server with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** The server reads its configuration again, without these nodes. */
  remove(...names: string[]): void;
}

export const testBus = async (names: readonly string[], codeIds: readonly string[] = []): Promise<TestBus> => {
  const folder = scratchFolder();
  const path = join(folder, "nats.conf");
  const port = await freePort();
  const keys = Object.fromEntries(names.map((name) => [name, newKey()]));
  const codes = Object.fromEntries(codeIds.map((id) => [id, newKey()]));
  const publicOf = (of: Readonly<Record<string, Key>>, without: readonly string[] = []) =>
    Object.fromEntries(
      Object.entries(of).flatMap(([name, key]) => (without.includes(name) ? [] : [[name, key.publicKey]])),
    );
  const write = (without: readonly string[] = []): void =>
    writeFileSync(
      path,
      natsConfig({
        host: "127.0.0.1",
        port,
        pidFile: join(folder, "nats.pid"),
        hub: names[0]!,
        nodes: publicOf(keys, without),
        codes: publicOf(codes),
        version: natsProgram().version,
      }),
    );
  write();
  let running: RunningNats = await startNats(path, port);
  onTestFinished(() => running.kill());
  return {
    url: `nats://127.0.0.1:${String(port)}`,
    keys,
    codes,
    kill: () => running.kill(),
    start: async () => {
      running = await startNats(path, port);
    },
    remove: (...gone) => {
      write(gone);
      process.kill(running.pid, "SIGHUP");
    },
  };
};
