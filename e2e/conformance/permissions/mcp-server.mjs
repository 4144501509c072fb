// A small MCP server on stdio for the cases: `node mcp-server.mjs alpha,beta!`. Every tool answers with its name.
const names = (process.argv[2] ?? "").split(",");
const tools = names.map((name) => ({
  name: name.replace(/!$/, ""),
  description: "lab tool",
  inputSchema: { type: "object", properties: { x: { type: "string" } } },
  ...(name.endsWith("!") && { annotations: { readOnlyHint: true } }),
}));

const resultOf = ({ method, params }) => {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "lab", version: "1" },
      };
    case "tools/list":
      return { tools };
    case "tools/call":
      return { content: [{ type: "text", text: `ran ${params.name}` }] };
    default:
      return {};
  }
};

let rest = "";
process.stdin.on("data", (chunk) => {
  rest += chunk;
  for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n")) {
    const line = rest.slice(0, at).trim();
    rest = rest.slice(at + 1);
    if (line === "") continue;
    const message = JSON.parse(line);
    if (message.id === undefined) continue;
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: resultOf(message) })}\n`);
  }
});
process.stdin.on("end", () => process.exit(0));
