// `quarterdeck notify`: the webhooks and ntfy topics of a running server, which checks each address itself.

import { BridgeError } from "@quarterdeck/client";
import type { Client, ParamsOf, ResultOf } from "@quarterdeck/client";
import { cellWidthOf, clip, jsonText } from "../terminal/terminal.ts";
import type { Paint } from "../terminal/terminal.ts";
import { oneLine } from "../terminal/tool-lines.ts";
import { UserError } from "../user-error.ts";
import { needServer } from "./local-client.ts";

export interface NotifyOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly paint: Paint;
}

type Target = ResultOf<"notifications/targets">["targets"][number];
type Kind = Target["kind"];
export type NotifyEvent = (typeof EVENTS)[number];
export const EVENTS = ["waiting", "finished", "failed"] as const;

export interface NewTarget {
  readonly kind: Kind;
  readonly url: string;
  readonly events: readonly NotifyEvent[];
  readonly showsContent: boolean;
  readonly token?: string;
}

export const listTargets = (options: NotifyOptions): Promise<void> =>
  withServer(options, async (client) => {
    const { targets } = await client.call("notifications/targets", {});
    if (options.json) return options.write(`${jsonText(targets, 2)}\n`);
    options.write(
      targets.length === 0
        ? "No target is set. `quarterdeck notify add webhook URL` or `notify add ntfy URL` adds one.\n"
        : tableOf(targets, options.paint),
    );
  });

export const addTarget = (options: NotifyOptions & { readonly target: NewTarget }): Promise<void> =>
  withServer(options, async (client) => {
    const { kind, url, events, showsContent, token } = options.target;
    const { id, secret } = await client.command("notifications/setTarget", {
      kind,
      url,
      choices: choicesOf(events, showsContent),
      ...(token !== undefined && { token }),
    });
    if (options.json) return options.write(`${jsonText({ id, kind, url, ...(secret !== undefined && { secret }) })}\n`);
    if (secret !== undefined) options.write(`${secret}\n`);
    const shownOnce = secret === undefined ? "" : "This secret is shown only once. It signs each message. ";
    options.write(options.paint("dim", `${shownOnce}\`quarterdeck notify test ${id}\` sends a test.\n`));
  });

export const removeTarget = (options: NotifyOptions & { readonly wanted: string }): Promise<void> =>
  withServer(options, async (client) => {
    const { id, url } = await wantedTarget(client, options.wanted);
    await client.command("notifications/removeTarget", { id });
    options.write(options.json ? `${jsonText({ id, url, removed: true })}\n` : `Removed ${oneLine(url)} (${id}).\n`);
  });

/** Resolves to the exit code: 1 if the other server did not take the test. */
export const testTarget = (options: NotifyOptions & { readonly wanted: string }): Promise<number> =>
  withServer(options, async (client) => {
    const { id, url } = await wantedTarget(client, options.wanted);
    const { ok, problem } = await client.command("notifications/testTarget", { id });
    if (options.json) options.write(`${jsonText({ id, url, ok, ...(problem !== undefined && { problem }) })}\n`);
    else options.write(ok ? `${oneLine(url)} took the test.\n` : `${oneLine(url)} failed: ${oneLine(problem ?? "")}\n`);
    return ok ? 0 : 1;
  });

const choicesOf = (
  events: readonly NotifyEvent[],
  showsContent: boolean,
): ParamsOf<"notifications/setTarget">["choices"] => ({
  waiting: events.includes("waiting"),
  finished: events.includes("finished"),
  failed: events.includes("failed"),
  content: showsContent ? "shown" : "hidden",
  quiet: null,
  mutedSessions: [],
  mutedProjects: [],
  mutedMachines: [],
});

/** By its id, or by an address that only one target has. */
const wantedTarget = async (client: Client, wanted: string): Promise<Target> => {
  const { targets } = await client.call("notifications/targets", {});
  const found = targets.filter(({ id, url }) => id === wanted || url === wanted);
  if (found.length > 1) throw new UserError(`${wanted} matches ${String(found.length)} targets. Use the id.`);
  if (found[0] === undefined)
    throw new UserError(`Target ${wanted} does not exist. \`quarterdeck notify\` lists all targets.`);
  return found[0];
};

const withServer = async <T>(options: NotifyOptions, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = await needServer(options);
  try {
    return await work(client);
  } catch (error) {
    throw error instanceof BridgeError ? new UserError(error.message) : error;
  } finally {
    client.close();
  }
};

const tableOf = (targets: readonly Target[], paint: Paint): string => {
  const rows = targets.map(({ id, kind, url, choices, problem }) => [
    kind,
    clip(oneLine(url), 60),
    EVENTS.filter((event) => choices[event]).join(","),
    choices.content,
    problem === undefined ? "" : clip(oneLine(problem), 40),
    id,
  ]);
  const all = [["kind", "address", "events", "content", "problem", "id"], ...rows];
  const widths = all[0]!.map((_, at) => Math.max(...all.map((row) => cellWidthOf(row[at]!))));
  return all
    .map((row, at) => {
      const line = row.map((cell, column) => cell + " ".repeat(widths[column]! - cellWidthOf(cell))).join("  ");
      return `${at === 0 ? paint("dim", line.trimEnd()) : line.trimEnd()}\n`;
    })
    .join("");
};
