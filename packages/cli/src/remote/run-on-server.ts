// `quarterdeck run` if a server uses the data directory: the same command, as a client of that server. Others see the
// session while it runs, and the first answer counts.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { BridgeError } from "@quarterdeck/client";
import type { Client, ParamsOf, SessionView } from "@quarterdeck/client";
import { isRecord } from "@quarterdeck/protocol";
import type { ClaudeOptions, JsonOption } from "@quarterdeck/protocol";
import { didNotRun, isOver } from "@quarterdeck/session";
import type { TurnRow } from "@quarterdeck/session";
import { HeldOutput } from "../terminal/held-output.ts";
import { openKeyboard } from "../terminal/printer.ts";
import type { RunOptions } from "../run/run-options.ts";
import type { SessionOutput } from "../terminal/terminal.ts";
import { flagOf } from "../run/run-args.ts";
import { leftOutNotice, trustedNotice } from "../run/trust-notice.ts";
import { Printout } from "../terminal/printout.ts";
import { UserError } from "../user-error.ts";
import { everySession, findSession, ready } from "./find-session.ts";
import { followInJson, followInText } from "./follow-session.ts";
import { Questions } from "./questions.ts";
import { explained } from "./remote-client.ts";

/** Exit codes like `run`. */
export const runOnServer = async (client: Client, options: RunOptions): Promise<number> => {
  const { claude, resume, prompt: content } = options;
  try {
    if (claude !== undefined)
      throw new UserError(
        "A server uses this data directory and runs its own claude. Omit --claude, or choose another --data-dir.",
      );
    const session = await (resume === undefined
      ? startedUnlessStopped(client, options)
      : resumed(client, resume, options));
    if (session === undefined) return 130;
    try {
      return await playTurn(client, session.id, { content }, options);
    } finally {
      // Like without a server: the session stays, its process does not. A script with a hundred runs leaves no process.
      if (!session.wasLive) await client.command("sessions/close", { session: session.id });
    }
  } catch (error) {
    throw explained(error, options.on);
  } finally {
    client.close();
  }
};

/**
 * The start may wait for a place. That is reported, and a stop ends the wait. If it starts later, the session is idle
 * and can give up its place.
 */
const startedUnlessStopped = async (client: Client, options: RunOptions): Promise<Started | undefined> => {
  const { signal, say } = options;
  const stopped = Promise.withResolvers<undefined>();
  const stop = (): void => stopped.resolve(undefined);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const stopTelling = client.onNotice(({ code, text }) => {
    if (code === "no-room") say(`${text}\n`);
  });
  try {
    return await Promise.race([started(client, options), stopped.promise]);
  } finally {
    stopTelling();
    signal.removeEventListener("abort", stop);
  }
};

export const resumed = async (
  client: Pick<Client, "call" | "command">,
  wanted: string,
  { trust, cli, say }: Pick<RunOptions, "trust" | "cli" | "say">,
): Promise<Started> => {
  const { id, cwd, live } = await findSession(client, wanted);
  if (trust) await trusted(client, cwd, say);
  const settings = settingsOf(cli);
  if (live) {
    refuseFixed(id, cli);
    const { model, permissionMode: mode } = cli;
    if (model !== undefined) await client.command("session/setModel", { session: id, model });
    if (mode !== undefined) await client.command("session/setPermissionMode", { session: id, mode });
  } else if (Object.keys(settings).length > 0) await client.command("sessions/resume", { session: id, settings });
  return { id, wasLive: live };
};

/** Only two of the flags can change while the process runs. */
const refuseFixed = (id: string, cli: ClaudeOptions): void => {
  const [fixed] = Object.keys(cli).filter((name) => name !== "model" && name !== "permissionMode");
  if (fixed !== undefined)
    throw new UserError(
      `Session ${id.slice(0, 8)} already runs, and its process keeps its flags. Omit ${flagOf(fixed)}, or stop the process on the page first.`,
    );
};

interface Started {
  readonly id: string;
  /** It had a process before, which another caller may use. */
  readonly wasLive: boolean;
}

const started = async (client: Client, options: RunOptions): Promise<Started> => {
  const { cwd: folder, trust, cli, say, sessionId, continues, on } = options;
  const cwd = on === undefined ? resolve(folder) : folder;
  const before = sessionId === undefined && continues !== true ? [] : await everySession(client);
  if (before.some(({ id }) => id === sessionId)) throw new UserError(`Session ${sessionId} already exists.`);
  const inspection = trust ? await trusted(client, cwd, say) : await client.call("projects/inspect", { cwd });
  const isUntrusted = !trust && inspection.trust !== "trusted" && inspection.files.length > 0;
  if (isUntrusted) say(leftOutNotice(inspection));
  const settings = settingsOf(cli);
  const start = {
    cwd,
    settings,
    ...(sessionId !== undefined && { commandId: sessionId }),
    ...(isUntrusted && { withoutFolderSettings: true }),
  };
  const starting =
    continues === true
      ? client.command("sessions/start", { ...start, continue: true }).catch((error: unknown) => {
          // There is no conversation yet. Claude Code starts one then, too.
          if (error instanceof BridgeError && error.code === "not-found")
            return client.command("sessions/start", start);
          throw error;
        })
      : client.command("sessions/start", start);
  const { session } = await starting;
  const wasLive = before.some(({ id, live }) => live && id === session.id);
  if (wasLive) refuseFixed(session.id, cli);
  return { id: session.id, wasLive };
};

