// Who may do what, for pages that show only controls that work. The server decides with the same functions.

export { allows, needs, seesRoots } from "@quarterdeck/session/bridge/policy";
export { includesRole } from "@quarterdeck/session/bridge";
export type { Given, Known, Need } from "@quarterdeck/session/bridge/policy";
