// The names of the server, derived from how it was started, and whether it may be started like that. A name is allowed
// only if the user wrote it. None is guessed, and there are no wildcards.

import { isIP } from "node:net";
import { ServerError } from "../server-error.ts";
import type { Doors } from "./access.ts";
import { isLoopback } from "./through-proxy.ts";

export interface DoorOptions {
  /** The address to listen on. */
  readonly host: string;
  readonly isTls: boolean;
  /** `name` or `name:port`, as in a browser's address bar. */
  readonly allowHosts: readonly string[];
  /** With `--behind-proxy`: addresses of proxies that may name the outer address. */
  readonly proxies?: readonly string[];
}

const EVERYWHERE = new Set(["0.0.0.0", "::", ""]);

const isLocal = (host: string): boolean => host === "localhost" || isLoopback(host);

/** Refuses options that would send keys over an unencrypted connection, or accept names that the user did not write. */
export const refuseOpenDoors = ({ host, isTls, allowHosts, proxies }: DoorOptions): void => {
  for (const name of allowHosts) {
    if (
      !/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])(?::\d{1,5})?$/u.test(
        name,
      )
    ) {
      throw new ServerError(
        `--allow-host ${name}: write the name as in the address bar, such as deck.example.com or deck.example.com:8443. Wildcards are not supported.`,
      );
    }
  }
  if (proxies !== undefined && allowHosts.length === 0) {
    throw new ServerError("--behind-proxy needs --allow-host with the name that people use, such as deck.example.com.");
  }
  if (isLocal(host)) return;
  if (!isTls && proxies === undefined) {
    throw new ServerError(
      `Without TLS on ${host}, others on the network could read and change everything, and browsers would not create ` +
        "keys for the page. Use --tls-cert and --tls-key, or listen on this machine only, behind a proxy with TLS " +
        "(--behind-proxy), or use `tailscale serve`. `npx quarterdeck serve --help` lists each.",
    );
  }
  if (EVERYWHERE.has(host) && allowHosts.length === 0) {
    throw new ServerError(
      `To listen on every address (${host}), use --allow-host with each name that people use, such as deck.example.com.`,
    );
  }
};

export const doorsFor = ({ host, isTls, allowHosts, proxies }: DoorOptions, port: number): Doors => {
  const scheme = isTls ? "https" : "http";
  const own = EVERYWHERE.has(host) ? [] : [hostAndPort(host === "localhost" ? "127.0.0.1" : host, port, scheme)];
  // `quarterdeck ls` and similar commands always use this name.
  const local = EVERYWHERE.has(host) ? [hostAndPort("127.0.0.1", port, scheme)] : [];
  const outer = proxies === undefined ? scheme : "https";
  const allowed = allowHosts.map((name) => {
    const hasPort = /\]:|^[^[]*:/u.test(name);
    return hasPort || proxies !== undefined ? withoutDefault(name, outer) : hostAndPort(name, port, outer);
  });
  const origins = [...own.map((name) => `${scheme}://${name}`), ...allowed.map((name) => `${outer}://${name}`)];
  const aliases = isLocal(host) ? [hostAndPort("localhost", port, scheme)] : [];
  return {
    hosts: new Set([...own, ...local, ...allowed]),
    origins: new Set(origins),
    // `localhost` may also mean another address where another program listens, so the page is never served under it.
    aliases: new Set(aliases.filter((name) => !allowed.includes(name))),
    linkOrigin: allowed.length === 0 ? origins[0]! : `${outer}://${allowed[0]!}`,
    ...(proxies !== undefined && { proxies }),
  };
};

/** The form that browsers use: IPv6 in brackets, without the default port. */
const hostAndPort = (name: string, port: number, scheme: string): string =>
  withoutDefault(`${isIP(name) === 6 ? `[${name}]` : name}:${String(port)}`, scheme);

const withoutDefault = (name: string, scheme: string): string =>
  name.replace(scheme === "https" ? /:443$/u : /:80$/u, "");
