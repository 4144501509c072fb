// With the real CLI: its tools leave the process group, survive the CLI, and carry the marker. With the simulator:
// every failure, on demand.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { allow, argvOf, controlRequest, HOST_OPTIONS, userMessage } from "@quarterdeck/protocol";
import type { Script } from "@quarterdeck/simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { newMarker, valueOf, watch } from "./child-script.fixture.ts";
import type { Watched } from "./child-script.fixture.ts";
import type { CliExit } from "./cli-process.ts";
import { endOrphans, findByMarker } from "./descendants.ts";
import { realCli } from "@quarterdeck/test-kit/real-cli";
import { programWords } from "@quarterdeck/test-kit/programs";
import { IS_WHOLE, TRIED_VERSIONS } from "@quarterdeck/test-kit/how-much";

/** A port where a tool reports that it runs. The tool's connection closes when the tool ends. */
const reception = async (): Promise<{ port: number; caller: Promise<Caller> }> => {
  const { promise, resolve } = Promise.withResolvers<Caller>();
  const server = createServer((socket: Socket) => {
    const gone = new Promise<void>((done) => socket.once("close", () => done()));
    socket.on("error", () => {
      // A killed caller may reset the connection. `close` follows.
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

/** Reports its pid, then runs until it is killed. */
const callsIn = (port: number): string => `exec 3<>/dev/tcp/127.0.0.1/${port}; echo $$ >&3; sleep 1000; true`;

/** A session whose tool runs until it is killed. */
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

describe.each(TRIED_VERSIONS)("CLI %s", (version) => {
  test("a tool that outlives a killed CLI carries the marker, and is found and ended by it", async () => {
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
    const exit = await cli.process.close({ interrupt, graceMs: 60_000 });
    await tool.gone;
    expect(exit.signal).not.toBe("SIGKILL");
    expect(await findByMarker(marker)).toEqual([]);
  });
});

describe("a killed host", () => {
  const source = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
  /** A host in its own process. It starts the CLI and allows every request. */
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

  test("leaves CLI and tool running; the next host finds and ends both", async () => {
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

describe("after any failure, the end is reported once and no process is left", () => {
  /** How far the process gets by itself, and how it ends when it is closed there. */
  const FAULTS: readonly (readonly [plan: string, sees: string | undefined, exit: CliExit])[] = [
    ["die@start", undefined, { code: 1, signal: null }],
    ["die:7@assistant", undefined, { code: 7, signal: null }],
    ["die-mid-line@result", undefined, { code: 1, signal: null }],
    ["hang@assistant", "system", { code: 143, signal: null }],
    ["hang@assistant,ignore-sigterm", "system", { code: null, signal: "SIGKILL" }],
    ["ignore-eof", "result", { code: 143, signal: null }],
    ["ignore-eof,ignore-sigterm", "result", { code: null, signal: "SIGKILL" }],
    ["orphan:1000@assistant", "result", { code: 0, signal: null }],
    ["orphan:1000@start,die:9@result", undefined, { code: 9, signal: null }],
    ["flood:50000@assistant", "result", { code: 0, signal: null }],
    ["garbage@assistant,stderr:oops@result", "result", { code: 0, signal: null }],
  ];
  /** Less than another plan has. */
  const PART = new Set(["die@start", "hang@assistant", "ignore-eof", "orphan:1000@assistant"]);
  test.each(FAULTS.filter(([plan]) => IS_WHOLE || !PART.has(plan)))("%s", async (plan, sees, expected) => {
    const marker = newMarker();
    const home = scratchFolder();
    const argv = argvOf({ ...HOST_OPTIONS, permissionMode: "default" }).argv;
    // The steps that do not end it: the end of its input, and SIGTERM. The last one may take as long as it needs.
    const vain = expected.signal === "SIGKILL" ? 2 : expected.code === 143 ? 1 : 0;
    let waits = 0;
    const watched = watch({
      wait: () => (++waits > vain ? new Promise(() => {}) : delay(500)),
      command: process.execPath,
      prefixArgs: [...programWords("quarterdeck-sim"), "--fault", plan],
      argv,
      cwd: home,
      env: { PATH: process.env["PATH"] ?? "", HOME: home },
      marker,
    });
    const sent = await Promise.allSettled([
      watched.process.send(controlRequest("init", { subtype: "initialize" })),
      watched.process.send(userMessage("hello")),
    ]);
    expect(sent).toHaveLength(2);
    if (sees === undefined) await watched.process.ended;
    else await watched.saw(sees);
    expect(await watched.process.close()).toEqual(expected);
    expect(watched.exits).toEqual([expected]);
    expect(watched.order.at(-1)).toBe("exit");
    expect(await findByMarker(marker)).toEqual([]);
    if (plan.startsWith("flood")) {
      const flood = watched.lines.filter(({ decoded }) => valueOf(decoded)?.["api_message_id"] === "msg_sim_flood");
      expect(flood).toHaveLength(50_000);
    }
    if (plan.startsWith("garbage")) {
      expect(watched.lines.filter(({ decoded }) => decoded.kind === "noise")).toHaveLength(1);
      expect(watched.stderr).toBe("oops\n");
    }
    if (plan.startsWith("die-mid-line")) expect(watched.lines.at(-1)?.decoded.kind).toBe("noise");
  });
});
