// Writes the tables of docs/bridge.md from the zod source of the bridge and its policy. The text between them is written by hand.

import { BRIDGE_ERRORS, CLOSE_CODES } from "@quarterdeck/session/bridge";
import type { PermissionUpdate } from "@quarterdeck/protocol";
import type { BridgeErrorCode, Method } from "@quarterdeck/session/bridge";
import { dependsOnParams, needs, REQUEST_ROLES, SLASH_ROLES, START_ROLES } from "@quarterdeck/session/bridge/policy";
import type { Given, Known, Need } from "@quarterdeck/session/bridge/policy";
import { answersText, statesText, statusesText, vectorText } from "./bridge-meanings.ts";
import { definitions, methods, notifications } from "./bridge-schema.ts";
import type { DescribedMethod, JsonSchema } from "./bridge-schema.ts";
import { withSection } from "./protocol-table.ts";

const GIT_ERRORS: readonly BridgeErrorCode[] = [
  ...(["unknown-session", "outside-roots", "not-found", "folder-in-use", "changed", "unsupported"] as const),
];

/** Errors of a method, in addition to those that any call may return. */
const ERRORS: Readonly<Record<Method, readonly BridgeErrorCode[]>> = {
  initialize: ["unauthenticated", "limit"],
  ping: [],
  "sessions/list": [],
  "sessions/search": [],
  "session/secrets": ["unknown-session"],
  "usage/report": ["bad-request"],
  "sessions/start": [
    "over-budget",
    "folder-untrusted",
    "outside-roots",
    "not-found",
    "limit",
    "process-ended",
    "shutting-down",
  ],
  "sessions/resume": [
    "unknown-session",
    "folder-untrusted",
    "session-held",
    "not-live",
    "outside-roots",
    "limit",
    "process-ended",
    "shutting-down",
  ],
  "sessions/fork": [
    "unknown-session",
    "folder-untrusted",
    "not-found",
    "outside-roots",
    "unsupported",
    "limit",
    "process-ended",
    "shutting-down",
  ],
  "relay/open": ["bad-request", "forbidden", "outside-roots", "not-found", "shutting-down"],
  "relay/input": ["not-found"],
  "relay/endInput": ["not-found"],
  "relay/signal": ["not-found"],
  "relay/ack": ["not-found"],
  "sessions/close": ["unknown-session"],
  "sessions/handOver": ["unknown-session", "unsupported"],
  "sessions/rename": ["unknown-session"],
  "sessions/archive": ["unknown-session"],
  "sessions/delete": ["unknown-session", "session-held"],
  "projects/list": [],
  "projects/inspect": ["outside-roots", "not-found"],
  "projects/trust": ["changed", "outside-roots", "not-found"],
  "session/subscribe": ["unknown-session"],
  "session/rows": ["unknown-session", "not-found"],
  "session/find": ["unknown-session"],
  "session/events": ["unknown-session"],
  "session/unsubscribe": [],
  "session/ack": [],
  "session/prompt": [
    "unknown-session",
    "over-budget",
    "folder-untrusted",
    "outside-roots",
    "not-found",
    "shutting-down",
  ],
  "session/editPrompt": [
    "unknown-session",
    "over-budget",
    "folder-untrusted",
    "outside-roots",
    "unknown-prompt",
    "too-late",
    "not-found",
    "shutting-down",
  ],
  "session/cancelPrompt": ["unknown-session", "unknown-prompt"],
  "session/interrupt": ["unknown-session", "not-live", "process-ended", "timeout"],
  "session/respond": [
    "unknown-session",
    "folder-untrusted",
    "unknown-request",
    "already-answered",
    "not-open",
    "changed",
    "invalid-answer",
  ],
  "session/request": [
    "unknown-session",
    "folder-untrusted",
    "not-live",
    "unsupported",
    "cli-refused",
    "process-ended",
    "timeout",
  ],
  "session/setModel": ["unknown-session", "not-live", "cli-refused", "process-ended", "timeout"],
  "session/setPermissionMode": ["unknown-session", "not-live", "cli-refused", "process-ended", "timeout"],
  "session/setThinking": ["unknown-session", "not-live", "cli-refused", "process-ended", "timeout"],
  "files/suggest": ["unknown-session", "outside-roots", "not-found"],
  "files/list": ["outside-roots", "not-found"],
  "files/read": ["unknown-session", "outside-roots", "not-found"],
  "changes/list": ["unknown-session", "unknown-prompt", "outside-roots", "unsupported"],
  "changes/diff": ["unknown-session", "unknown-prompt", "outside-roots", "not-found", "unsupported"],
  "changes/content": ["unknown-session", "unknown-prompt", "outside-roots", "not-found", "unsupported"],
  "changes/patch": ["unknown-session", "unknown-prompt", "outside-roots", "too-large", "unsupported"],
  "revert/preview": ["unknown-session", "unknown-prompt", "outside-roots", "changed", "unsupported"],
  "revert/apply": ["unknown-session", "unknown-prompt", "outside-roots", "changed", "unsupported"],
  "revert/undo": ["unknown-session", "outside-roots", "not-open", "turn-running", "unsupported"],
  "rewind/preview": ["unknown-session", "unknown-prompt", "outside-roots", "unsupported"],
  "rewind/apply": [
    "unknown-session",
    "unknown-prompt",
    "folder-untrusted",
    "outside-roots",
    "turn-running",
    "unsupported",
    "shutting-down",
  ],
  "rewind/undo": ["unknown-session", "outside-roots", "not-open", "turn-running", "unsupported"],
  "requests/preview": ["unknown-session", "not-open"],
  "rules/list": ["unknown-session", "outside-roots", "not-found"],
  "rules/test": ["unknown-session", "outside-roots", "not-found", "not-open"],
  "rules/preview": ["unknown-session", "outside-roots", "not-found", "unsupported"],
  "rules/save": ["unknown-session", "outside-roots", "not-found", "changed", "unsupported"],
  "session/settings": ["unknown-session"],
  "defaults/get": ["outside-roots", "not-found"],
  "defaults/set": ["outside-roots", "not-found"],
  "budgets/get": ["unknown-session", "unsupported"],
  "budgets/set": ["unknown-session", "unsupported"],
  "mcp/servers": ["unknown-session"],
  "mcp/preview": ["unknown-session", "not-found", "unsupported"],
  "mcp/save": ["unknown-session", "not-found", "changed", "not-live", "unsupported", "timeout", "cli-refused"],
  "mcp/log": ["unknown-session"],
  "server/settings": [],
  "server/setVariable": ["outside-roots", "not-found"],
  "server/revokeTrust": ["not-found"],
  "server/planRetention": [],
  "notifications/get": [],
  "notifications/set": ["bad-request"],
  "notifications/subscribe": ["bad-request", "limit"],
  "notifications/unsubscribe": [],
  "notifications/test": [],
  "notifications/look": [],
  "notifications/targets": [],
  "notifications/setTarget": ["bad-request", "not-found", "limit"],
  "notifications/removeTarget": ["not-found"],
  "notifications/testTarget": ["not-found"],
  "server/setRetention": [],
  "policies/list": ["unknown-session", "outside-roots", "not-found"],
  "policies/add": ["unknown-session", "outside-roots", "not-found"],
  "policies/change": ["not-found"],
  "policies/remove": ["not-found"],
  "audit/list": ["unknown-session", "outside-roots", "not-found"],
  "git/state": ["unknown-session", "outside-roots", "not-found"],
  "git/brief": [],
  "git/diff": ["unknown-session", "outside-roots", "not-found", "unsupported"],
  "git/stage": GIT_ERRORS,
  "git/unstage": GIT_ERRORS,
  "git/commit": GIT_ERRORS,
  "git/undo": GIT_ERRORS,
  "git/remote": ["unknown-session", "outside-roots", "not-found"],
  "git/push": ["unknown-session", "outside-roots", "not-found", "changed", "unsupported"],
  "git/pullRequest": ["unknown-session", "outside-roots", "not-found", "unsupported"],
  "git/worktrees": ["unknown-session", "outside-roots", "not-found"],
  "git/compare": ["unknown-session", "outside-roots", "not-found", "unsupported"],
  "git/planMerge": ["unknown-session", "outside-roots", "not-found", "unsupported"],
  "git/planDiscard": ["unknown-session", "outside-roots", "not-found", "unsupported"],
  "git/merge": GIT_ERRORS,
  "git/discard": GIT_ERRORS,
  "tickets/create": ["unknown-session", "too-large", "unsupported", "outside-roots", "not-found"],
  "devices/list": [],
  "devices/pair": [],
  "devices/reach": [],
  "devices/addToken": [],
  "devices/revoke": ["not-found"],
  "fleet/status": [],
  "fleet/reload": ["unsupported"],
};

