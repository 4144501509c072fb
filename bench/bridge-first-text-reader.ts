// Time from sending a prompt to the first text at a client, in a warm session. The real CLI uses a scripted API, behind
// our server or behind CloudCLI. The first turn does not count.
// Usage: bridge-first-text-reader.ts <server | cloudcli> <folder> <url of the API> <turns> [folder of CloudCLI]
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import type { Row } from "@quarterdeck/session";
import type { DraftPiece } from "@quarterdeck/session/bridge";

import { NEWEST, cacheFolder, claudeProgram } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";
import { startCloudCli } from "./bridge-cloudcli.ts";
import type { CloudCli } from "./bridge-cloudcli.ts";
import { startBridgeServer, writeProgram } from "./bridge-server.ts";
import { BridgeSocket } from "./bridge-socket.ts";

const [, , contender = "", folder = "", apiUrl = "", turns = "1", cloudCli = ""] = process.argv;
const [home, tmp, cwd] = ["cli-home", "cli-tmp", "work"].map((part) => join(folder, part)) as [string, string, string];
for (const made of [home, tmp, cwd]) mkdirSync(made, { recursive: true });
const env = cleanEnv({ home, tmp, apiUrl, compileCache: join(cacheFolder(), "compiled") });

const startOurs = async (claude: string): Promise<CloudCli> => {
  const server = await startBridgeServer({ folder, claude });
  const socket = await BridgeSocket.open(server);
  const { session } = await socket.command("sessions/start", { cwd: server.cwd });
  await socket.subscribe({ session: session.id });
  return {
    turn: async (content) => {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const startedAt = performance.now();
      let first: number | undefined;
      const hasText = (pieces: readonly DraftPiece[]): boolean => pieces.some(({ text }) => text !== "");
      socket.onTold = ({ method, params }) => {
        if (method === "session/draft" && hasText(params["drafts"] as DraftPiece[]))
          first ??= performance.now() - startedAt;
        if (((params["rows"] ?? []) as Row[]).some(({ kind }) => kind === "turn")) end();
      };
      await socket.command("session/prompt", { session: session.id, content });
      await ended;
      if (first === undefined) throw new Error("the turn had no text");
      return first;
    },
    close: async () => {
      socket.drop();
      await server.stop();
    },
  };
};

const { command, args } = await claudeProgram(NEWEST);
const { PATH: _path, ...variables } = env;
const claude = writeProgram(join(folder, "claude"), [command, ...args], variables);
const started = await (contender === "server"
  ? startOurs(claude)
  : startCloudCli({ folder: cloudCli, claude, cwd, env }));
const times: number[] = [];
for (let turn = -1; turn < Number(turns); turn += 1) {
  const took = await started.turn("hello");
  if (turn >= 0) times.push(took);
}
await started.close();
console.log(JSON.stringify(times));
process.exit(0);
