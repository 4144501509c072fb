// One process of a real CLI that makes the calls of a batch, one after the other, in one turn. The host refuses every request, so
// that only what the CLI allows by itself runs. The environment is built from nothing, and the API is a script on loopback.
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { execFileSync } from "node:child_process";
import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { LineSplitter } from "@quarterdeck/protocol";
import { startApi } from "@quarterdeck/simulator";
import type { Step } from "@quarterdeck/simulator";
import type { Message } from "../drive.ts";
import type { Call, FileSpec, PermissionCase, Verdict } from "./case.ts";
import { changesOf, listingOf, placeFor } from "./place.ts";
import type { Listing, Place } from "./place.ts";
import { verdictOf } from "./verdict.ts";

export interface Program {
  readonly version: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Where sessions run, and the files that they share. The folder is readable for every user. */
export interface Laboratory {
  readonly root: string;
  readonly mcpServer: string;
  readonly base: Readonly<Record<string, FileSpec>>;
}

const NOBODY = 65_534;
const TURN = "LAB-MAIN go";
const PATIENCE_MS = 120_000;

interface Planned {
  readonly id: string;
  readonly call: Call;
  /** The case that is judged by this call. Without it, the host allows the call. */
  readonly judges?: PermissionCase;
}

/** The verdicts in the order of the batch. `undefined`: the session ended before it came to this case. */
export const measure = async (
  batch: readonly PermissionCase[],
  program: Program,
  lab: Laboratory,
): Promise<readonly (Verdict | undefined)[]> => {
  const [first] = batch;
  if (first === undefined) return [];
  const place = placeFor(first, lab.base, lab.root, `${first.id}-${program.version}`);
  const planned = place.fill(plannedOf(batch));
  const subs = batch.flatMap((one) => (one.sub === undefined ? [] : [place.fill(one.sub)]));
  const api = await startApi({
    scenario: {
      name: "permissions",
      scripts: [
        { when: "LAB-SUB", steps: stepsOf(subs.map((call, index) => ({ id: `toolu_lab_sub${String(index)}`, call }))) },
        { when: "LAB-MAIN", steps: stepsOf(planned) },
      ],
    },
  });
  try {
    const { lines, seen, stderr } = await converse(first, planned, program, lab, place, api.url);
    return batch.map((one, index) => {
      const id = one.sub === undefined ? `toolu_lab_${String(index)}` : "toolu_lab_sub0";
      const found = verdictOf(lines, id, place.fill(one.sub ?? one.call));
      if (found !== undefined) return place.blank({ ...found, ...changedBy(seen, id) });
      const reached = lines.some((line) => line.type === "system" && line.subtype === "init");
      return reached && batch.length > 1 ? undefined : place.blank(failed(stderr, lines));
    });
  } finally {
    await api.close();
    place.remove();
  }
};

const failed = (stderr: string, lines: readonly Message[]): Verdict => {
  const result = lines.find((line) => line.type === "result");
  const said = stderr.trim() === "" ? JSON.stringify(result ?? "the session ended") : stderr.trim();
  return { verdict: "error", message: said.slice(0, 400) };
};

const plannedOf = (batch: readonly PermissionCase[]): readonly Planned[] =>
  batch.flatMap((one, index) => [
    // What the first case was granted holds for the others.
    ...(index > 0 && one.grants !== undefined ? [] : (one.before ?? [])).map((call, at) => ({
      id: `toolu_lab_${String(index)}_${String(at)}`,
      call,
    })),
    { id: `toolu_lab_${String(index)}`, call: one.call, ...(one.sub === undefined && { judges: one }) },
  ]);

const stepsOf = (calls: readonly { readonly id: string; readonly call: Call }[]): readonly Step[] => [
  ...calls.map(({ id, call }): Step => ({ say: [{ tool: call.tool, input: call.input, id }] })),
  { say: [{ text: "done" }] },
];

const changedBy = (seen: ReadonlyMap<string, Listing>, id: string): { changed?: readonly string[] } => {
  const [before, after] = [seen.get(`before ${id}`), seen.get(`after ${id}`)];
  const changed = before === undefined || after === undefined ? [] : changesOf(before, after);
  return changed.length === 0 ? {} : { changed };
};

interface Conversation {
  readonly lines: readonly Message[];
  readonly seen: ReadonlyMap<string, Listing>;
  readonly stderr: string;
}

const converse = async (
  setup: PermissionCase,
  planned: readonly Planned[],
  program: Program,
  lab: Laboratory,
  place: Place,
  apiUrl: string,
): Promise<Conversation> => {
  const lines: Message[] = [];
  const seen = new Map<string, Listing>();
  let stderr = "";
  let ended = false;
  let wake: () => void = () => undefined;
  const child = start(setup, program, lab, place, apiUrl);
  const splitter = new LineSplitter();
  const send = (message: unknown): void => {
    if (child.stdin.writable) child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  // The exit tells the story of a process that ends while we write.
  child.stdin.on("error", () => undefined);
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.on("data", (chunk: Buffer) => {
    for (const line of splitter.push(chunk)) {
      const message = typeof line === "string" ? objectIn(line) : undefined;
      if (message === undefined) continue;
      lines.push(message);
      const answer = answerTo(message, planned, setup, place);
      if (answer !== undefined) send(answer);
      for (const id of usesIn(message)) seen.set(`before ${id}`, listingOf(place.box));
      for (const id of resultsIn(message)) seen.set(`after ${id}`, listingOf(place.box));
    }
    wake();
  });
  const closed = new Promise<void>((resolve) => {
    child.on("close", () => {
      ended = true;
      wake();
      resolve();
    });
    child.on("error", (error) => (stderr += error.message));
  });
  const until = async (isIt: (message: Message) => boolean): Promise<Message | undefined> => {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = lines.find(isIt);
      if (found !== undefined || ended || Date.now() > deadline) return found;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1000);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const request = (id: string, subtype: string): Promise<Message | undefined> => {
    send({ type: "control_request", request_id: id, request: { subtype } });
    return until((line) => line.type === "control_response" && (line.response as Message).request_id === id);
  };

  await request("lab_init", "initialize");
  if (setup.mcp !== undefined) await serversConnected(request, () => ended);
  const content = setup.prompt ?? TURN;
  send({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" });
  await until((line) => line.type === "result");
  child.stdin.end();
  if (!ended) child.kill("SIGKILL");
  await closed;
  return { lines, seen, stderr };
};

const serversConnected = async (
  request: (id: string, subtype: string) => Promise<Message | undefined>,
  isOver: () => boolean,
): Promise<void> => {
  for (let round = 0; round < 60 && !isOver(); round++) {
    const answer = (await request(`lab_mcp${String(round)}`, "mcp_status"))?.response as Message | undefined;
    const servers = (answer?.response as Message | undefined)?.mcpServers as readonly Message[] | undefined;
    if (servers?.every(({ status }) => status === "connected") === true) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

const start = (
  setup: PermissionCase,
  program: Program,
  lab: Laboratory,
  place: Place,
  apiUrl: string,
): ChildProcessWithoutNullStreams => {
  const flags = [...place.fill(setup.flags ?? [])];
  if (setup.mcp !== undefined) {
    const servers = Object.entries(setup.mcp).map(([name, tools]) => [
      name,
      { type: "stdio", command: process.execPath, args: [lab.mcpServer, tools.join(",")] },
    ]);
    flags.push("--mcp-config", JSON.stringify({ mcpServers: Object.fromEntries(servers) as unknown }));
  }
  const stream = ["--output-format", "stream-json", "--input-format", "stream-json", "--verbose"];
  const argv = [...program.args, ...stream, "--permission-prompt-tool", "stdio", ...flags];
  const proxy = { HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1" };
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: place.home,
    NODE_COMPILE_CACHE: join(lab.root, "compiled"),
    ANTHROPIC_API_KEY: "sk-ant-fake-key-for-a-scripted-api",
    ANTHROPIC_BASE_URL: apiUrl,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    ...(setup.web === true && proxy),
    ...place.fill(setup.env ?? {}),
  };
  const cwd = setup.start === undefined ? place.cwd : join(place.cwd, setup.start);
  const isRoot = process.getuid?.() === 0;
  const uid = isRoot && setup.root !== true ? NOBODY : undefined;
  if (uid !== undefined) execFileSync("chown", ["-hR", `${String(uid)}:${String(uid)}`, place.box]);
  if (setup.settings?.policy !== undefined) {
    const [command, args] = withPolicy(place.fill(setup.settings.policy), program.command, argv, place);
    return spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  }
  const who = uid === undefined ? {} : { uid, gid: uid };
  return spawn(program.command, argv, { cwd, env, stdio: ["pipe", "pipe", "pipe"], ...who });
};

/** Only this process sees the managed settings: /etc has one more folder in its own mount namespace. */
const withPolicy = (
  policy: unknown,
  command: string,
  argv: readonly string[],
  place: Place,
): readonly [string, readonly string[]] => {
  const folder = join(place.box, "etc", "claude-code");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "managed-settings.json"), typeof policy === "string" ? policy : JSON.stringify(policy));
  const script =
    'mount -t overlay overlay -o "lowerdir=$1:/etc" /etc && shift && exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"';
  return ["unshare", ["-m", "sh", "-c", script, "sh", join(place.box, "etc"), command, ...argv]];
};

const answerTo = (
  message: Message,
  planned: readonly Planned[],
  setup: PermissionCase,
  place: Place,
): Message | undefined => {
  const request = message.request as Message | undefined;
  if (message.type !== "control_request" || request?.subtype !== "can_use_tool") return undefined;
  const call = planned.find(({ id }) => id === request.tool_use_id);
  const isFree = call !== undefined && call.judges === undefined;
  const grants = call?.id === "toolu_lab_0_0" && setup.grants !== undefined;
  const response = isFree
    ? {
        behavior: "allow",
        updatedInput: request.input,
        ...(grants && { updatedPermissions: place.fill(setup.grants) }),
      }
    : { behavior: "deny", message: "The lab refuses every request." };
  return {
    type: "control_response",
    response: { subtype: "success", request_id: message.request_id, response },
  };
};

const blocksIn = (message: Message, type: string): readonly Message[] => {
  const content = message.type === type ? (message.message as Message).content : undefined;
  return Array.isArray(content) ? (content as Message[]) : [];
};
const usesIn = (message: Message): readonly string[] =>
  blocksIn(message, "assistant").flatMap((block) => (block.type === "tool_use" ? [String(block.id)] : []));
const resultsIn = (message: Message): readonly string[] =>
  blocksIn(message, "user").flatMap((block) => (block.type === "tool_result" ? [String(block.tool_use_id)] : []));

const objectIn = (line: string): Message | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Message) : undefined;
  } catch {
    // Not every line of older versions is JSON.
    return undefined;
  }
};
