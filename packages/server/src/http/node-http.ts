// `import` of node:http reads every export, and one of them loads undici. That costs each start 75 ms of CPU. This does not.

export const { Agent, createServer, request, STATUS_CODES } = process.getBuiltinModule("node:http");
