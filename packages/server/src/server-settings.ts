// What the command gives to the server: settings that a person chose, and what the process knows.

import type { Log } from "./log.ts";

export interface ServerSettings {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly claude: string | undefined;
  readonly demo: boolean;
  /** Folders whose files clients may see. Empty: the home folder and the current one. */
  readonly roots: readonly string[];
  readonly maxSessions: number;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Set behind a proxy: the proxy's addresses. */
  readonly proxies: readonly string[] | undefined;
  readonly allowHosts: readonly string[];
  readonly ccpocketPort: number | undefined;
  readonly uploadBytes: number;
  /** Takes snapshots of the sessions' folders, for reviews and rewinds. */
  readonly snapshots: boolean;
  /** Sessions inherit only known variables, and these. Undefined: all, without our own. */
  readonly cleanEnv: readonly string[] | undefined;
  /** Hosts in private networks to which notifications may go: `host:port`. */
  readonly notifyHosts?: readonly string[];
}

export interface ServerParts {
  readonly settings: ServerSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Current folder at the start. It is one of the roots, unless the user named others. */
  readonly cwd: string;
  readonly version: string;
  readonly log: Log;
  /** The folder of the page. Default: `builtPage()`. */
  readonly pageFolder?: string;
}
