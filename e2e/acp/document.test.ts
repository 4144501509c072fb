// Every entry of docs/editors.md, as printed: what the editor would start is started, and it is our agent.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { COMPILED } from "@quarterdeck/test-kit/clean-env";
import { programWords } from "@quarterdeck/test-kit/programs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { Place, ServerProcess } from "../bridge/server-process.ts";

const page = readFileSync(new URL("../../docs/editors.md", import.meta.url), "utf8");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gmu"))].map((match) => match[1]!);

let place: Place;
let server: ServerProcess;
let bin: string;

beforeAll(async () => {
  place = makePlace({ name: "document", scripts: [] });
  bin = join(place.root, "bin");
  mkdirSync(bin);
  const words = [process.execPath, ...programWords("quarterdeck")].map((word) => `'${word}'`).join(" ");
  writeFileSync(join(bin, "quarterdeck"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  server = await startServer(place);
});
afterAll(async () => {
  await server.stop();
  place.remove();
});

interface Entry {
  readonly type?: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
const entriesOf = (json: string): Entry[] =>
  Object.values((JSON.parse(json) as { agent_servers: Record<string, Entry> }).agent_servers);
/** The strings of a list in Lua or Lisp. */
const stringsOf = (list = ""): string[] => [...list.matchAll(/"([^"]*)"/gu)].map((match) => match[1]!);

it("[E282] every entry of docs/editors.md starts the agent", async () => {
  const [zed, jetbrains, ...otherJson] = blocks("json").flatMap(entriesOf);
  expect(otherJson).toEqual([]);
  expect(zed?.type).toBe("custom");
  const [companion = "", avante = "", ...otherLua] = blocks("lua");
  expect(otherLua).toEqual([]);
  const [, inAvante] = /\["quarterdeck"\] = \{ command = ("[^"]+", args = \{[^}]*\}) \}/u.exec(avante) ?? [];
  const [emacs = "", ...otherLisp] = blocks("elisp");
  expect(otherLisp).toEqual([]);
  const commands = [
    ...[zed!, jetbrains!].map(({ command, args }) => [command, ...args]),
    stringsOf(/commands = \{ default = (\{[^}]*\})/u.exec(companion)?.[1]),
    stringsOf(inAvante),
    stringsOf(/acp-command '(\([^)]*\))/u.exec(emacs)?.[1]),
    ...blocks("sh").flatMap((block) => [...block.matchAll(/--agent "([^"]*)"/gu)].map((match) => match[1]!.split(" "))),
  ];
  expect(commands).toHaveLength(7);
  const env = {
    ...{ PATH: [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(":"), HOME: place.home, TMPDIR: place.root },
    ...{ LANG: "C.UTF-8", QUARTERDECK_DATA_DIR: place.dataDir, ...COMPILED },
  };
  const hello = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } };
  const seen = new Map<string, unknown>();
  for (const words of commands) {
    const line = words.join(" ");
    if (seen.has(line)) continue;
    const [command = "", ...args] = words;
    const child = spawn(command, args, { cwd: place.cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    const closed = once(child, "close");
    child.stdin.write(`${JSON.stringify(hello)}\n`);
    const [answer] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    child.stdin.end();
    const { result } = JSON.parse(answer) as { result?: { agentInfo?: { name?: string } } };
    seen.set(line, [(await closed)[0], result?.agentInfo?.name]);
  }
  // All entries name the same command.
  expect([...seen]).toEqual([["quarterdeck acp", [0, "quarterdeck"]]]);
});
