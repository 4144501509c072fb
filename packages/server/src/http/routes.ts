// Every path that the server answers, and what a request needs for it. Requests are matched only here. The test next to
// this file lists the routes that are open to anyone, and fails for a route that it does not know.

import { extname } from "node:path";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { BRIDGE_PATH, includesRole } from "@quarterdeck/session/bridge";
import type { Role } from "@quarterdeck/session/bridge";
import { ROUTE_ROLES } from "@quarterdeck/session/bridge/policy";
import type { EntryAnswer, AccessNeed, ServerAccess } from "../access/access.ts";
import type { Metrics, UploadFailure } from "./contract.ts";
import { machinePathOf } from "./gateway.ts";
import type { Gateway } from "./gateway.ts";
import { encodingFor } from "./page.ts";
import type { Page } from "./page.ts";
import { pagePolicy, reply, replyError, replyJson, replyStream, SANDBOX, SCRIPT, workerPolicy } from "./reply.ts";
import type { TicketDesk } from "./tickets.ts";

/** What the routes need. */
export interface Served {
  readonly access: ServerAccess;
  readonly tickets: TicketDesk;
  readonly page: Page;
  readonly metrics: Metrics;
  /** False while the server shuts down, so that load balancers use another server. */
  readonly isReady: () => boolean;
  /** Pipes requests to other machines of the fleet. */
  readonly gateway?: Gateway;
}

export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Decoded, without query. */
  readonly path: string;
  readonly entry: EntryAnswer & { readonly ok: true };
  /** The request has proof as good as a credential, so its connection is not closed for others. */
  readonly prove: () => void;
}

export interface HttpRoute {
  /** For logs and metrics: the same for all paths of the route. */
  readonly name: string;
  readonly methods: readonly string[];
  readonly matches: (path: string) => boolean;
  readonly need: AccessNeed;
  /** Also for devices that come through a gateway. */
  readonly fleet?: true;
  /** The role that a bearer token needs. */
  readonly role?: Role;
  readonly answer: (visit: Visit, served: Served) => void | Promise<void>;
}

/** The page's service worker. It must be at the top to serve the whole page. */
const WORKER = "/sw.js";
const TICKET = /^\/t\/([\w-]{43})$/u;
const BODY_MS = 10_000;
const READ_OFF_MS = 2000;
const MOST_PAIR_BYTES = 4096;

export const ROUTES: readonly HttpRoute[] = [
  {
    name: "bridge",
    methods: ["GET"],
    matches: (path) => path === BRIDGE_PATH,
    fleet: true,
    need: "challenge",
    answer: ({ response }) =>
      replyError(
        response,
        426,
        { code: "bad-request", message: "This path is a WebSocket." },
        { upgrade: "websocket", connection: "upgrade" },
      ),
  },
  {
    name: "healthz",
    methods: ["GET", "HEAD"],
    matches: (path) => path === "/healthz",
    fleet: true,
    need: "nothing",
    answer: ({ response }, { isReady }) =>
      replyJson(response, isReady() ? 200 : 503, { status: isReady() ? "ok" : "shutting-down" }),
  },
  {
    name: "metrics",
    methods: ["GET"],
    matches: (path) => path === "/metrics",
    need: "token",
    role: ROUTE_ROLES.metrics,
    answer: ({ response }, { metrics }) =>
      reply(response, 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }, metrics.text()),
  },
  {
    name: "pair",
    methods: ["POST"],
    matches: (path) => path === "/pair",
    need: "code",
    answer: (visit, served) => pair(visit, served),
  },
  {
    name: "ticket",
    methods: ["GET", "PUT"],
    matches: (path) => path.startsWith("/t/"),
    fleet: true,
    need: "code",
    answer: (visit, served) => {
      const take: TicketDesk["take"] = (id, kind) => {
        const ticket = served.tickets.take(id, kind);
        if (ticket !== undefined) visit.prove();
        return ticket;
      };
      const proving = { ...served, tickets: { ...served.tickets, take } };
      return visit.request.method === "PUT" ? upload(visit, proving) : download(visit, proving);
    },
  },
  {
    name: "machine",
    methods: ["GET", "PUT"],
    matches: (path) => path.startsWith("/m/"),
    need: "code",
    answer: async ({ request, response }, { gateway }) => {
      const to = machinePathOf(request.url);
      if (to === undefined || gateway === undefined) {
        replyError(response, 404, { code: "not-found", message: "Not found." });
        return;
      }
      try {
        await gateway.forward(request, response, to);
      } catch (error) {
        const { status, ...said } = gateway.failure(error);
        if (response.headersSent) response.destroy();
        else replyError(response, status, said, { connection: "close" });
      }
    },
  },
  {
    name: "page",
    methods: ["GET", "HEAD"],
    matches: () => true,
    need: "nothing",
    answer: (visit, served) => showPage(visit, served),
  },
];

export const routeOf = (path: string): HttpRoute => ROUTES.find(({ matches }) => matches(path))!;

/** Whether a program's role is enough for the route. */
export const mayVisit = (route: HttpRoute, entry: EntryAnswer & { readonly ok: true }): boolean =>
  route.role === undefined || (entry.device !== undefined && includesRole(entry.device.role, route.role));

