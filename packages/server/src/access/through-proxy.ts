// Where a request comes from: its host, whether it is encrypted, and the address of its client, directly or as a proxy says. It
// decides nothing about devices.

import { BlockList, isIP } from "node:net";
import { ServerError } from "../server-error.ts";

export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/iu, "");

export const isLoopback = (address: string): boolean => {
  const plain = plainAddress(address);
  return plain === "::1" || (isIP(plain) === 4 && plain.startsWith("127."));
};

export const blockListOf = (addresses: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const address of addresses) {
    const [base = "", bits] = address.split("/");
    const family = isIP(base);
    const type = family === 6 ? "ipv6" : "ipv4";
    const most = family === 6 ? 128 : 32;
    const length = bits === undefined ? most : Number(bits);
    if (family === 0 || !Number.isInteger(length) || length < 0 || length > most) {
      throw new ServerError(
        `${address} is not an address or a network. Use --proxy with a value such as 10.0.0.2 or 10.0.0.0/24.`,
      );
    }
    list.addSubnet(base, length, type);
  }
  return list;
};

/** The parts of a request that a proxy may have written. */
export interface Arrived {
  readonly isEncrypted: boolean;
  readonly header: (name: string) => string | undefined;
}

type Seen =
  | { readonly ok: true; readonly host: string | undefined; readonly isSecure: boolean; readonly remote: string }
  | { readonly ok: false; readonly message: string };

/**
 * What the proxy says about the request. Such headers of other clients are ignored. A page of another site can send
 * them too, from this machine, but it cannot choose the `Host`. So the `Host` must always be allowed.
 */
export const throughProxy = (
  arrived: Arrived,
  address: string,
  allowedHosts: ReadonlySet<string>,
  proxies: BlockList | undefined,
): Seen => {
  const own = arrived.header("host");
  const direct: Seen = { ok: true, host: own, isSecure: arrived.isEncrypted, remote: address };
  if (proxies === undefined) return direct;
  const [protocol, host, chain] = ["proto", "host", "for"].map((name) => arrived.header(`x-forwarded-${name}`));
  const isProxy = proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  if (!isProxy || (protocol ?? host ?? chain) === undefined) {
    if (!isLoopback(address)) return { ok: false, message: "Only the proxy may connect here." };
    // A command on this machine does not come through the proxy. A forwarded request has these headers.
    const isForwarded = isProxy && (arrived.header("forwarded") ?? arrived.header("via")) !== undefined;
    return isForwarded ? { ok: false, message: UNSAID } : direct;
  }
  if (protocol !== "https") return { ok: false, message: UNSAID };
  if (host !== undefined && (own === undefined || !allowedHosts.has(own))) {
    return {
      ok: false,
      message: "The proxy must send an allowed Host: keep the visitor's Host, or use --allow-host.",
    };
  }
  return { ok: true, host: host ?? own, isSecure: true, remote: lastAddress(chain) ?? address };
};

const UNSAID = "The proxy must use HTTPS and send X-Forwarded-Proto: https.";

/** The address that our proxy added. The visitor controls those before it. */
const lastAddress = (chain: string | undefined): string | undefined => {
  const last = chain?.split(/[,\n]/u).at(-1)?.trim() ?? "";
  const bare = /^\[([^\]]+)\](?::\d+)?$/u.exec(last)?.[1] ?? last.replace(/^(\d+(?:\.\d+){3}):\d+$/u, "$1");
  const plain = plainAddress(bare);
  return isIP(plain) === 0 ? undefined : plain;
};
