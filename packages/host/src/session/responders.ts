// What the host answers by itself: hooks with callbacks, and tools of this process that reach the model through
// `mcp_message`. Everything else waits for a person.

import type {
  CliRequest,
  HookEvent,
  HookInput,
  HookMatcher,
  HookOutput,
  JsonValue,
  RequestOf,
} from "@quarterdeck/protocol";
import { z } from "zod";

export interface ToolOutput {
  readonly content: readonly { readonly type: string; readonly [key: string]: unknown }[];
  readonly isError?: boolean;
}

export interface InProcessTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly call: (input: unknown, signal: AbortSignal) => Promise<ToolOutput>;
}

/** Makes a tool from a zod schema and a function. A returned string becomes one text block. */
export const defineTool = <S extends z.ZodType>(
  name: string,
  description: string,
  schema: S,
  run: (input: z.output<S>, signal: AbortSignal) => Promise<string | ToolOutput> | string | ToolOutput,
): InProcessTool => ({
  name,
  description,
  inputSchema: z.toJSONSchema(schema, { io: "input" }),
  async call(input, signal) {
    const parsed = schema.safeParse(input);
    if (!parsed.success) return failed(`The input does not fit: ${z.prettifyError(parsed.error)}`);
    const output = await run(parsed.data, signal);
    return typeof output === "string" ? { content: [{ type: "text", text: output }] } : output;
  },
});

const failed = (text: string): ToolOutput => ({ content: [{ type: "text", text }], isError: true });

export interface InProcessServer {
  readonly name: string;
  readonly version?: string;
  readonly tools: readonly InProcessTool[];
}

export type HookCallback = (
  input: HookInput,
  context: { readonly toolUseId?: string },
) => Promise<HookOutput> | HookOutput;
export interface Hook {
  readonly event: HookEvent;
  readonly matcher?: string;
  readonly timeoutSeconds?: number;
  readonly run: HookCallback;
}

/** Requests that wait for a person. The first answer wins. */
export const FOR_PEOPLE: ReadonlySet<string> = new Set(["can_use_tool", "elicitation", "request_user_dialog"]);

const PROTOCOL_VERSION = "2025-11-25";

/** The hook that asks the policies of the host before each call. */
export const POLICY_HOOK = "policy";
const POLICY_SECONDS = 60;
export const isPolicyHook = (request: CliRequest): request is RequestOf<"hook_callback"> =>
  request.subtype === "hook_callback" && request.callback_id === POLICY_HOOK;

export class Responders {
  readonly #servers: ReadonlyMap<string, InProcessServer>;
  readonly #hooks: readonly Hook[];
  readonly #asksPolicies: boolean;

  constructor(servers: readonly InProcessServer[] = [], hooks: readonly Hook[] = [], asksPolicies = false) {
    this.#servers = new Map(servers.map((server) => [server.name, server]));
    this.#hooks = hooks;
    this.#asksPolicies = asksPolicies;
  }

  /** What `initialize` must contain, so that the CLI asks us. */
  get registration(): Pick<RequestOf<"initialize">, "hooks" | "sdkMcpServers"> {
    const hooks: Record<string, HookMatcher[]> = {};
    this.#hooks.forEach((hook, index) => {
      (hooks[hook.event] ??= []).push({
        hookCallbackIds: [`hook-${index}`],
        ...(hook.matcher !== undefined && { matcher: hook.matcher }),
        ...(hook.timeoutSeconds !== undefined && { timeout: hook.timeoutSeconds }),
      });
    });
    if (this.#asksPolicies)
      (hooks["PreToolUse"] ??= []).push({
        hookCallbackIds: [POLICY_HOOK],
        timeout: POLICY_SECONDS,
        onFailure: "block",
      });
    return {
      ...(Object.keys(hooks).length > 0 && { hooks }),
      ...(this.#servers.size > 0 && { sdkMcpServers: [...this.#servers.keys()] }),
    };
  }

  /** The answer to a request that the host answers itself. Undefined if a person must answer. */
  answer(request: CliRequest, signal: AbortSignal, _requestId: string): Promise<JsonValue> | undefined {
    if (request.subtype === "hook_callback") return this.#runHook(request);
    if (request.subtype === "mcp_message") return this.#serve(request, signal);
    return undefined;
  }

  /** Called for a request that the host has answered by itself. */
  hide(_requestId: string): void {}

  async #runHook(request: RequestOf<"hook_callback">): Promise<JsonValue> {
    const index = Number(/^hook-(\d+)$/.exec(request.callback_id)?.[1]);
    const hook = this.#hooks[index];
    if (hook === undefined) return {};
    const toolUseId = typeof request.tool_use_id === "string" ? { toolUseId: request.tool_use_id } : {};
    return (await hook.run(request.input, toolUseId)) as JsonValue;
  }

  async #serve(request: RequestOf<"mcp_message">, signal: AbortSignal): Promise<JsonValue> {
    const { id, method, params } = request.message as {
      id?: JsonValue;
      method?: string;
      params?: Record<string, unknown>;
    };
    const reply = (body: Record<string, unknown>): JsonValue => ({
      mcp_response: { jsonrpc: "2.0", id: id ?? 0, ...body } as JsonValue,
    });
    const server = this.#servers.get(request.server_name);
    if (server === undefined) return reply({ error: { code: -32_601, message: `No server ${request.server_name}` } });
    switch (method) {
      case "initialize":
        return reply({
          result: {
            protocolVersion: PROTOCOL_VERSION,
            capabilities: { tools: {} },
            serverInfo: { name: server.name, version: server.version ?? "1.0.0" },
          },
        });
      case "tools/list":
        return reply({
          result: {
            tools: server.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
          },
        });
      case "tools/call": {
        const tool = server.tools.find(({ name }) => name === params?.["name"]);
        if (tool === undefined)
          return reply({ error: { code: -32_602, message: `No tool ${String(params?.["name"])}` } });
        try {
          return reply({ result: await tool.call(params?.["arguments"] ?? {}, signal) });
        } catch (error) {
          return reply({ result: failed(error instanceof Error ? error.message : String(error)) });
        }
      }
      default:
        // A notification needs no result, but the request that carried it needs an answer.
        return id === undefined
          ? reply({ result: {} })
          : reply({ error: { code: -32_601, message: `No method ${method}` } });
    }
  }
}