const MEANINGS: Readonly<Record<BridgeErrorCode, string>> = {
  "bad-request":
    "The parameters are invalid; the message says where. A frame that is not JSON has the number -32700, and JSON that is not a call -32600.",
  "unknown-method": "The method does not exist; `data.method` names it.",
  internal: "A bug in the server. Its log has the details.",
  unauthenticated: "The credential is invalid or was revoked.",
  forbidden: "The device needs another role; `data.role` names it.",
  "unknown-session": "The session does not exist.",
  "unknown-request": "The request does not exist.",
  "unknown-prompt": "The prompt does not exist.",
  "not-found": "A row, a file, an upload or a device does not exist.",
  "not-live": "The session has no process. Resume it.",
  "session-live": "The session already has a process.",
  "session-held": "A terminal has the session open; `data` names the process, and since when.",
  "process-ended": "The process ended before it answered.",
  "already-answered": "The request was already answered. `data` says who answered, and when.",
  "not-open": "The request was withdrawn, or closed with its process.",
  changed: "Something has changed since the client saw it. Fetch it again, show it, and repeat the command.",
  "too-late": "The prompt has already started.",
  "invalid-answer": "The request does not accept an answer of this kind.",
  "turn-running": "A turn is running. Wait until it ends, or stop it.",
  "folder-untrusted":
    "The folder has hooks, servers or settings that are not trusted, or that changed since. `data` is the result of `projects/inspect`, except for `session/request` and `session/respond`.",
  "outside-roots": "The path is not in a folder that the server shares.",
  "too-large": "The data exceeds the limit in `data.limit` (bytes).",
  "folder-in-use": "A session works in the folder; `data.sessions` names it. Wait until it rests.",
  unsupported: "The bridge or this CLI does not support it.",
  limit: "Too many sessions, calls or attempts.",
  "over-budget": "A budget is spent. `data` has its scope, what was spent and the limit. Nothing of the call was kept.",
  "cli-refused": "The CLI refused or failed a control request; the message is from the CLI.",
  timeout: "The CLI did not answer in time.",
  "shutting-down": "The server is shutting down and did nothing. Send the call again to the next server.",
};

