// Control requests about MCP servers. A server of the host is reached only by `mcp_message`, so most of these do not
// apply to it.
import { ControlError } from "./control-answer.ts";
import type { Answer, Request } from "./control-answer.ts";
import { recordAt, textAt } from "./json.ts";

const knownServer = ({ session, request }: Request): string => {
  const name = textAt(request, "serverName") ?? "";
  if (!session.mcp.has(name)) throw new ControlError(`Server not found: ${name}`);
  return name;
};

const NO_SDK_CALL = "mcp_call does not support SDK MCP servers. SDK servers are caller-provided — invoke";

export const MCP_ANSWERS: Readonly<Record<string, Answer>> = {
  mcp_status: ({ session }) => session.mcp.status(),
  mcp_set_servers: ({ session, request }) => session.mcp.setServers(recordAt(request, "servers")),
  mcp_reconnect: (request) => {
    knownServer(request);
    throw new ControlError("SDK servers should be handled in print.ts");
  },
  mcp_toggle: async (request) => {
    await request.session.mcp.toggle(knownServer(request), request.request.enabled === true);
    return undefined;
  },
  mcp_read_resource: (request) => {
    knownServer(request);
    throw new ControlError(
      "mcp_read_resource does not support SDK MCP servers: the caller hosts them and can read them directly",
    );
  },
  mcp_authenticate: (request) => {
    knownServer(request);
    throw new ControlError('Server type "sdk" does not support OAuth authentication');
  },
  mcp_clear_auth: (request) => {
    knownServer(request);
    throw new ControlError('Cannot clear auth for server type "sdk"');
  },
  mcp_call: ({ session, request }) => {
    const name = textAt(request, "tool") ?? "";
    const server = /^mcp__(.+?)__./.exec(name)?.[1];
    if (server === undefined) throw new ControlError(`Not a fully-qualified MCP tool name: ${name}`);
    throw new ControlError(
      session.mcp.has(server) ? `${NO_SDK_CALL} ${server} directly.` : `Server not found: ${server}`,
    );
  },
  mcp_message: ({ session, request, reply }) => {
    reply();
    session.mcp.receive(textAt(request, "server_name") ?? "", recordAt(request, "message"));
    return undefined;
  },
  set_mcp_permission_mode_override: ({ session, request }) => {
    const name = textAt(request, "serverName") ?? "";
    if (session.mcp.has(name)) return undefined;
    return {
      warning: `MCP server '${name}' is not yet known; override stored but will not apply until a server with that exact name connects.`,
    };
  },
};
