import type { ServerInfo } from "@quarterdeck/client";

export type Role = ServerInfo["device"]["role"];

const ORDER: readonly Role[] = ["view", "answer", "operate", "admin"];

export const isSmaller = (role: Role, than: Role): boolean => ORDER.indexOf(role) < ORDER.indexOf(than);