const CLOSINGS: Readonly<Record<keyof typeof CLOSE_CODES, string>> = {
  unauthenticated: "Wrong signature or token: do not reconnect with it. Or no `initialize` within five seconds.",
  revoked: "The device was revoked. Do not reconnect.",
  tooSlow: "The client sends calls but does not read. Reconnect.",
  tooMany: "Too many sockets of unknown clients. Wait, then reconnect.",
  shuttingDown: "The server is shutting down. Reconnect, because another server may be starting.",
};

const RULE_FOR_ALL = { scope: "userSettings", behavior: "allow", rule: "Bash(ls)" } as const;

/** Calls that show what a method needs beyond its role. The roles in the table come from the policy itself. */
const CALLS: { readonly [M in Method]?: readonly (readonly [words: string, params: Given<M>, known?: Known])[] } = {
  "sessions/start": [
    ["some settings: see below", { settings: { mcpConfig: [] } }],
    ["`permissionMode` is `auto` or `bypassPermissions`", { settings: { permissionMode: "auto" } }],
    ["some commands in the prompt: see below", { prompt: "/config" }],
    ["the folder has no session and is not trusted", {}, { isNewFolder: true }],
  ],
  "sessions/resume": [
    ["`takeOver`", { takeOver: true }],
    ["a terminal's session, in a folder that has no session and is not trusted", {}, { isNewFolder: true }],
  ],
  "projects/trust": [["`trusted`", { trusted: true }]],
  "session/prompt": [["some commands in the prompt: see below", { content: "/config" }]],
  "session/editPrompt": [["some commands in the prompt: see below", { content: "/config" }]],
  "session/respond": [
    ["`updatedInput`", { answer: { kind: "allow", updatedInput: {} } }],
    ["a mode for the session", answerWith({ type: "setMode", mode: "acceptEdits", destination: "session" })],
    ["the mode `auto` or `bypassPermissions`", answerWith({ type: "setMode", mode: "auto", destination: "session" })],
    ["a rule or folder that the CLI suggested, for the session", answerWith(folderRule("session"))],
    ["another rule or folder, for the session", answerWith(folderRule("session")), { suggested: [] }],
    ["a rule or folder in `localSettings`", answerWith(folderRule("localSettings"))],
    ["a rule or folder in another destination", answerWith(folderRule("userSettings"))],
    ["the result of a dialog, unless it is cancelled", { answer: { kind: "dialog", result: {} } }],
  ],
  "session/request": [["some subtypes: see below", { request: { subtype: "update_settings" } }]],
  "session/setPermissionMode": [["`auto` or `bypassPermissions`", { mode: "auto" }]],
  "rules/save": [["a rule in `projectSettings` or `userSettings`", { change: { to: RULE_FOR_ALL } }]],
  "defaults/set": [["`permissionMode` is `auto` or `bypassPermissions`", { settings: { permissionMode: "auto" } }]],
  "budgets/set": [["`dayUsd` or `eachUsd`", { dayUsd: 1 }]],
  "server/setRetention": [["`days` is a number", { days: 30 }]],
  "policies/add": [["a policy that allows", { behavior: "allow" }]],
  "tickets/create": [
    ["`upload`", { kind: "upload" }],
    ["`audit`", { kind: "audit" }],
  ],
};

