// What the server gives to a dialect: another protocol over the same host.

import type { Enter } from "../access/access.ts";
import type { BridgeOptions } from "../seams.ts";

/** Another protocol on a port of its own, over the same host and log. Its clients send their token as it wants them to. */
export type StartDialect = (
  options: BridgeOptions & {
    readonly listenAt: { readonly host: string; readonly port: number };
    readonly tls: { readonly cert: string; readonly key: string } | undefined;
    /** Of our own server, for a dialect that is a client of it. */
    readonly url: string;
    /** Who may come in at its port, once that is known: access decides there, too. */
    readonly doorAt: (port: number) => Enter;
  },
) => Promise<{ readonly port: number; close(): Promise<void> }>;
