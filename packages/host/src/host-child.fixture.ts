// A host that runs sessions until a test kills it. `agent.json` in its folder names the program. It prints what a
// person could have seen: `fact <session> <seq> <hash>` for each event that a listener got. `prompt <session> <uuid>`
// and `answer <session> <request>` for what was acknowledged. `refused <session>` if a session could not be resumed.
// `stuck` says that all sessions now wait for a slow tool. Run it with a folder, the id of its data directory, and a
// seed.

import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Event, Streamed } from "@quarterdeck/session";
import { Host } from "./host.ts";
import type { KillAgent } from "./host-kill.fixture.ts";
import type { Session } from "./session/session.ts";
import { openSqliteStore } from "./store/sqlite-store.ts";
import { seeded } from "@quarterdeck/test-kit/seeded";

const SESSIONS = 2;
/** A slow tool keeps its session busy to the end. The other sessions keep the host writing. */
const PROMPTS = [...Array.from({ length: 4 }, () => ["some words", "a tool"]).flat(), "a task", "a slow tool"];

const [, , folder = "", dataDirId = "", seed = "1"] = process.argv;
const random = seeded(Number(seed));
// Not `process.stdout`: it keeps lines in memory while the reader is slow, and a kill would lose them.
const say = (line: string): void => void writeSync(1, `${line}\n`);

const home = join(folder, "home");
mkdirSync(home, { recursive: true });
const agent = JSON.parse(readFileSync(join(folder, "agent.json"), "utf8")) as KillAgent;
const host = await Host.open({
  store: await openSqliteStore(join(folder, "data")),
  claude: { command: agent.command, prefixArgs: agent.prefixArgs, version: "2.1.325" },
  environment: () => ({ HOME: home, TMPDIR: home, ...agent.env }),
  dataDirId,
});

const hashOf = (event: Event): string => createHash("sha1").update(JSON.stringify(event)).digest("hex");

const watch = (session: Session): void => {
  session.subscribe((event) => {
    if (event.type === "streamed") return;
    say(`fact ${session.id} ${event.seq} ${hashOf(event)}`);
    const request = permissionOf(event);
    if (request === undefined) return;
    void session
      .respond(request, { behavior: "allow" })
      .then(() => say(`answer ${session.id} ${request}`))
      // The request was withdrawn, or its process is gone. The log says which.
      .catch(() => {});
  });
};

const permissionOf = (event: Event): string | undefined => {
  if (event.type !== "received") return undefined;
  const message = event.message as { type?: string; request_id?: string; request?: { subtype?: string } };
  return message.type === "control_request" && message.request?.subtype === "can_use_tool"
    ? message.request_id
    : undefined;
};

const isResult = (event: Event | Streamed): boolean =>
  event.type === "received" && (event.message as { type?: string }).type === "result";

const begin = async (): Promise<Session> => {
  const session = await host.start({ cwd: home });
  watch(session);
  return session;
};

const goOn = async (id: string): Promise<Session> => {
  // Before the process starts, so that the first facts count too.
  watch(host.get(id));
  try {
    return await host.resume(id);
  } catch (error) {
    say(`refused ${id} ${error instanceof Error ? error.message.replaceAll(" ", "-") : ""}`);
    return begin();
  }
};

let slow = 0;

const converse = async (id: string | undefined): Promise<never> => {
  const session = id === undefined ? await begin() : await goOn(id);
  for (;;) {
    const finished = new Promise<void>((resolve) => {
      const stop = session.subscribe((event) => {
        if (!isResult(event)) return;
        stop();
        resolve();
      });
    });
    const prompt = PROMPTS[Math.floor(random() * PROMPTS.length)]!;
    const { uuid } = await session.prompt(prompt, { uuid: randomUUID() });
    say(`prompt ${session.id} ${uuid}`);
    if (prompt === "a slow tool" && ++slow === SESSIONS) say("stuck");
    await finished;
  }
};

say("ready");
const known = host.list().map(({ id }) => id);
await Promise.all(Array.from({ length: SESSIONS }, (_, index) => converse(known[index])));