const showPage = ({ request, response, path, entry }: Visit, { page }: Served): void => {
  const asset = page.find(path === "/" ? "/index.html" : path);
  if (asset === undefined) {
    replyError(response, 404, { code: "not-found", message: "Not found." });
    return;
  }
  const encoding = encodingFor(asset, request.headers["accept-encoding"]);
  const isDocument = extname(path) === "" || extname(path) === ".html";
  const socket = `${entry.isSecure ? "wss" : "ws"}://${entry.host}`;
  const headers = {
    "content-type": asset.mediaType,
    "cache-control": asset.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    etag: encoding === undefined ? asset.etag : asset.etag.replace(/"$/u, `-${encoding}"`),
    vary: "accept-encoding",
    ...(asset.mediaType.startsWith("text/javascript") && { "content-security-policy": SCRIPT }),
    ...(path === WORKER && { "content-security-policy": workerPolicy(socket) }),
    ...(isDocument && { "content-security-policy": pagePolicy(socket) }),
  };
  if (request.headers["if-none-match"]?.split(/\s*,\s*/u).includes(headers.etag) === true) {
    reply(response, 304, headers);
  } else if (encoding === undefined) reply(response, 200, headers, asset.body);
  else reply(response, 200, { ...headers, "content-encoding": encoding }, asset.encoded[encoding]);
};

const PairBody = z.strictObject({
  code: z.string().max(100),
  name: z.string().max(200),
  publicKey: z.string().max(500),
});

const pair = async ({ request, response, entry }: Visit, { access }: Served): Promise<void> => {
  if (!/^application\/json(?:;|$)/iu.test(request.headers["content-type"] ?? "")) {
    replyError(response, 415, { code: "bad-request", message: "Send application/json." });
    return;
  }
  const body = PairBody.safeParse(jsonOf(await readBody(request, MOST_PAIR_BYTES)));
  if (!body.success) {
    replyError(response, 400, { code: "bad-request", message: "Send {code, name, publicKey} and nothing else." });
    return;
  }
  const outcome = access.redeem({ ...body.data, remote: entry.remote });
  if (outcome.ok) {
    const { id, name, role } = outcome.device;
    replyJson(response, 200, { device: { id, name, role }, serverId: access.serverId });
  } else {
    const status = { "bad-request": 400, unauthenticated: 401, limit: 429 }[outcome.code];
    replyError(response, status, outcome, status === 429 ? { "retry-after": "60" } : {});
  }
};

const NO_TICKET = { code: "not-found", message: "This address was already used, has expired, or never existed." };
const UPLOAD_FAILURES = {
  "too-large": {
    status: 413,
    code: "too-large",
    message: "The upload is larger than announced, or larger than the server accepts.",
  },
  "no-room": { status: 507, code: "limit", message: "There is no room for more uploads. Try again later." },
  "cut-off": { status: 400, code: "bad-request", message: "The upload was cut off." },
} as const satisfies Readonly<Record<UploadFailure, { status: number; code: string; message: string }>>;

const upload = async ({ request, response, path }: Visit, { tickets }: Served): Promise<void> => {
  const ticket = tickets.take(TICKET.exec(path)?.[1] ?? "", "upload");
  if (ticket?.use.kind !== "upload") {
    replyError(response, 404, NO_TICKET, { connection: "close" });
    readOff(request);
    return;
  }
  request.setTimeout(30_000, () => request.destroy());
  const announced = Number(request.headers["content-length"] ?? 0);
  const outcome =
    announced > ticket.use.size ? "too-large" : await tickets.receive({ ...ticket, use: ticket.use }, request);
  if (typeof outcome === "string") {
    const { status, ...error } = UPLOAD_FAILURES[outcome];
    replyError(response, status, error, { connection: "close" });
    readOff(request);
  } else {
    const { id, mediaType, size } = outcome;
    replyJson(response, 200, { id, mediaType, size });
  }
};

/**
 * Reads the rest of the request. Otherwise a client that is still sending would see a broken connection instead of the
 * answer.
 */
const readOff = (request: IncomingMessage): void => {
  request.resume();
  setTimeout(() => request.destroy(), READ_OFF_MS).unref();
};

const DOWNLOAD_STATUS: Readonly<Record<string, number>> = {
  "not-found": 404,
  "unknown-session": 404,
  "outside-roots": 403,
  "too-large": 413,
  "bad-request": 400,
  unsupported: 400,
};

const download = async ({ response, path }: Visit, { tickets }: Served): Promise<void> => {
  const ticket = tickets.take(TICKET.exec(path)?.[1] ?? "", "download");
  if (ticket?.use.kind !== "download") {
    replyError(response, 404, NO_TICKET);
    return;
  }
  let opened;
  try {
    opened = await ticket.use.open();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    const status = typeof code === "string" ? DOWNLOAD_STATUS[code] : undefined;
    if (status === undefined) throw error;
    replyError(response, status, { code: String(code), message });
    return;
  }
  const headers = {
    "content-type": opened.mediaType,
    "content-disposition": attachment(opened.name),
    "content-security-policy": SANDBOX,
  };
  await replyStream(response, 200, headers, opened);
};

/** RFC 6266: a plain name for old clients, the real name for others. */
const attachment = (given: string): string => {
  const name = given.toWellFormed().replaceAll(/\p{C}/gu, "");
  const plain = name.replaceAll(/[^\w.() -]/gu, "_").slice(0, 150) || "file";
  const real = encodeURIComponent(name.slice(0, 200).toWellFormed()).replaceAll(
    /['()*]/gu,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${real}`;
};

/** Returns undefined if the body is too long, too slow or cut off. */
const readBody = async (request: IncomingMessage, most: number): Promise<string | undefined> => {
  const timer = setTimeout(() => request.destroy(), BODY_MS);
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  } catch {
    // The client has left or was too slow, so nobody gets an answer.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
};

const jsonOf = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    // Invalid JSON. The schema refuses undefined.
    return undefined;
  }
};
