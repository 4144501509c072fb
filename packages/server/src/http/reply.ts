// How the server answers over HTTP: the headers of every answer, and the policy of the page, in one place. There is no
// Strict-Transport-Security on purpose: it ignores ports, and would also force HTTPS on every other server of the same
// host.

import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

export interface ReplyError {
  readonly code: string;
  readonly message: string;
}

/** For everything except the page: if someone opens it, it may do nothing. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/** For the page's scripts. A worker uses the policy of its own file, and loads its own parts. */
export const SCRIPT =
  "default-src 'none'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/** The page's service worker: it loads the page's files, answers requests over the socket, and shows our icon. */
export const workerPolicy = (socket: string): string => `${SCRIPT}; connect-src 'self' ${socket}; img-src 'self'`;
/** For content that people and agents made: it may not even use our origin. */
export const SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const EVERY: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex",
  "permissions-policy": "camera=(), geolocation=(), microphone=(self), payment=(), usb=(), browsing-topics=()",
  "content-security-policy": NOTHING,
  "cache-control": "no-store",
};

/** `socket`: the address of the page's WebSocket, because not every browser accepts 'self' for it. */
export const pagePolicy = (socket: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "media-src 'self' blob:",
    "manifest-src 'self'",
    "worker-src 'self'",
    `connect-src 'self' ${socket}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    // The page's own policies: for the addresses of its scripts, and for diagram markup in documents that load nothing.
    "trusted-types quarterdeck-worker quarterdeck-diagram-inert",
  ].join("; ");

export const reply = (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = "",
): void => {
  response.writeHead(status, { ...EVERY, ...headers, "content-length": String(Buffer.byteLength(body)) });
  response.end(response.req.method === "HEAD" ? undefined : body);
};

export interface StreamedBody {
  /** In bytes. Without it, the client learns the length at the end. */
  readonly size?: number;
  readonly body: AsyncIterable<Uint8Array | string>;
}

/**
 * The same headers for a streamed body. A body with an announced size must have exactly this size on the wire: more
 * bytes would be read as the next response. A body that is too short, or that fails, closes the connection.
 */
export const replyStream = async (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  { size, body }: StreamedBody,
): Promise<void> => {
  const length = size === undefined ? {} : { "content-length": String(size) };
  response.writeHead(status, { ...EVERY, ...headers, ...length });
  const sent = size === undefined ? body : exactly(size, body);
  await pipeline(Readable.from(sent, { objectMode: false }), response).catch((error: unknown) => {
    response.destroy();
    // A file that shrinks while it is read, and a client that leaves, are not our errors.
    if (!(error instanceof ShortBody) && !GONE.has((error as NodeJS.ErrnoException).code)) throw error;
  });
};

class ShortBody extends Error {}
const GONE: ReadonlySet<unknown> = new Set(["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE"]);

async function* exactly(size: number, body: StreamedBody["body"]): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const chunk of body) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    if (left > 0) yield bytes.subarray(0, left);
    left -= bytes.length;
    if (left <= 0) return;
  }
  if (left > 0) throw new ShortBody(`${String(left)} bytes of ${String(size)} are missing.`);
}

export const replyJson = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void =>
  reply(response, status, { "content-type": "application/json; charset=utf-8", ...headers }, JSON.stringify(value));

export const replyError = (
  response: ServerResponse,
  status: number,
  error: ReplyError,
  headers: Readonly<Record<string, string>> = {},
): void => replyJson(response, status, { error }, headers);

/** Answers a failed upgrade, and requests that are not HTTP. Node has no response object for these. */
export const rawReply = (status: number, reason: string, error: ReplyError): string => {
  const body = JSON.stringify({ error });
  const headers = { ...EVERY, "content-type": "application/json; charset=utf-8", connection: "close" };
  return [
    `HTTP/1.1 ${String(status)} ${reason}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${String(Buffer.byteLength(body))}`,
    "",
    body,
  ].join("\r\n");
};
