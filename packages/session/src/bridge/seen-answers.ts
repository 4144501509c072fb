// What a role sees of the CLI's answers to control requests, and of the facts that contain them. A lower role sees only the
// fields that are named here, so a field of a newer CLI is hidden until someone has reviewed it. Secrets are hidden from
// every role. Pure.

import { isRecord } from "@quarterdeck/protocol";
import type { HostSubtype, JsonValue } from "@quarterdeck/protocol";
import type { Event } from "../event.ts";
import { textWithoutSecrets, withoutSecrets } from "../secrets.ts";
import { includesRole } from "./bridge.ts";
import type { Role } from "./bridge.ts";
import { REQUEST_ROLES } from "./policy.ts";

/** Fields to keep. `true` keeps the whole value. In a list, each element is reduced. */
type Mask = true | { readonly [field: string]: Mask };
type Reduce = (answer: unknown) => unknown;

const keep =
  (mask: Mask): Reduce =>
  (answer) => {
    if (mask === true) return answer;
    if (Array.isArray(answer)) return answer.map(keep(mask));
    if (!isRecord(answer)) return null;
    return Object.fromEntries(
      Object.entries(mask).flatMap(([field, inner]) =>
        Object.hasOwn(answer, field) ? [[field, keep(inner)(answer[field])]] : [],
      ),
    );
  };

const SERVER = {
  name: true,
  status: true,
  scope: true,
  source: true,
  transport: true,
  serverInfo: { name: true, title: true, version: true },
  tools: { name: true, description: true, annotations: true, inputSchema: true },
} as const satisfies Mask;
const SERVER_CONFIG = { type: true, command: true, args: true, url: true, env: true, headers: true } as const;

const HOOKS = { eventCatalog: true, events: { name: true, event: true, count: true, hookCount: true } } as const;
const HOOK = { event: true, hookEvent: true, matcher: true, source: true, type: true } as const;

/** Rows of `get_status` that say nothing about the account or the machine's network. */
const PLAIN_STATUS: ReadonlySet<unknown> = new Set([
  ...["Version", "Session name", "Session ID", "Session kind", "cwd", "Model"],
]);

interface Seen {
  /** For `view` and `answer`. */
  readonly view: Reduce;
  readonly operate: Reduce;
}
const SEEN: { readonly [S in HostSubtype]?: Seen } = {
  mcp_status: {
    view: keep({ mcpServers: SERVER }),
    operate: keep({ mcpServers: { ...SERVER, error: true, config: SERVER_CONFIG } }),
  },
  get_settings: {
    view: keep({ applied: { model: true, effort: true } }),
    operate: keep({
      effective: {
        model: true,
        effortLevel: true,
        outputStyle: true,
        language: true,
        permissions: true,
        enabledPlugins: true,
        env: true,
      },
      sources: { source: true },
      applied: true,
      errors: true,
      withheld: true,
    }),
  },
  get_status: { view: (answer) => plainStatus(answer), operate: keep(true) },
  get_hooks_listing: {
    view: keep({ ...HOOKS, hooks: HOOK }),
    operate: keep({ ...HOOKS, hooks: HOOK, policy: true, errors: true }),
  },
  get_memory_dialog: {
    view: keep({ files: { kind: true, label: true, exists: true }, auto_memory: true }),
    operate: keep(true),
  },
  get_skills_dialog: {
    view: keep({ skills: { name: true, description: true, source: true, enabled: true } }),
    operate: keep(true),
  },
  get_sandbox_dialog: { view: keep({ supported: true, enabled: true, mode: true, locked: true }), operate: keep(true) },
};

const plainStatus: Reduce = (answer) => {
  const sections = isRecord(answer) && Array.isArray(answer["sections"]) ? answer["sections"] : [];
  return {
    sections: sections.filter(isRecord).map(({ title, rows }) => ({
      title,
      rows: (Array.isArray(rows) ? rows : []).filter((row) => isRecord(row) && PLAIN_STATUS.has(row["label"])),
    })),
  };
};

