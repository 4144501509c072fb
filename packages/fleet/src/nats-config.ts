// The configuration of `nats-server` as text. Every user has one key and the permissions of `subjects.ts`; nobody else is let in.

import { hasStallOption } from "./nats-version.ts";
import { ACCOUNT, DISCONNECTS, joinPermissions, nodePermissions } from "./subjects.ts";
import type { Permissions } from "./subjects.ts";

export interface BusConfig {
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly pidFile: string;
  readonly logFile?: string;
  readonly hub: string;
  /** Public keys by name. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Public keys of join codes by id. */
  readonly codes: Readonly<Record<string, string>>;
  /** The version of the `nats-server` that will read this. */
  readonly version: string;
}

export const natsConfig = (config: BusConfig): string => {
  const users = [
    ...Object.entries(config.nodes).map(([name, key]) => userText(key, nodePermissions(name, name === config.hub))),
    ...Object.entries(config.codes).map(([id, key]) => userText(key, joinPermissions(id))),
  ];
  return [
    "# Written by `quarterdeck fleet`. Changes by hand are lost.",
    `host: ${quoted(config.host)}`,
    `port: ${String(config.port)}`,
    `pid_file: ${quoted(config.pidFile)}`,
    ...(config.logFile === undefined ? [] : [`log_file: ${quoted(config.logFile)}`, "logfile_size_limit: 1MB"]),
    // A dead link is noticed within six seconds on both sides.
    'ping_interval: "2s"',
    "ping_max: 2",
    'write_deadline: "5s"',
    "max_payload: 256KB",
    "max_pending: 16MB",
    "max_control_line: 4KB",
    "max_subscriptions: 100",
    // A client that does not read must not slow down those who send to it.
    ...(hasStallOption(config.version) ? ["no_fast_producer_stall: true"] : []),
    ...(config.tls === undefined
      ? []
      : [`tls {\n  cert_file: ${quoted(config.tls.cert)}\n  key_file: ${quoted(config.tls.key)}\n  timeout: 5\n}`]),
    "authorization { timeout: 5 }",
    "system_account: SYS",
    "accounts {",
    `  SYS { exports: [{ stream: ${quoted(DISCONNECTS)}, accounts: [${ACCOUNT}] }] }`,
    `  ${ACCOUNT} {`,
    `    imports: [{ stream: { account: SYS, subject: ${quoted(DISCONNECTS)} } }]`,
    `    users: [\n${users.join("\n")}\n    ]`,
    "  }",
    "}",
    "",
  ].join("\n");
};

const userText = (key: string, { publish, subscribe, answers }: Permissions): string =>
  [
    `    { nkey: ${quoted(key)}, permissions: {`,
    `      publish: { allow: [${publish.map(quoted).join(", ")}] }`,
    `      subscribe: { allow: [${subscribe.map(quoted).join(", ")}] }`,
    ...(answers ? ['      allow_responses: { max: 1, expires: "5s" }'] : []),
    "    } }",
  ].join("\n");

/** A quoted text ends at the next quote, and `$` would name a variable outside of quotes only. */
const quoted = (text: string): string => {
  if (/["\\\p{Cc}]/u.test(text))
    throw new RangeError("A value of the NATS configuration has a quote or a control character.");
  return `"${text}"`;
};
