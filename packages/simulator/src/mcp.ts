// MCP servers that live in the host, reached by `mcp_message`: handshake, list of tools, calls. Servers of other kinds
// are known by name and fail, like a server that cannot start.
import { VERSION } from "./catalogue.ts";
import { isRecord, listAt, recordAt, textAt } from "./json.ts";
import type { Json } from "./json.ts";
import { ToolFailure } from "./tools/tool.ts";
import type { Session, SessionMcp, Tool } from "./session-contract.ts";

interface McpTool {
  readonly name: string;
  readonly title: string | undefined;
  readonly schema: Json;
  readonly annotations: Json;
}

interface Server {
  readonly name: string;
  readonly isSdk: boolean;
  readonly config: Json;
  status: "pending" | "connected" | "failed" | "disabled";
  error?: string;
  info?: Json;
  tools: readonly McpTool[];
  nextId: number;
  connecting?: Promise<void>;
}

const CLIENT = {
  name: "claude-code",
  title: "Claude Code",
  description: "Anthropic's agentic coding tool",
  websiteUrl: "https://claude.com/claude-code",
  version: VERSION,
} as const;

export class Mcp implements SessionMcp {
  readonly #session: Session;
  readonly #servers = new Map<string, Server>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Adds a server that `initialize` or the command line names. */
  add(name: string, config: Json): void {
    const isSdk = config.type === "sdk";
    const server: Server = { name, isSdk, config, status: "pending", tools: [], nextId: 0 };
    this.#servers.set(name, server);
    if (isSdk) server.connecting = this.#connect(server);
    else {
      server.status = "failed";
      server.error = "The simulator starts no MCP servers of its own";
    }
  }

  /** Replaces all servers that control requests have set. */
  setServers(servers: Json): Json {
    const removed = [...this.#servers.keys()].filter((name) => !(name in servers));
    for (const name of removed) this.#servers.delete(name);
    const added = Object.keys(servers).filter((name) => !this.#servers.has(name));
    for (const name of added) this.add(name, recordAt(servers, name));
    const errors = Object.fromEntries(
      added.flatMap((name) => {
        const error = this.#servers.get(name)?.error;
        return error === undefined ? [] : [[name, error]];
      }),
    );
    return { added, removed, errors };
  }

  /** Resolves when every server has answered or failed. */
  async ready(): Promise<void> {
    for (const { connecting } of this.#servers.values()) await connecting;
  }

  get initEntries(): readonly Json[] {
    return [...this.#servers.values()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, status, isSdk }) => ({ name, status, source: isSdk ? "sdk" : "dynamic" }));
  }

  get toolNames(): readonly string[] {
    return [...this.#servers.values()].flatMap(({ name, status, tools }) =>
      status === "connected" ? tools.map((tool) => `mcp__${name}__${tool.name}`) : [],
    );
  }

  status(): Json {
    return {
      mcpServers: [...this.#servers.values()]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((server) => ({
          name: server.name,
          status: server.status,
          ...(server.info === undefined || server.status !== "connected" ? {} : { serverInfo: server.info }),
          ...(server.error === undefined ? {} : { error: server.error }),
          ...(server.isSdk ? {} : { config: { type: "stdio", ...server.config } }),
          transport: server.isSdk ? "sdk" : (textAt(server.config, "type") ?? "stdio"),
          scope: "dynamic",
          source: server.isSdk ? "sdk" : "dynamic",
          ...(server.status === "connected"
            ? { tools: server.tools.map(({ name, annotations }) => ({ name, annotations: shortened(annotations) })) }
            : {}),
        })),
    };
  }

  has(name: string): boolean {
    return this.#servers.has(name);
  }

  async toggle(name: string, enabled: boolean): Promise<void> {
    const server = this.#servers.get(name);
    if (server === undefined) return;
    if (!enabled) {
      server.status = "disabled";
      return;
    }
    server.nextId = 0;
    server.connecting = this.#connect(server);
    await server.connecting;
  }

  /** Handles a message from a server to its client. A ping is answered, the rest needs no answer. */
  receive(name: string, message: Json): void {
    const server = this.#servers.get(name);
    if (server === undefined || message.method !== "ping") return;
    void this.#send(server, { result: {}, jsonrpc: "2.0", id: message.id });
  }

  serverOf(toolName: string): string | undefined {
    return this.#find(toolName)?.server.name;
  }

  displayNameOf(toolName: string): string | undefined {
    const found = this.#find(toolName);
    return found === undefined ? undefined : titleOf(found.tool);
  }

  /** `tool_use_meta` of a block. */
  metaOf(id: string, toolName: string): Json {
    const match = /^mcp__(.+?)__(.+)$/.exec(toolName);
    if (match === null) return {};
    const found = this.#find(toolName);
    return {
      tool_use_meta: [
        found === undefined
          ? { id, display_name: capitalized(match[2]!) }
          : {
              id,
              display_name: titleOf(found.tool),
              server_display_name: found.server.name,
              tool_name: found.tool.name,
            },
      ],
    };
  }

  toolOf(toolName: string): Tool | undefined {
    const found = this.#find(toolName);
    if (found === undefined) return undefined;
    const { server, tool } = found;
    return {
      params: "any",
      run: async (input, { toolUseId }) => {
        this.#session.output.pass("tool");
        const id = server.nextId;
        const reply = await this.#call(server, "tools/call", {
          name: tool.name,
          arguments: input,
          _meta: { "claudecode/toolUseId": toolUseId, progressToken: id },
        });
        const content = listAt(reply, "content").filter(isRecord).map(blockOf);
        if (reply.isError === true)
          throw new ToolFailure(content.map((block) => textAt(block, "text") ?? "").join("\n"));
        return { content, result: content };
      },
    };
  }

