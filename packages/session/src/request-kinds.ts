// Which requests of the CLI wait for a person. The host answers the others itself. A new kind fails the compiler here.

import type { OpenRequest, RequestKind } from "./head.ts";

const WAITS: Readonly<Record<RequestKind, boolean>> = {
  permission: true,
  question: true,
  plan: true,
  elicitation: true,
  dialog: true,
  hook: false,
  mcp: false,
};

export const waitsForPerson = ({ kind }: Pick<OpenRequest, "kind">): boolean => WAITS[kind];
