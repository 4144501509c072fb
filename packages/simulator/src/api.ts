// A Messages API on loopback that plays a scenario to a real CLI, streamed or not, with the failures, cuts and pace of
// the scenario. This file owns HTTP, time and the count of attempts. `scenario` and `api-side-calls` choose the
// content, and `api-stream` writes it in the API's format.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { isRecord } from "@quarterdeck/protocol";
import { sideCallOf } from "./api-side-calls.ts";
import { messageOf, rawReplyOf, replyOf, streamEventsOf } from "./api-stream.ts";
import type { RawBlock, StreamEvent } from "./api-stream.ts";
import type { MessagesRequest } from "./messages-request.ts";
import { chooseStep, withVariables } from "./scenario.ts";
import type { ApiMessage, Failure, Scenario, Step } from "./scenario.ts";
import { readScenario } from "./scenario-file.ts";
import { UsageError } from "./usage-error.ts";

/** `import` of node:http would load undici too, which costs each process that plays an API 75 ms of CPU. */
const { createServer } = process.getBuiltinModule("node:http");

export interface ApiOptions {
  readonly scenario: Scenario;
  readonly variables?: Readonly<Record<string, string>>;
  /** Default: any free port. */
  readonly port?: number;
  readonly onRequest?: (request: RecordedRequest) => void;
}

export interface Api {
  readonly url: string;
  readonly port: number;
  /** Every request, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  readonly close: () => Promise<void>;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** How it was answered: the key of a step, `side:` and a name, or `http:` and a status. */
  readonly answer: string;
}

interface Play {
  readonly step: Step;
  readonly answer: string;
  /** Set for the CLI's own call, which is answered with these blocks. */
  readonly content?: readonly RawBlock[];
}

export const startApi = async (options: ApiOptions): Promise<Api> => {
  const scenario = withVariables(options.scenario, options.variables ?? {});
  const requests: RecordedRequest[] = [];
  const attempts = new Map<string, number>();
  let serial = 0;

  const record = (request: IncomingMessage, path: string, body: unknown, answer: string): void => {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
    const recorded = { method: request.method ?? "", path, headers, body, answer };
    requests.push(recorded);
    options.onRequest?.(recorded);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? "/", "http://loopback").pathname;
    const text = await bodyOf(request);
    const body = text === "" ? undefined : parsedOrText(text);
    if (request.method === "POST" && path === "/v1/messages/count_tokens") {
      record(request, path, body, "side:count_tokens");
      sendJson(response, 200, { input_tokens: Math.max(1, Math.ceil(text.length / 4)) });
      return;
    }
    if (request.method === "POST" && path === "/v1/messages") {
      const wanted = messagesRequestOf(body);
      if (wanted === undefined) {
        record(request, path, body, "http:400");
        sendError(response, {
          status: 400,
          type: "invalid_request_error",
          message: "messages: Field required",
        });
        return;
      }
      const play = playOf(scenario, wanted);
      record(request, path, body, play.answer);
      const attempt = attempts.get(play.answer) ?? 0;
      attempts.set(play.answer, attempt + 1);
      await perform(response, play, wanted, attempt, () => ++serial);
      return;
    }
    // The CLI also sends a few other requests to the base URL (a HEAD at the start, feature flags).
    const known = path === "/";
    record(request, path, body, known ? "http:200" : "http:404");
    if (known) sendJson(response, 200, {});
    else sendError(response, { status: 404, type: "not_found_error", message: `Not found: ${path}` });
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The peer left, or this is a bug. In both cases the CLI must see a broken connection, not a hang.
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    port,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
};

const API_USAGE = "usage: quarterdeck-sim api --scenario FILE [--port N] [--variable NAME=VALUE]... [--quiet]";

/**
 * `quarterdeck-sim api`: serves until it is stopped, and resolves to the exit code. Throws a `UsageError` before it
 * serves.
 */
export const runApi = async (args: readonly string[]): Promise<number> => {
  const values = apiFlagsOf(args);
  if (values.help === true) {
    console.log(API_USAGE);
    return 0;
  }
  if (values.scenario === undefined) throw new UsageError(`--scenario is missing; ${API_USAGE}`);
  const scenario = readScenario(values.scenario);
  const variables = Object.fromEntries(
    (values.variable ?? []).map((pair) => {
      const at = pair.indexOf("=");
      return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
  const port = portOf(values.port ?? "0");
  const api = await startApi({
    scenario,
    variables,
    port,
    onRequest: ({ method, path, answer }) => {
      if (values.quiet !== true) console.error(`${method} ${path}  ${answer}`);
    },
  }).catch((error: unknown) => {
    throw new UsageError(`Cannot listen on port ${String(port)}: ${error instanceof Error ? error.message : ""}`);
  });
  console.log(api.url);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await api.close();
  return 0;
};

const apiFlagsOf = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        scenario: { type: "string" },
        port: { type: "string" },
        variable: { type: "string", multiple: true },
        quiet: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    // The first sentence says what is wrong. The others explain quoting.
    const said = error instanceof Error ? error.message.split(/\.\s/)[0] : "";
    throw new UsageError(`${said ?? ""}; ${API_USAGE}`);
  }
};

const portOf = (text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new UsageError(`--port must be a number from 0 to 65535, not '${text}'.`);
  }
  return Number(text);
};