function answerWith(update: object): Given<"session/respond"> {
  return { answer: { kind: "allow", updatedPermissions: [update as PermissionUpdate] } };
}
function folderRule(destination: string): object {
  return { type: "addDirectories", directories: ["/"], destination };
}

const callsOf = (method: Method): readonly (readonly [words: string, need: Need])[] => {
  const calls = CALLS[method] ?? [];
  if (dependsOnParams(method) && calls.length === 0) throw new Error(`${method}: say which of its calls need more.`);
  return calls.map(([words, params, known]) => [words, needs(method, params, known)]);
};
const needsMore = (method: Method): boolean => callsOf(method).some(([, { role }]) => role !== needs(method).role);

const code = (text: string): string => `\`${text}\``;
const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** Describes a type in a few words. */
const typeText = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace("#/$defs/", "");
    return name === "HeadFields" ? "fields of [Head](#head)" : `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(" or ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeText).join(" or ");
  if (schema.type === "array") return arrayText(schema);
  if (schema.type === "object") return objectText(schema);
  return schema.type === undefined ? "any JSON" : [schema.type].flat().join(" or ");
};

const arrayText = ({ items, prefixItems }: JsonSchema): string => {
  if (prefixItems !== undefined) return `[${prefixItems.map(typeText).join(", ")}]`;
  return items === undefined ? "array" : `array of ${typeText(items)}`;
};

const objectText = ({ properties, required = [], additionalProperties }: JsonSchema): string => {
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(
      ([name, field]) => `${code(required.includes(name) ? name : `${name}?`)} ${typeText(field)}`,
    );
    return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
  }
  if (typeof additionalProperties !== "object" || Object.keys(additionalProperties).length === 0) return "object";
  return `object of ${typeText(additionalProperties)}`;
};

const limitsOf = ({ minLength, maxLength, minimum, maximum, maxItems, format, pattern }: JsonSchema): string[] => {
  const between = (low: unknown, high: unknown, of: string): string[] => {
    if (typeof high !== "number") return typeof low === "number" && low !== 0 ? [`at least ${low}${of}`] : [];
    return [typeof low === "number" && low > 1 ? `${low} to ${high}${of}` : `at most ${high}${of}`];
  };
  return [
    ...(format === "uuid" ? ["a UUID"] : []),
    ...(typeof pattern === "string" && format !== "uuid" ? [code(pattern)] : []),
    ...between(minLength === 1 ? undefined : minLength, maxLength, " characters"),
    ...between(minimum, maximum, ""),
    ...between(undefined, maxItems, " items"),
  ];
};

const fieldRows = ({ properties = {}, required = [] }: JsonSchema): string[][] =>
  Object.entries(properties).map(([name, field]) => {
    const notes = [...(required.includes(name) ? [] : ["optional"]), ...limitsOf(field)].join(", ");
    if (name === "commandId") return [code(name), "string", "A UUID that the client makes. See [commands](#commands)."];
    const about = [field.description ?? "", notes === "" ? "" : `_${notes}_`].filter((text) => text !== "").join(" ");
    return [code(name), cell(typeText(field)), cell(about)];
  });

const shapeText = (title: string, schema: JsonSchema): string => {
  const header = [title, "type", ""];
  if (schema.$ref !== undefined) return `${title}: ${typeText(schema)}.`;
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return choices.map((choice) => table(header, fieldRows(choice))).join("\n\n");
  if (Object.keys(schema.properties ?? {}).length === 0) return `${title}: \`{}\`.`;
  return table(header, fieldRows(schema));
};

const SOME_MORE = "[some calls more](#roles-within-a-method)";

const methodText = (name: Method, { role, about, isCommand, params, result }: DescribedMethod): string => {
  const errors = ERRORS[name];
  return [
    `### ${name}`,
    [`Role **${role}**${needsMore(name) ? `, ${SOME_MORE}` : ""}${isCommand ? ", a command" : ""}.`, about]
      .filter((text) => text !== "")
      .join(" "),
    shapeText("parameter", params),
    shapeText("result", result),
    ...(errors.length === 0 ? [] : [`Errors: ${errors.map(code).join(", ")}.`]),
  ].join("\n\n");
};

const methodsText = (): string => [...methods()].map(([name, method]) => methodText(name, method)).join("\n\n");