  #find(toolName: string): { readonly server: Server; readonly tool: McpTool } | undefined {
    for (const server of this.#servers.values()) {
      if (server.status !== "connected") continue;
      const tool = server.tools.find(({ name }) => `mcp__${server.name}__${name}` === toolName);
      if (tool !== undefined) return { server, tool };
    }
    return undefined;
  }

  async #connect(server: Server): Promise<void> {
    try {
      const hello = await this.#call(server, "initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: CLIENT,
      });
      server.info = recordAt(hello, "serverInfo");
      void this.#send(server, { jsonrpc: "2.0", method: "notifications/initialized" });
      const list = await this.#call(server, "tools/list", undefined);
      server.tools = listAt(list, "tools")
        .filter(isRecord)
        .map((tool) => ({
          name: textAt(tool, "name") ?? "",
          title: textAt(tool, "title"),
          schema: recordAt(tool, "inputSchema"),
          annotations: recordAt(tool, "annotations"),
        }));
      server.status = "connected";
    } catch (error) {
      server.status = "failed";
      server.error = error instanceof Error ? error.message : String(error);
    }
  }

  async #call(server: Server, method: string, params: Json | undefined): Promise<Json> {
    const id = server.nextId++;
    const reply = await this.#send(server, { method, ...(params === undefined ? {} : { params }), jsonrpc: "2.0", id });
    const error = recordAt(reply, "error");
    if (textAt(error, "message") !== undefined) throw new ToolFailure(textAt(error, "message") ?? "");
    return recordAt(reply, "result");
  }

  async #send(server: Server, message: Json): Promise<Json> {
    const answer = await this.#session.requests.ask({ subtype: "mcp_message", server_name: server.name, message });
    if (answer.kind === "error") throw new ToolFailure(answer.error);
    if (answer.kind !== "success") throw new ToolFailure("Connection closed");
    return recordAt(answer.response, "mcp_response");
  }
}

const shortened = (annotations: Json): Json => ({
  ...(annotations.readOnlyHint === true ? { readOnly: true } : {}),
  ...(annotations.destructiveHint === true ? { destructive: true } : {}),
  ...(annotations.openWorldHint === true ? { openWorld: true } : {}),
});

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
const titleOf = (tool: McpTool): string => tool.title ?? capitalized(tool.name);

/** MCP writes an image in another form than the API. The CLI converts it. */
const blockOf = (block: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const { type, data, mimeType } = block;
  return type === "image" ? { type, source: { type: "base64", data, media_type: mimeType } } : { ...block };
};
