// Every program that a shell line would start, through eval, sh -c, xargs, wrappers and here-documents. For our own policies:
// they must see more than the CLI does.

import { notBuilt } from "./not-built.ts";
import type { Programs } from "./types.ts";

export const programsOf = (_command: string): Programs => notBuilt("programsOf");