const overviewText = (): string =>
  table(
    ["method", "role", ""],
    [...methods()].map(([name, { role, about }]) => [
      `[${code(name)}](#${name.toLowerCase().replaceAll("/", "")})`,
      needsMore(name) ? `${role} or more` : role,
      cell(about),
    ]),
  );

const notificationsText = (): string =>
  Object.entries(notifications())
    .map(([name, schema]) => `### ${name} (notification)\n\n${shapeText("field", schema)}`)
    .join("\n\n");

const definitionText = (name: string, schema: JsonSchema): string => {
  const { oneOf } = schema;
  const about = schema.description === undefined ? [] : [schema.description];
  const tag = ["kind", "type", "subtype"].find((key) =>
    oneOf?.every(({ properties }) => properties?.[key] !== undefined),
  );
  if (oneOf === undefined || tag === undefined)
    return [`### ${name}`, ...about, table(["field", "type", ""], fieldRows(schema))].join("\n\n");
  const shared = sharedBy(oneOf, tag);
  const kinds = oneOf.map((choice) => {
    const { properties = {}, required = [], description } = choice;
    const own = Object.entries(properties).filter(([key]) => key !== tag && !shared.has(key));
    const fields = objectText({ properties: Object.fromEntries(own), required });
    return [typeText(properties[tag]!), cell([description, own.length === 0 ? "" : fields].filter(Boolean).join(" "))];
  });
  const common = { properties: Object.fromEntries([...shared]), required: oneOf[0]!.required ?? [] };
  return [
    `### ${name}`,
    ...about,
    ...(shared.size === 0 ? [] : [table(["all have", "type", ""], fieldRows(common))]),
    table([code(tag), "fields"], kinds),
  ].join("\n\n");
};

const sharedBy = (choices: readonly JsonSchema[], tag: string): ReadonlyMap<string, JsonSchema> => {
  const [first, ...others] = choices;
  const isShared = (name: string, field: JsonSchema): boolean =>
    name !== tag && others.every(({ properties }) => JSON.stringify(properties?.[name]) === JSON.stringify(field));
  return new Map(Object.entries(first?.properties ?? {}).filter(([name, field]) => isShared(name, field)));
};

const definitionsText = (): string =>
  Object.entries(definitions())
    .filter(([name]) => name !== "HeadFields")
    .map(([name, schema]) => definitionText(name, schema))
    .join("\n\n");

const errorsText = (): string =>
  table(
    ["`data.code`", "`code`", ""],
    (Object.keys(BRIDGE_ERRORS) as BridgeErrorCode[]).map((name) => [
      code(name),
      String(BRIDGE_ERRORS[name]),
      cell(MEANINGS[name]),
    ]),
  );

const closingsText = (): string =>
  table(
    ["code", "name", ""],
    (Object.keys(CLOSE_CODES) as (keyof typeof CLOSE_CODES)[]).map((name) => [
      String(CLOSE_CODES[name]),
      code(name),
      CLOSINGS[name],
    ]),
  );

const namesBy = (roles: Readonly<Record<string, string | null>>): string =>
  table(
    ["role", ""],
    ["view", "answer", "operate", "admin", "none"].flatMap((role) => {
      const names = Object.keys(roles).filter((name) => (roles[name] ?? "none") === role);
      return names.length === 0 ? [] : [[role === "none" ? "not through the bridge" : role, names.map(code).join(" ")]];
    }),
  );

/** Methods whose calls differ in what they need, and calls that a person confirms. */
const policyText = (): string =>
  table(
    ["method", "call", "role", "a person confirms"],
    [...methods().keys()].flatMap((name) => {
      const least = needs(name);
      const all = [...(least.confirm === undefined ? [] : [["every call", least] as const]), ...callsOf(name)];
      return all.map(([words, { role, confirm }]) => [code(name), words, role, confirm ?? ""]);
    }),
  );

const SECTIONS: readonly (readonly [string, () => string])[] = [
  ["overview", overviewText],
  ["errors", errorsText],
  ["closings", closingsText],
  ["answers", answersText],
  ["vector", vectorText],
  ["states", statesText],
  ["statuses", statusesText],
  ["methods", methodsText],
  ["notifications", notificationsText],
  ["requests", () => namesBy(REQUEST_ROLES)],
  ["settings", () => namesBy(START_ROLES)],
  ["policy", policyText],
  ["commands", () => namesBy(Object.fromEntries(SLASH_ROLES))],
  ["definitions", definitionsText],
];

export const bridgeDocument = (current: string): string =>
  SECTIONS.reduce((text, [name, content]) => withSection(text, name, content()), current);
