// The tables of docs/bridge.md, written from the bridge's zod source. What stands between them is written by hand.

import { BRIDGE_ERRORS, CLOSE_CODES } from "@quarterdeck/session/bridge";
import type { BridgeErrorCode, Method } from "@quarterdeck/session/bridge";
import { REQUEST_ROLES, START_ROLES } from "@quarterdeck/session/bridge/roles";
import { definitions, methods, notifications } from "./bridge-schema.ts";
import type { DescribedMethod, JsonSchema } from "./bridge-schema.ts";
import { withSection } from "./protocol-table.ts";

/** Beyond those that every call may meet. */
const ERRORS: Readonly<Record<Method, readonly BridgeErrorCode[]>> = {
  initialize: ["unauthenticated", "limit"],
  ping: [],
  "sessions/list": [],
  "sessions/search": [],
  "sessions/start": ["folder-untrusted", "outside-roots", "not-found", "limit", "process-ended", "shutting-down"],
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
  "sessions/close": ["unknown-session"],
  "sessions/rename": ["unknown-session"],
  "sessions/archive": ["unknown-session"],
  "sessions/delete": ["unknown-session"],
  "projects/list": [],
  "projects/inspect": ["outside-roots", "not-found"],
  "projects/trust": ["changed", "outside-roots", "not-found"],
  "session/subscribe": ["unknown-session"],
  "session/rows": ["unknown-session", "not-found"],
  "session/find": ["unknown-session"],
  "session/events": ["unknown-session"],
  "session/unsubscribe": [],
  "session/ack": [],
  "session/prompt": ["unknown-session", "folder-untrusted", "outside-roots", "not-found", "shutting-down"],
  "session/editPrompt": [
    "unknown-session",
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
  "changes/list": ["unknown-session", "outside-roots"],
  "changes/diff": ["unknown-session", "outside-roots", "not-found"],
  "requests/preview": ["unknown-session", "not-open"],
  "tickets/create": ["unknown-session", "too-large", "unsupported", "outside-roots", "not-found"],
  "devices/list": [],
  "devices/pair": [],
  "devices/addToken": [],
  "devices/revoke": ["not-found"],
};

const MEANINGS: Readonly<Record<BridgeErrorCode, string>> = {
  "bad-request":
    "The parameters are invalid. The message says where. A frame that is not JSON has the number -32700. JSON that is not a call has -32600.",
  "unknown-method": "There is no such method; `data.method` names it.",
  internal: "A bug of the server's. Its log has the rest.",
  unauthenticated: "Not let in, or not any more.",
  forbidden: "The device's role is not enough; `data.role` says which one is.",
  "unknown-session": "There is no such session.",
  "unknown-request": "There is no such request.",
  "unknown-prompt": "There is no such prompt.",
  "not-found": "A row, a file, an upload or a device is not there.",
  "not-live": "The session has no process: resume it.",
  "session-live": "The session has a process already.",
  "session-held": "A terminal has the session; `data` says which process, and since when.",
  "process-ended": "The process ended before it answered.",
  "already-answered": "Somebody was first; `data` says who, and when.",
  "not-open": "The request was withdrawn, or ended with its process.",
  changed: "Something has changed since the client saw it. Fetch it again, show it, and repeat the command.",
  "too-late": "The prompt has begun.",
  "invalid-answer": "An answer of this kind does not fit the request.",
  "folder-untrusted":
    "The folder has hooks, servers or settings that nobody has trusted, or that changed since. `data` is what `projects/inspect` gives, except for `session/request` and `session/respond`.",
  "outside-roots": "The path is not in a folder that the server shares.",
  "too-large": "More bytes than the server takes; `data.limit` says how many it does.",
  unsupported: "Not through the bridge, or not with this CLI.",
  limit: "Too many sessions, calls or attempts.",
  "cli-refused": "The CLI refused or failed a control request, in its own words.",
  timeout: "The CLI did not answer in time.",
  "shutting-down": "The server is about to end. Nothing was done: send it again to the next one.",
};

const CLOSINGS: Readonly<Record<keyof typeof CLOSE_CODES, string>> = {
  unauthenticated: "Not let in: a wrong signature or token, or no `initialize` within five seconds.",
  revoked: "The device was revoked. Do not come back.",
  tooSlow: "The client asks and does not read. Come back.",
  tooMany: "Too many sockets of strangers. Wait, then come back.",
  shuttingDown: "The server ends. Come back: another one may be starting.",
};

const code = (text: string): string => `\`${text}\``;
const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** A type in a few words. */
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
    if (name === "commandId") return [code(name), "string", "A UUID of the client's own: see [commands](#commands)."];
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

const methodText = (name: Method, { role, about, isCommand, params, result }: DescribedMethod): string => {
  const errors = ERRORS[name];
  return [
    `### ${name}`,
    [`Role **${role}**${isCommand ? ", a command" : ""}.`, about].filter((text) => text !== "").join(" "),
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
      role,
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

const SECTIONS: readonly (readonly [string, () => string])[] = [
  ["overview", overviewText],
  ["errors", errorsText],
  ["closings", closingsText],
  ["methods", methodsText],
  ["notifications", notificationsText],
  ["requests", () => namesBy(REQUEST_ROLES)],
  ["settings", () => namesBy(START_ROLES)],
  ["definitions", definitionsText],
];

export const bridgeDocument = (current: string): string =>
  SECTIONS.reduce((text, [name, content]) => withSection(text, name, content()), current);
