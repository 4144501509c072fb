// What only the real CLI can prove: that its tools leave the process group, survive it, and carry the marker.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { allow, controlRequest, userMessage } from "@quarterdeck/protocol";
import type { Script } from "@quarterdeck/simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { newMarker, watch } from "./child-script.fixture.ts";
import type { Watched } from "./child-script.fixture.ts";
import { endOrphans, findByMarker } from "./descendants.ts";
import { realCli } from "./real-cli.fixture.ts";

/** Where a tool reports that it runs, and what tells us when it is gone: its connection closes with it. */
const reception = async (): Promise<{ port: number; caller: Promise<Caller> }> => {
  const { promise, resolve } = Promise.withResolvers<Caller>();
  const server = createServer((socket: Socket) => {
    const gone = new Promise<void>((done) => socket.once("close", () => done()));
    socket.on("error", () => {
      // A caller that is killed may reset the connection; `close` follows.
    });
    socket.once("data", (data) => resolve({ pid: Number(data.toString()), gone }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, caller: promise };
};
interface Caller {
  readonly pid: number;
  readonly gone: Promise<void>;
}

const bashTool = (command: string): readonly Script[] => [
  {
    when: "run it",
    steps: [{ say: [{ tool: "Bash", input: { command, description: "Run it" } }] }, { say: [{ text: "Done." }] }],
  },
];

/** Reports its pid and then runs until it is ended. */
const callsIn = (port: number): string => `exec 3<>/dev/tcp/127.0.0.1/${port}; echo $$ >&3; sleep 1000; true`;

/** A session whose tool runs until it is ended. */
const midTool = async (version: string, marker: string): Promise<{ cli: Watched; tool: Caller }> => {
  const { port, caller } = await reception();
  const real = await realCli(version, bashTool(callsIn(port)));
  const cli = watch({ ...real.options(), marker });
  await cli.process.send(controlRequest("init", { subtype: "initialize" }));
  await cli.process.send(userMessage("run it"));
  const asked = await cli.saw("control_request");
  const { input } = asked["request"] as { input: Record<string, unknown> };
  await cli.process.send(allow(asked["request_id"] as string, input));
  return { cli, tool: await caller };
};

const pidsOf = async (marker: string): Promise<number[]> => (await findByMarker(marker)).map(({ pid }) => pid);

const groupOf = (pid: number): string => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]!;
};

describe.each(["2.1.325", "2.1.38"])("CLI %s", (version) => {
  test("a tool that outlives a killed CLI carries the marker, and ends by it", async () => {
    const marker = newMarker();
    const { cli, tool } = await midTool(version, marker);
    expect(groupOf(tool.pid)).not.toBe(groupOf(cli.process.pid!));
    expect(await pidsOf(marker)).toEqual(expect.arrayContaining([cli.process.pid, tool.pid]));

    process.kill(cli.process.pid!, "SIGKILL");
    expect(await cli.process.ended).toEqual({ code: null, signal: "SIGKILL" });
    await tool.gone;
    expect(await findByMarker(marker)).toEqual([]);
    expect(cli.exits).toEqual([{ code: null, signal: "SIGKILL" }]);
  });

  test("close ends the CLI and its running tool", async () => {
    const marker = newMarker();
    const { cli, tool } = await midTool(version, marker);
    const interrupt = async (): Promise<void> => {
      await cli.process.send(controlRequest("stop", { subtype: "interrupt" }));
      await cli.saw("result");
    };
    const exit = await cli.process.close({ interrupt });
    await tool.gone;
    expect(exit.signal).not.toBe("SIGKILL");
    expect(await findByMarker(marker)).toEqual([]);
  });
});

describe("a host that was killed", () => {
  const source = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
  /** A host in a process of its own: it starts the CLI and allows whatever it asks. */
  const HOST = `
    const { startCliProcess } = await import(${source("./cli-process.ts")});
    const { allow, userMessage } = await import("@quarterdeck/protocol");
    const cli = startCliProcess({
      ...JSON.parse(process.argv[1]),
      onLine: ({ message }) => {
        if (message?.type === "control_request") cli.send(allow(message.request_id, message.request.input));
      },
      onStderr: () => {},
      onExit: () => {},
    });
    await cli.send(userMessage("run it"));
    console.log(cli.pid);`;

  test("leaves CLI and tool running; the next one finds and ends both", async () => {
    const marker = newMarker();
    const { port, caller } = await reception();
    const real = await realCli("2.1.325", bashTool(callsIn(port)));
    const args = [
      "--conditions=source",
      "--input-type=module",
      "-e",
      HOST,
      JSON.stringify({ ...real.options(), marker }),
    ];
    const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], cwd: import.meta.dirname });
    const [said] = (await once(host.stdout, "data")) as [Buffer];
    const cli = Number(said.toString());
    const tool = await caller;

    host.kill("SIGKILL");
    await once(host, "exit");
    expect(await pidsOf(marker)).toEqual(expect.arrayContaining([cli, tool.pid]));
    process.kill(cli, "SIGKILL");
    await expect.poll(() => pidsOf(marker)).not.toContain(cli);
    expect(await pidsOf(marker)).toContain(tool.pid);

    const { ended, left } = await endOrphans(marker.slice(0, marker.indexOf(":")));
    await tool.gone;
    expect(ended.map(({ pid }) => pid)).toContain(tool.pid);
    expect(left).toEqual([]);
    expect(await findByMarker(marker)).toEqual([]);
  });
});
