// How the server answers over HTTP: the headers that every answer carries, and the policy of the page. One place, so that the
// whole of it can be read. There is no Strict-Transport-Security on purpose: it ignores ports, and would take every
// other plain server on the same host with it.

import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

export interface ReplyError {
  readonly code: string;
  readonly message: string;
}

/** For what is not the page: it may do nothing at all, should somebody open it. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/** For the page's scripts: a worker lives by its own file's policy, and loads parts of itself. */
export const SCRIPT =
  "default-src 'none'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/** For what people and agents made: not even our origin. */
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

/** `socket`: where the page's WebSocket is; not every browser takes 'self' for it. */
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
    // The page's own, by name: addresses of its scripts, and markup of diagrams in documents that load nothing.
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
  /** In bytes. Absent: the client learns the length at the end. */
  readonly size?: number;
  readonly body: AsyncIterable<Uint8Array | string>;
}

/**
 * The same headers for a body that comes piece by piece. A body of an announced size has exactly this size on the wire: bytes beyond
 * it would be read as the next response. A body that is too short, or that fails, closes the connection.
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
    // A file that shrinks while it is read, and a client that goes away, are no faults of ours.
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

/** An answer to an upgrade that is none, and to requests that are not HTTP: there is no response object for these. */
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
