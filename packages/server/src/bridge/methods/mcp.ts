// MCP servers: what files and sessions name, changes with a preview, and what Claude Code logged about one.

import { createHash } from "node:crypto";
import type { Session } from "@quarterdeck/host";
import { withoutSecrets } from "@quarterdeck/session";
import { previewChange, readServers, saveChange, withKept } from "../../mcp/mcp-files.ts";
import type { McpPlace, ServerConfig } from "../../mcp/mcp-files.ts";
import { readMcpLog } from "../../mcp/mcp-log.ts";
import { hunksBetween } from "../../files/hunks.ts";
import type { Handlers, Params, Parts } from "../parts.ts";
import { Refusal, unknownSession } from "../../refusal.ts";

const SET_MS = 60_000;

/** Servers that a live process got in mid-session. They end with it. */
const added = new WeakMap<Session, { readonly incarnation: number; readonly servers: Record<string, ServerConfig> }>();

const addedTo = (session: Session | undefined): Record<string, ServerConfig> => {
  const known = session === undefined ? undefined : added.get(session);
  return known !== undefined && session?.isLive === true && known.incarnation === session.head.process?.incarnation
    ? known.servers
    : {};
};

/** Any client may set the servers of a session. Then those are what the next change begins with. */
export const noteServers = (session: Session, servers: unknown): void => {
  const { incarnation = 0 } = session.head.process ?? {};
  added.set(session, { incarnation, servers: servers as Record<string, ServerConfig> });
};

export const mcpMethods = (parts: Parts): Handlers<"mcp/servers" | "mcp/preview" | "mcp/save" | "mcp/log"> => {
  const { host, store, configFolder, summaries, trust, dataDir, log } = parts;

  const placeOf = (session: string): McpPlace => {
    const record = store.session(session);
    if (record === undefined) throw unknownSession(session);
    const cwd = host.view(session).head.cwd ?? record.cwd;
    return { cwd, project: summaries.projectOf(cwd), configFolder };
  };

  /** The servers of the session after the change. */
  const changedIn = (
    session: string,
    { name, config }: Pick<Params<"mcp/save">, "name" | "config">,
  ): { readonly before: Record<string, ServerConfig>; readonly after: Record<string, ServerConfig> } => {
    const before = addedTo(host.opened(session));
    const { [name]: old, ...others } = before;
    if (config === null && old === undefined)
      throw new Refusal("not-found", `The session has no server ${name} of its own.`, { name });
    return { before, after: config === null ? others : { ...others, [name]: withKept(config, old) } };
  };
  const hashOf = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");
  const shown = (servers: unknown): string => `${JSON.stringify({ mcpServers: withoutSecrets(servers) }, null, 2)}\n`;

  return {
    "mcp/servers": async ({ session }) => {
      const { servers, problems } = await readServers(placeOf(session));
      const own = Object.entries(addedTo(host.opened(session)));
      return {
        servers: [
          ...own.map(([name, config]) => ({ name, scope: "session" as const, config: hidden(config) })),
          ...servers.map((server) => ({ ...server, config: hidden(server.config) })),
        ],
        problems: [...problems],
      };
    },

    "mcp/preview": async ({ session, scope, name, config }) => {
      const place = placeOf(session);
      if (scope !== "session") return previewChange(place, { scope, name, config });
      const { before, after } = changedIn(session, { name, config });
      return { hash: hashOf(before), creates: false, hunks: hunksBetween(shown(before), shown(after)) };
    },

    "mcp/save": async ({ session: id, scope, name, config, hash }, { device }) => {
      const place = placeOf(id);
      log.info("mcp server changed", { by: device.id, session: id, scope, name });
      if (scope !== "session") {
        await saveChange(place, { scope, name, config }, hash, { trust, hidden: [dataDir] });
        return { holdsAfterRestart: true, errors: {} };
      }
      const session = host.opened(id);
      if (session?.isLive !== true)
        throw new Refusal("not-live", "This session has no process. Resume it.", { session: id });
      const { before, after } = changedIn(id, { name, config });
      if (hashOf(before) !== hash)
        throw new Refusal("changed", "The servers changed since they were shown. Look at the change again.");
      const answer = await session.request({ subtype: "mcp_set_servers", servers: after }, { timeoutMs: SET_MS });
      noteServers(session, after);
      // The head gets what is there now.
      await session.request({ subtype: "mcp_status" }, { timeoutMs: SET_MS }).catch(() => undefined);
      const errors = Object.entries(answer.errors).map(([of, why]) => [of, String(withoutSecrets(why))] as const);
      return { holdsAfterRestart: false, errors: Object.fromEntries(errors) };
    },

    "mcp/log": async ({ session, server }) => {
      const { cwd } = placeOf(session);
      const { path, lines } = await readMcpLog(parts.cacheFolder, cwd, server);
      return { lines, ...(path !== undefined && { path }) };
    },
  };
};

const hidden = (config: ServerConfig): Record<string, unknown> => withoutSecrets(config) as Record<string, unknown>;
