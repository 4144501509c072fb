// Machines of a fleet: real servers in folders of their own, a real NATS server, and the command as a person types it.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "@quarterdeck/client";
import type { Client, DeviceCredentials } from "@quarterdeck/client";
import type { Role } from "@quarterdeck/session/bridge";
import { browserKey } from "@quarterdeck/test-kit/browser-key";
import type { BrowserKey } from "@quarterdeck/test-kit/browser-key";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { natsProgram } from "@quarterdeck/test-kit/nats-server";
import { programWords } from "@quarterdeck/test-kit/programs";
import { SCENARIO } from "../bridge/bench.ts";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { Place, ServerProcess, StartedBy } from "../bridge/server-process.ts";

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** How the programs of a machine are started. */
export interface Around extends StartedBy {
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of `serve`, at each start of the server. */
  readonly flags?: readonly string[];
}

export class Machine {
  readonly place: Place;
  server: ServerProcess | undefined;
  readonly #around: Around;

  constructor(place: Place = makePlace(SCENARIO), around: Around = {}) {
    this.place = place;
    this.#around = around;
  }

  async start(...flags: string[]): Promise<void> {
    const { flags: always = [], env } = this.#around;
    this.server = await startServer(this.place, [...always, ...flags], env, this.#around);
  }

  /** Starts it at the address that it had, so that its clients find it. */
  async startAgain(): Promise<void> {
    await this.start("--port", new URL(this.server!.url).port);
  }

  async close(): Promise<void> {
    await this.server?.stop();
    this.place.remove();
  }

  /** Starts `quarterdeck …` on this machine. */
  spawn(...words: string[]): ChildProcess {
    const { dataDir, home, root } = this.place;
    const clean = { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: root, LANG: "C.UTF-8", ...COMPILED };
    const { through = [], program = programWords("quarterdeck") } = this.#around;
    const [command, ...args] = [...through, process.execPath, ...program];
    return spawn(command!, [...args, ...words, "--data-dir", dataDir], {
      env: { ...clean, ...this.#around.env },
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Runs it to its end. */
  async run(...words: string[]): Promise<Said> {
    const child = this.spawn(...words);
    const [out, error] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    return { code: child.exitCode ?? 1, out, error };
  }

  /** The same, which must work, with what it prints as JSON. */
  async fleet<T = Record<string, unknown>>(...words: string[]): Promise<T> {
    const { code, out, error } = await this.run("fleet", ...words, "--json");
    if (code !== 0)
      throw new Error(
        `fleet ${words.join(" ")} ended with ${String(code)}: ${error}\nThe server: ${this.server?.output().slice(-2000) ?? "none"}`,
      );
    return JSON.parse(out) as T;
  }

  create(port: number, ...words: string[]): Promise<{ readonly code: string }> {
    const { command, version } = natsProgram();
    const nats = ["--nats-server", command, "--accept-nats", version];
    return this.fleet(
      "create",
      "Home",
      "--name",
      "hub",
      "--listen",
      `127.0.0.1:${String(port)}`,
      ...nats,
      "--allow",
      "none",
      ...words,
    );
  }

  join(code: string, name: string, allow: string): Promise<unknown> {
    return this.fleet("join", code, "--name", name, "--allow", allow, "--accept-nats", natsProgram().version);
  }

  /** The state of another machine, as this one sees it. */
  async sees(name: string): Promise<string | undefined> {
    const { machines } = await this.fleet<{ machines: { name: string; state: string }[] }>("ls");
    return machines.find((machine) => machine.name === name)?.state;
  }

  /** A browser that is paired with this machine. */
  async pair(role: Role, key?: BrowserKey): Promise<DeviceCredentials> {
    const admin = this.admin();
    const { code } = await admin.command("devices/pair", { role }).finally(() => admin.close());
    const { publicKey, sign } = key ?? (await browserKey());
    const answer = await fetch(new URL("/pair", this.server!.url), {
      method: "POST",
      headers: { "content-type": "application/json", origin: this.server!.url },
      body: JSON.stringify({ code, name: `A ${role}`, publicKey }),
    });
    const { device } = (await answer.json()) as { device: { id: string } };
    return { kind: "device", id: device.id, sign };
  }

  admin(): Client {
    const { url, token } = this.server!;
    return connect({ url, credentials: { kind: "token", token }, client: { name: "test", version: "1" } });
  }

  /** A client of this machine. */
  of(credentials: DeviceCredentials): Client {
    return this.#connect({ credentials });
  }

  /** A client of another machine, through this one. */
  through(machine: string, credentials: DeviceCredentials): Client {
    return this.#connect({ credentials, machine });
  }

  #connect(to: { readonly credentials: DeviceCredentials; readonly machine?: string }): Client {
    return connect({
      ...to,
      url: this.server!.url,
      client: { name: "test", version: "1" },
      // A browser sends its origin itself.
      openSocket: (url, headers) => new WebSocket(url, { headers } as never),
    });
  }

  forgetFleet(): void {
    rmSync(join(this.place.dataDir, "fleet"), { recursive: true, force: true });
  }
}
