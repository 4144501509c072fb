// Places that rules come from. The English names are those that every surface shares.

import { SCOPES, type Scope, type ScopeFacts } from "@quarterdeck/permissions/words";

const names: Readonly<Record<Scope, Pick<ScopeFacts, "name" | "about">>> = SCOPES;

export const english = {
  names,
  unknown: "Unknown source",
  thisSession: "this session only",
  line: (place: string, line: number) => `${place}, line ${line}`,
};