const playOf = (scenario: Scenario, wanted: MessagesRequest): Play => {
  const side = sideCallOf(wanted);
  if (side !== undefined) return { step: {}, answer: `side:${side.name}`, content: side.content };
  const choice = chooseStep(scenario, wanted.messages);
  return { step: choice.step, answer: choice.key };
};

const perform = async (
  response: ServerResponse,
  { step, content }: Play,
  wanted: MessagesRequest,
  attempt: number,
  nextSerial: () => number,
): Promise<void> => {
  const failure = failureOf(step, attempt);
  if (failure !== undefined) {
    sendError(response, failure);
    return;
  }
  const number = nextSerial();
  const reply = content === undefined ? replyOf(step, number, wanted.model) : rawReplyOf(content, number, wanted.model);
  const headers = { "request-id": `req_sim_${String(number).padStart(4, "0")}`, ...step.headers };
  await pause(step.pace?.firstMs, response);
  if (!wanted.stream) {
    sendJson(response, 200, messageOf(reply), headers);
    return;
  }
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    ...headers,
  });
  const cutAt =
    step.cut !== undefined && attempt < failures(step) + (step.cut.times ?? 1) ? step.cut.afterEvents : Infinity;
  for (const [index, event] of streamEventsOf(reply, step.pace?.deltaChars).entries()) {
    if (index >= cutAt) {
      // Let the peer read the earlier events first: a broken connection loses what its reader has not read yet.
      await pause(step.pace?.deltaMs, response);
      await cut(response, step);
      return;
    }
    if (event.type === "content_block_delta") await pause(step.pace?.deltaMs, response);
    if (response.destroyed) return;
    await writeEvent(response, event);
  }
  response.end();
};

const failures = (step: Step): number => step.fail?.length ?? 0;

const failureOf = (step: Step, attempt: number): Failure | undefined => {
  const planned = step.fail ?? [];
  const lasting = planned.findIndex((failure) => failure.always === true);
  return lasting >= 0 && attempt >= lasting ? planned[lasting] : planned[attempt];
};

const cut = async (response: ServerResponse, step: Step): Promise<void> => {
  const error = step.cut?.error;
  if (error === undefined) {
    response.destroy();
    return;
  }
  await writeEvent(response, { type: "error", error: { type: error.type, message: error.message } });
  response.end();
};

/** Resolves when the event is sent, so that a later cut of the connection does not lose it. */
const writeEvent = (response: ServerResponse, event: StreamEvent): Promise<void> =>
  new Promise((resolve) => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`, () => {
      resolve();
    });
  });

const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

const sendError = (response: ServerResponse, failure: Failure): void => {
  if (failure.status === 0) {
    response.destroy();
    return;
  }
  const type = failure.type ?? ERROR_TYPES[failure.status] ?? "api_error";
  const message = failure.message ?? `Scripted failure ${String(failure.status)}`;
  sendJson(response, failure.status, { type: "error", error: { type, message } }, failure.headers);
};

/** Ends early when the peer leaves. */
const pause = (ms: number | undefined, response: ServerResponse): Promise<void> => {
  if (ms === undefined || ms <= 0 || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      response.off("close", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    response.once("close", done);
  });
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

const parsedOrText = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Text that is not JSON gets the answer 400, or is ignored on an unknown path.
    return text;
  }
};

const messagesRequestOf = (body: unknown): MessagesRequest | undefined => {
  if (!isRecord(body) || !Array.isArray(body.messages)) return undefined;
  return {
    model: typeof body.model === "string" ? body.model : "claude-simulated",
    stream: body.stream === true,
    system: systemTextOf(body.system),
    messages: body.messages as readonly ApiMessage[],
    tools: Array.isArray(body.tools) ? body.tools.filter(isRecord) : [],
    outputSchema: outputSchemaOf(body),
  };
};

const systemTextOf = (system: unknown): string => {
  if (typeof system === "string") return system;
  if (!Array.isArray(system)) return "";
  return system.map((block) => (isRecord(block) && typeof block.text === "string" ? block.text : "")).join("\n");
};

const outputSchemaOf = (body: Readonly<Record<string, unknown>>): unknown => {
  const format = isRecord(body.output_config) ? body.output_config.format : body.output_format;
  return isRecord(format) ? format.schema : undefined;
};
