// What a page needs to read rows: the pure readers of the protocol and the session, through one door.

export { mcpDisplayName, splitMcpName, readExitCode, readNumbered, readPersistedOutput } from "@quarterdeck/protocol";
export { parsePartialJson } from "@quarterdeck/session";