/** The server reads no file that we name: it gets the contents. */
const settingsOf = ({ settings, mcpConfig, dangerouslySkipPermissions, ...cli }: ClaudeOptions): StartSettings =>
  ({
    ...cli,
    ...(settings !== undefined && { settings: jsonAt("--settings", settings) }),
    ...(mcpConfig !== undefined && { mcpConfig: mcpConfig.map((one) => jsonAt("--mcp-config", one)) }),
    ...(dangerouslySkipPermissions === true && {
      allowDangerouslySkipPermissions: true,
      permissionMode: "bypassPermissions",
    }),
  }) as StartSettings;
type StartSettings = NonNullable<ParamsOf<"sessions/start">["settings"]>;

const jsonAt = (flag: string, given: JsonOption | string): JsonOption => {
  if (typeof given !== "string") return given;
  try {
    const read: unknown = JSON.parse(readFileSync(given, "utf8"));
    if (isRecord(read)) return read;
  } catch (error) {
    throw new UserError(`${flag}: ${given} cannot be read: ${(error as Error).message}`);
  }
  throw new UserError(`${flag}: ${given} must contain a JSON object.`);
};

/** Trusts the folder as it is now. */
const trusted = async (client: Pick<Client, "call" | "command">, cwd: string, say: RunOptions["say"]) => {
  const inspection = await client.call("projects/inspect", { cwd });
  const { hash, files } = inspection;
  const outcome = await client.command("projects/trust", { cwd, hash, trusted: true });
  if (inspection.trust !== "trusted" && files.length > 0) say(trustedNotice(inspection));
  return outcome;
};

export interface TurnOptions extends SessionOutput {
  /** Other clients answer requests. Otherwise requests are denied if nobody is here. */
  readonly leavesQuestions?: boolean;
  /** The machine of the session, if it is another one. */
  readonly on?: string;
}

type Prompt = Pick<ParamsOf<"session/prompt">, "content" | "uploads" | "priority">;

/** Sends one prompt and writes its turn as it arrives. */
export const playTurn = async (client: Client, id: string, prompt: Prompt, options: TurnOptions): Promise<number> => {
  const { json, signal, paint, write, interactive } = options;
  const output = new HeldOutput();
  const say = output.through(options.say);
  const asksHere = interactive && !json && options.leavesQuestions !== true;
  const view = client.session(id);
  await ready(view);
  const commandId = randomUUID();
  const printout = new Printout({
    ...options,
    write: output.through(write),
    showsRequests: !asksHere,
    // The user typed it here.
    hidesPrompt: ({ uuid }) => uuid === commandId,
  });
  const follower = json
    ? followInJson({
        client,
        view,
        after: (await client.call("session/events", { session: id, seqs: [] })).lastSeq,
        write,
      })
    : followInText(view, printout, view.snapshot.rows.at(-1)?.order ?? 0);
  const keyboard = interactive && !json ? openKeyboard() : undefined;
  const questions = new Questions(
    client,
    view,
    options.leavesQuestions === true
      ? { kind: "leave" }
      : keyboard === undefined
        ? { kind: "refuse" }
        : { kind: "ask", keyboard, output, caughtUp: () => follower.caughtUp() },
  );
  const stop = (): void => {
    client.command("session/interrupt", { session: id, holdQueue: true }).catch(() => {
      // The turn has ended meanwhile.
    });
  };
  signal.addEventListener("abort", stop, { once: true });
  const unbegun = Promise.withResolvers<never>();
  // It may reject before anything awaits it.
  unbegun.promise.catch(() => {});
  const stopTelling = client.onNotice(({ code, text, session }) => {
    if (code === "no-room") say(`${text}\n`);
    if (code === "session-failed" && session === id) unbegun.reject(new UserError(text));
  });
  try {
    const { rowId } = await client.command("session/prompt", { session: id, commandId, ...prompt });
    if (signal.aborted) stop();
    const turn = await Promise.race([turnOf(view, rowId), unbegun.promise]);
    await follower.caughtUp();
    printout.end();
    const where = options.on === undefined ? "" : ` --on ${options.on}`;
    if (!json)
      say(`\n  ${paint("dim", `quarterdeck run --resume ${id.slice(0, 8)}${where} "…" continues this session.`)}\n`);
    if (signal.aborted) return 130;
    if (turn?.ok !== true) return 1;
    return questions.refused ? 3 : 0;
  } finally {
    stopTelling();
    follower.stop();
    questions.stop();
    signal.removeEventListener("abort", stop);
    keyboard?.close();
  }
};

/** The turn that answered this prompt. Undefined if the process ended or the prompt did not run. */
const turnOf = (view: SessionView, rowId: string): Promise<TurnRow | undefined> =>
  new Promise((resolveTurn, reject) => {
    const look = (): void => {
      const { rows, head, status, error } = view.snapshot;
      const turn = rows.findLast((row) => row.kind === "turn" && row.prompts.includes(rowId));
      const prompt = rows.findLast((row) => row.id === rowId);
      const state = prompt?.kind === "prompt" ? prompt.state : undefined;
      const isDead = isOver(head.phase) && state !== undefined && state !== "accepted";
      if (status === "failed") reject(new UserError(error?.message ?? "The session no longer exists."));
      else if (turn === undefined && !isDead && !(state !== undefined && didNotRun(state))) return;
      else resolveTurn(turn?.kind === "turn" ? turn : undefined);
      stop();
    };
    const stop = view.subscribe(look);
    look();
  });
