// The only way out for notifications. Addresses come from devices and admins, so they may be hostile. Only https to
// public hosts is allowed. This is checked when an address is saved, and again after its name was resolved. Redirects
// are not followed, and answers are not read. Hosts that the person at the server's machine named (`--notify-host`) are
// exempt, exactly as they are written.

import { lookup } from "node:dns";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { BlockList, isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { Agent as HttpAgent, request as httpRequest } from "../http/node-http.ts";

export interface Outbound {
  /** Why the address may not be used, or undefined. */
  problemOf(address: string): string | undefined;
  send(order: Order): Promise<Delivery>;
  close(): void;
}

export interface Order {
  readonly url: string;
  readonly method: "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** `status` is 0 if there was no answer. */
export interface Delivery {
  readonly status: number;
  readonly retryAfterMs?: number;
  readonly problem?: string;
}

const LONGEST_ADDRESS = 2000;
const ANSWER_MS = 10_000;
const MOST_ANSWER_BYTES = 64 * 1024;
const LONGEST_RETRY_MS = 60 * 60_000;

/** Special-purpose networks (RFC 6890 and its successors): nothing in them is a public server. */
const SPECIAL: readonly (readonly [string, number, "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.88.99.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
];
/** Only this part of IPv6 has public hosts. Networks inside it that embed other addresses are taken out again. */
const PUBLIC_IPV6 = new BlockList();
PUBLIC_IPV6.addSubnet("2000::", 3, "ipv6");
const PRIVATE = new BlockList();
for (const [network, bits, family] of SPECIAL) PRIVATE.addSubnet(network, bits, family);
for (const [network, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  PRIVATE.addSubnet(network, bits, "ipv6");

export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address);
  if (family === 4) return !PRIVATE.check(address, "ipv4");
  return family === 6 && PUBLIC_IPV6.check(address, "ipv6") && !PRIVATE.check(address, "ipv6");
};

class PrivateAddress extends Error {}

/** Resolves a name and refuses it if any of its addresses is not public. The connection uses what was checked. */
export const publicLookup: LookupFunction = (name, options, done) => {
  lookup(name, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, "", 0);
    const addresses = found as unknown as { address: string; family: number }[];
    if (addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address)))
      return done(new PrivateAddress(`${name} is not a public host.`), "", 0);
    if (options.all === true) return done(null, addresses);
    return done(null, addresses[0]!.address, addresses[0]!.family);
  });
};

export const createOutbound = (ownHosts: readonly string[]): Outbound => {
  const own = new Set(ownHosts.map((host) => host.toLowerCase()));
  const open = { keepAlive: true, maxSockets: 16, timeout: ANSWER_MS };
  const agents = {
    public: new HttpsAgent({ ...open, lookup: publicLookup }),
    ownHttps: new HttpsAgent(open),
    ownHttp: new HttpAgent(open),
  };
  const isOwn = (url: URL): boolean => own.has(url.host);

  const problemOf = (address: string): string | undefined => {
    if (address.length > LONGEST_ADDRESS) return "The address is too long.";
    const url = URL.parse(address);
    if (url === null) return "This is not an address.";
    if (url.username !== "" || url.password !== "") return "The address must not contain a password.";
    if (isOwn(url)) return url.protocol === "https:" || url.protocol === "http:" ? undefined : "Use https.";
    if (url.protocol !== "https:") return "Use https.";
    const host = url.hostname.replaceAll(/^\[|\]$/gu, "");
    if (isIP(host) !== 0) return isPublicAddress(host) ? undefined : NOT_PUBLIC;
    const isLocalName =
      !host.includes(".") || /\.(?:localhost|local|internal|home|lan|arpa|test|invalid)\.?$/u.test(host);
    return isLocalName ? NOT_PUBLIC : undefined;
  };

  return {
    problemOf,
    send: ({ url: address, method, headers, body }) =>
      new Promise((resolve) => {
        const problem = problemOf(address);
        if (problem !== undefined) return resolve({ status: 0, problem });
        const url = new URL(address);
        const isPlain = url.protocol === "http:";
        const agent = isPlain ? agents.ownHttp : isOwn(url) ? agents.ownHttps : agents.public;
        const options = {
          agent,
          method,
          headers: { ...headers, "content-length": String(body.length), "user-agent": "Quarterdeck" },
          signal: AbortSignal.timeout(ANSWER_MS),
        };
        const request = (isPlain ? httpRequest : httpsRequest)(url, options, (response) => {
          // What the other server says is not shown to anybody. A short answer is read so that the connection can be used again.
          let left = MOST_ANSWER_BYTES;
          response.on("data", (chunk: Buffer) => {
            left -= chunk.length;
            if (left < 0) response.destroy();
          });
          response.on("error", () => undefined);
          const wait = retryAfter(response.headers["retry-after"]);
          resolve({ status: response.statusCode ?? 0, ...(wait !== undefined && { retryAfterMs: wait }) });
        });
        request.on("error", (error: NodeJS.ErrnoException) =>
          resolve({ status: 0, problem: error instanceof PrivateAddress ? NOT_PUBLIC : (error.code ?? "No answer.") }),
        );
        request.end(body);
      }),
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
};

const NOT_PUBLIC = "This is not a public host. Name it with --notify-host at the server's start if it is yours.";

const retryAfter = (header: string | undefined): number | undefined => {
  const seconds = Number(header);
  return header === undefined || !Number.isFinite(seconds) || seconds < 0
    ? undefined
    : Math.min(seconds * 1000, LONGEST_RETRY_MS);
};
