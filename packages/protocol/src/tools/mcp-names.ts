// Names of MCP tools: `mcp__<server>__<tool>`. In a server's name, the CLI replaces every character except letters,
// digits, `_` and `-` by `_`. So the name alone is ambiguous: a server may itself contain `__`, and `plugin:x:y`
// becomes `plugin_x_y`. With the configured servers the split is exact. Without them, it is the CLI's own.

export interface McpName {
  server: string;
  tool: string;
}

const PREFIX = "mcp__";

/** A server's name as it is written inside a tool's name. */
export const mcpWireServer = (server: string): string => {
  const plain = server.replace(/[^a-zA-Z0-9_-]/g, "_");
  return server.startsWith("claude.ai ") ? plain.replace(/_+/g, "_").replace(/^_|_$/g, "") : plain;
};

/** Whether a tool's name, or the tool of a rule, is of an MCP server. `mcp__server` alone means all of its tools. */
export const isMcpName = (name: string): boolean => name.startsWith(PREFIX);

export const mcpToolName = (server: string, tool: string): string => `${PREFIX}${mcpWireServer(server)}__${tool}`;

export const splitMcpName = (name: string, servers: readonly string[] = []): McpName | undefined => {
  if (!isMcpName(name)) return undefined;
  const rest = name.slice(PREFIX.length);
  let found: McpName | undefined;
  let length = -1;
  for (const server of servers) {
    const wire = mcpWireServer(server);
    if (wire === "" || wire.length <= length || !rest.startsWith(`${wire}__`) || rest.length === wire.length + 2)
      continue;
    found = { server, tool: rest.slice(wire.length + 2) };
    length = wire.length;
  }
  if (found !== undefined) return found;
  const cut = rest.indexOf("__");
  if (cut <= 0 || cut + 2 >= rest.length) return undefined;
  return { server: rest.slice(0, cut), tool: rest.slice(cut + 2) };
};

const SPELLINGS: ReadonlyMap<string, string> = new Map(
  [
    ...["GitHub", "GitLab", "YouTube", "LinkedIn", "PostgreSQL", "MySQL", "SQLite", "MongoDB", "OpenAI", "GraphQL"],
    ...["DevTools", "AI", "API", "AWS", "CSS", "CSV", "GCP", "HTML", "HTTP", "ID", "IDE", "JSON", "LSP", "MCP", "PDF"],
    ...["PR", "SDK", "SQL", "UI", "URI", "URL", "XML"],
  ].map((word) => [word.toLowerCase(), word]),
);

const title = (words: readonly string[]): string =>
  words.map((word) => SPELLINGS.get(word.toLowerCase()) ?? word.charAt(0).toUpperCase() + word.slice(1)).join(" ");

const wordsOf = (name: string): string[] => name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");

const serverTitle = (server: string): string => {
  const words = wordsOf(server);
  if (words[0] !== "plugin" || words.length === 1) return title(words);
  words.shift();
  // A plugin's only server usually has the name of the plugin.
  const half = words.length / 2;
  const twice = Number.isInteger(half) && words.slice(0, half).join(" ") === words.slice(half).join(" ");
  return title(twice ? words.slice(0, half) : words);
};

/** "GitHub › Search Repositories". Another name is returned unchanged. */
export const mcpDisplayName = (name: string, servers: readonly string[] = []): string => {
  const split = splitMcpName(name, servers);
  if (split === undefined) return name;
  const tool = title(wordsOf(split.tool.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")));
  return `${serverTitle(split.server) || split.server} › ${tool || split.tool}`;
};