/**
 * Answers that are part of the conversation, which every role sees. Also answers that are useless if they are reduced,
 * such as the address of a login.
 */
const AS_THEY_ARE: ReadonlySet<string> = new Set<HostSubtype>([
  "side_question",
  "get_plan",
  "get_task_output",
  "export_conversation",
  "mcp_read_resource",
  "mcp_call",
  "mcp_authenticate",
  "claude_authenticate",
]);

/** Whether a device with this role sees answers and facts whole, except for secrets. */
export const seesAll = (role: Role): boolean => includesRole(role, "admin");

/** The answer to a control request, as a device with this role may see it. */
export const seenAnswer = (subtype: HostSubtype, answer: unknown, role: Role): unknown => {
  if (AS_THEY_ARE.has(subtype)) return answer;
  const seen = SEEN[subtype];
  if (seen === undefined || seesAll(role)) return withoutSecrets(answer);
  return withoutSecrets((role === "operate" ? seen.operate : seen.view)(answer));
};

/**
 * A fact of the log, as a device with this role may see it. The log itself keeps what crossed the pipe. Pieces of stderr may cut a
 * secret in two, so lower roles see them only in the head, where they are one text without secrets.
 */
export const seenFact = (event: Event, role: Role): Event => {
  if (event.type === "stderr") return { ...event, text: seesAll(role) ? textWithoutSecrets(event.text) : "" };
  if (event.type === "noise") return seesAll(role) ? event : { ...event, bytes: "" };
  if (event.type !== "sent" && event.type !== "received") return event;
  const { message } = event;
  if (!isRecord(message)) return event;
  const type = message["type"];
  if (type === "auth_status" && !seesAll(role)) return { ...event, message: withoutLogin(message) };
  if (event.type === "sent" && type === "control_request") return { ...event, message: seenAsked(message, role) };
  if (type !== "control_response" || !isRecord(message["response"])) return event;
  const reply = seenReply(message["response"]);
  // The CLI repeats our own answers on its stdout.
  const response = event.type === "sent" ? reply : seenBody(reply, role);
  return { ...event, message: { ...message, response } as JsonValue };
};

/** What the CLI prints during a login: an address and the result. */
const withoutLogin = ({
  output: _printed,
  error: _reason,
  ...message
}: Readonly<Record<string, unknown>>): JsonValue => ({ ...message, withheld: true });

/** A request of ours. Its fields are shown to roles that may send it. */
const seenAsked = (message: Readonly<Record<string, unknown>>, role: Role): JsonValue => {
  const request = isRecord(message["request"]) ? message["request"] : {};
  const { subtype } = request;
  const needed = (typeof subtype === "string" ? REQUEST_ROLES[subtype as HostSubtype] : null) ?? "admin";
  const shown = includesRole(role, needed) ? withoutSecrets(request) : { subtype, withheld: true };
  return { ...message, request: shown } as JsonValue;
};

/** An answer of the CLI does not name its request, so only an admin sees its content. */
const seenBody = (response: Readonly<Record<string, unknown>>, role: Role): Readonly<Record<string, unknown>> => {
  const { response: body, error, ...about } = response;
  if (!seesAll(role))
    return { ...about, ...(body !== undefined && { withheld: true }), ...(error !== undefined && { error: "" }) };
  return {
    ...about,
    ...(body !== undefined && { response: withoutSecrets(body) }),
    ...(error !== undefined && { error: withoutSecrets(error) }),
  };
};

/** An answer of ours. Text typed into the form of a server may be a password. */
const seenReply = (response: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const body = response["response"];
  if (!isRecord(body) || typeof body["action"] !== "string" || body["content"] === undefined) return response;
  const { content: _typed, ...rest } = body;
  return { ...response, response: { ...rest, withheld: true } };
};
