export type * from "@quarterdeck/session";
export type * from "@quarterdeck/session/bridge";
