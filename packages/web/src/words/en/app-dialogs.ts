// The dialogs of /permissions and /mcp.

import { plural } from "../format.ts";

export const english = {
  allow: "Allowed",
  ask: "Always ask",
  deny: "Denied",
  states: {
    "needs-auth": "needs sign-in",
    pending: "connecting",
    connected: "connected",
    failed: "failed",
    disabled: "disabled",
  },
  permissions: "Permissions",
  rulesAbout: "The rules of this session, and where each one is set.",
  testRules: "Test and change rules",
  loading: "Loading…",
  none: "None",
  folders: "Additional folders",
  servers: "MCP servers",
  serversAbout: "The MCP servers of this session and their current status.",
  refresh: "Refresh",
  tools: (count: number) => plural(count, "tool"),
  reconnect: "Reconnect",
  enable: "Enable",
  disable: "Disable",
  noServers: "No MCP servers in this session",
};
