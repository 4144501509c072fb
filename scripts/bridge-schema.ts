// Makes JSON Schema from the zod source of the bridge, for docs/schemas/bridge.json and the tables of docs/bridge.md.

import { CONTROL } from "@quarterdeck/protocol";
import type { Schema } from "@quarterdeck/protocol";
import { BRIDGE_ERRORS, BRIDGE_PATH, BRIDGE_VERSION, CLOSE_CODES } from "@quarterdeck/session/bridge";
import type { Method } from "@quarterdeck/session/bridge";
import { Event } from "@quarterdeck/session/bridge/event-schema";
import { Head, OpenRequest } from "@quarterdeck/session/bridge/head-schema";
import { Draft, DraftPiece, Row } from "@quarterdeck/session/bridge/row-schema";
import { Actor } from "@quarterdeck/session/bridge/state-shapes";
import { needs } from "@quarterdeck/session/bridge/policy";
import { METHODS, NOTIFICATIONS } from "@quarterdeck/session/bridge/schema";
import { z } from "zod";

export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
}

const { shape: list } = METHODS["sessions/list"].result;
const { shape: subscribed } = METHODS["session/subscribe"].result;
const { answer } = METHODS["session/respond"].params.shape;
const { shape: diff } = METHODS["changes/diff"].result;

/** Named shapes: defined once, referenced elsewhere. */
const NAMED: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  [Row, "Row"],
  [Head, "Head"],
  [Draft, "Draft"],
  [DraftPiece, "DraftPiece"],
  [OpenRequest, "OpenRequest"],
  [Event, "Event"],
  [Actor, "Actor"],
  [list.sessions.element, "SessionSummary"],
  [METHODS["projects/inspect"].result, "FolderInspection"],
  [answer, "Answer"],
  [subscribed.watchers.element, "Watcher"],
  [diff.hunks.element, "Hunk"],
  [METHODS["sessions/start"].params.shape.settings.unwrap(), "StartSettings"],
]);

const ALLOW = answer.options[0];
/** Shapes that are written by hand below. */
const WRITTEN: ReadonlyMap<z.core.$ZodType, string> = new Map([
  [ALLOW.shape.updatedPermissions.unwrap().element, "PermissionUpdate"],
]);

/** Types that the source leaves open, because the server does not check its own output. Their schemas are here. */
const BY_TITLE: Readonly<Record<string, string>> = {
  Row: "Row",
  Head: "Head",
  "Head fields": "HeadFields",
  Event: "Event",
  "Draft piece": "DraftPiece",
  "Open request": "OpenRequest",
  "Request of the CLI": "CliRequest",
  "Tool result": "ToolResult",
  "MCP server": "McpServer",
};

const refTo = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });

const schemaOf = (schema: z.ZodType): JsonSchema => {
  const name = NAMED.get(schema);
  return name === undefined ? definitionOf(schema) : refTo(name);
};

const definitionOf = (schema: z.ZodType): JsonSchema => {
  const root: z.core.$ZodType = schema;
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
    override: ({ zodSchema, jsonSchema, path }) => {
      const title = jsonSchema.title ?? "";
      const isOpen = zodSchema instanceof z.ZodCustom && title in BY_TITLE;
      const name = isOpen
        ? BY_TITLE[title]
        : zodSchema === root
          ? undefined
          : (NAMED.get(zodSchema) ?? WRITTEN.get(zodSchema));
      if (name !== undefined && path.length > 0) {
        const { description } = jsonSchema;
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
        jsonSchema.$ref = `#/$defs/${name}`;
        // The definition has the description already.
        if (description !== undefined && !isOpen) jsonSchema.description = description;
      } else if (zodSchema instanceof z.ZodCustom && title === "Any JSON") {
        delete jsonSchema.title;
      }
    },
  }) as JsonSchema & { $schema?: string };
  return withoutLimits(json) as JsonSchema;
};

/** Removes limits that only say "the largest number of JavaScript". */
const withoutLimits = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutLimits);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, field]) => Math.abs(Number(field)) !== Number.MAX_SAFE_INTEGER);
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutLimits(field)]));
};

/** What the protocol asserts about a request of the CLI. It may have more fields. */
const cliRequest = (): JsonSchema => ({
  title: "CliRequest",
  description: "A request of the CLI, with the names of the wire. Newer CLIs may add fields.",
  oneOf: Object.entries(CONTROL)
    .filter(([, { from }]) => from === "cli")
    .map(([subtype, { request }]) => wireObject(request, { subtype: { const: subtype } })),
});

const wireObject = (schema: Schema<unknown>, known: Readonly<Record<string, JsonSchema>> = {}): JsonSchema => {
  const fields = Object.entries(schema.fields ?? {}).filter(([name]) => !(name in known));
  return {
    type: "object",
    properties: { ...known, ...Object.fromEntries(fields.map(([name, field]) => [name, wireField(field)])) },
    required: [...Object.keys(known), ...fields.filter(([, { optional }]) => optional !== true).map(([name]) => name)],
  };
};

const wireField = (field: Schema<unknown>): JsonSchema => {
  const kind = field.kind.replace(/\?$/, "");
  if (field.fields !== undefined) return wireObject(field);
  const [first = ""] = kind.split(" ");
  if (kind === first && ["string", "number", "boolean", "object"].includes(kind)) return { type: kind };
  if (first === "string" && kind.startsWith("string ("))
    return { type: "string", description: `One of ${kind.slice(8, -1)}, or newer.` };
  if (kind.startsWith("array of ")) return { type: "array", description: kind };
  return kind === "anything" ? {} : { description: kind };
};

const DESTINATION: JsonSchema = {
  enum: ["session", "localSettings", "projectSettings", "userSettings", "cliArg"],
};
const update = (type: string, fields: Readonly<Record<string, JsonSchema>>): JsonSchema => {
  const properties = { type: { const: type }, ...fields, destination: DESTINATION };
  return { type: "object", properties, required: Object.keys(properties) };
};
const RULES: Readonly<Record<string, JsonSchema>> = {
  rules: {
    type: "array",
    items: {
      type: "object",
      properties: { toolName: { type: "string" }, ruleContent: { type: "string" } },
      required: ["toolName"],
    },
  },
  behavior: { enum: ["allow", "deny", "ask"] },
};
const DIRECTORIES: Readonly<Record<string, JsonSchema>> = { directories: { type: "array", items: { type: "string" } } };
const PERMISSION_UPDATE: JsonSchema = {
  description: "A rule, a mode or folders to allow from now on, in the form that the CLI suggests.",
  oneOf: [
    update("addRules", RULES),
    update("replaceRules", RULES),
    update("removeRules", RULES),
    update("setMode", { mode: { type: "string" } }),
    update("addDirectories", DIRECTORIES),
    update("removeDirectories", DIRECTORIES),
  ],
};

const TOOL_RESULT: JsonSchema = {
  title: "ToolResult",
  description: "The result of a tool. `packages/protocol/src/tools` describes the structured result of each tool.",
  type: "object",
  properties: {
    tool: { type: "string", description: "A known tool, or `other`." },
    name: { type: "string", description: "The name, if `tool` is `other`." },
    ok: { type: "boolean" },
    text: { type: "string", description: "The output of the tool; for a failure, the message of the CLI." },
    error: { type: "string" },
    detail: { type: "string" },
    exitCode: { type: "number" },
    interrupted: { const: true },
    detached: { const: true, description: "The call was moved to the background and still runs." },
    background: { type: "object" },
    persisted: { type: "object", description: "The file to which the CLI wrote output that was too long." },
    numbered: { type: "object" },
    notes: { type: "array", items: { type: "string" } },
    images: { type: "array", items: { type: "object" } },
    structured: { description: "Fields of this tool." },
  },
  required: ["tool", "ok", "text"],
};

const MCP_SERVER: JsonSchema = {
  title: "McpServer",
  description: "An MCP server as the CLI lists it. It may have more fields.",
  type: "object",
  properties: {
    name: { type: "string" },
    status: { type: "string", description: "connected, failed, needs-auth, pending, disabled, or newer." },
    error: { type: "string" },
    scope: { type: "string" },
    tools: { type: "array", items: { type: "object" } },
  },
  required: ["name", "status"],
};

export interface DescribedMethod {
  readonly role: string;
  readonly about: string;
  /** It has a `commandId` and runs once. */
  readonly isCommand: boolean;
  readonly params: JsonSchema;
  readonly result: JsonSchema;
}

export const definitions = (): Readonly<Record<string, JsonSchema>> => {
  const named = Object.fromEntries([...NAMED].map(([schema, name]) => [name, definitionOf(schema as z.ZodType)]));
  const { required: _, ...head } = named["Head"]!;
  const all: Record<string, JsonSchema> = {
    ...named,
    HeadFields: { ...head, title: "HeadFields", description: "Some fields of the head." },
    CliRequest: cliRequest(),
    PermissionUpdate: PERMISSION_UPDATE,
    ToolResult: TOOL_RESULT,
    McpServer: MCP_SERVER,
  };
  return Object.fromEntries(
    Object.entries(all)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => [name, { ...schema, title: name }]),
  );
};

export const methods = (): ReadonlyMap<Method, DescribedMethod> =>
  new Map(
    (Object.keys(METHODS) as Method[]).map((name) => {
      const { about, params, result } = METHODS[name];
      const { role } = needs(name);
      const described = schemaOf(params);
      const isCommand = described.properties?.["commandId"] !== undefined;
      return [name, { role, about, isCommand, params: described, result: schemaOf(result) }];
    }),
  );

export const notifications = (): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(Object.entries(NOTIFICATIONS).map(([name, schema]) => [name, schemaOf(schema)]));

export const bridgeSchema = (): string =>
  `${JSON.stringify(
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: `Quarterdeck bridge ${BRIDGE_VERSION}`,
      description:
        "JSON-RPC 2.0 over a WebSocket, one object per frame. Unknown fields are ignored, except in `initialize`. " +
        "`methods` and `notifications` have a schema for each direction. Shared shapes are in `$defs`.",
      path: BRIDGE_PATH,
      methods: Object.fromEntries(methods()),
      notifications: notifications(),
      errors: BRIDGE_ERRORS,
      closeCodes: CLOSE_CODES,
      $defs: definitions(),
    },
    null,
    1,
  )}\n`;

/** `sessions/list` is `SessionsList`. */
const typeName = (name: string): string =>
  name.replaceAll(/(?:^|[/-])(\w)/gu, (_, letter: string) => letter.toUpperCase());

const frame = (fields: Readonly<Record<string, JsonSchema>>): JsonSchema => {
  const properties = { jsonrpc: { const: "2.0" }, ...fields };
  return { type: "object", properties, required: Object.keys(properties) };
};

/**
 * The same as a plain JSON Schema, for generators and validators: each shape has a name in `$defs`, and the root is any frame. It
 * has no keyword of ours. Objects are open, because unknown fields are ignored.
 */
export const typesSchema = (): string => {
  const all: Record<string, JsonSchema> = { ...definitions() };
  const [calls, told] = [[] as string[], [] as string[]];
  const id = { type: ["integer", "string"] };
  for (const [name, { about, params, result }] of methods()) {
    const type = typeName(name);
    all[`${type}Params`] = { ...params, title: `${type}Params` };
    all[`${type}Result`] = { ...result, title: `${type}Result` };
    const call = frame({ id, method: { const: name }, params: refTo(`${type}Params`) });
    all[`${type}Call`] = { ...call, title: `${type}Call`, ...(about !== "" && { description: about }) };
    calls.push(`${type}Call`);
  }
  for (const [name, schema] of Object.entries(notifications())) {
    const type = typeName(name);
    all[`${type}Params`] = { ...schema, title: `${type}Params` };
    all[`${type}Notice`] = {
      ...frame({ method: { const: name }, params: refTo(`${type}Params`) }),
      title: `${type}Notice`,
    };
    told.push(`${type}Notice`);
  }
  const error = {
    type: "object",
    properties: {
      code: { type: "integer" },
      message: { type: "string" },
      data: { type: "object", properties: { code: { enum: Object.keys(BRIDGE_ERRORS) } }, required: ["code"] },
    },
    required: ["code", "message", "data"],
  };
  const answerFrame = frame({ id, result: { description: "The result of the method." } });
  all["Result"] = { ...answerFrame, title: "Result" };
  all["Failure"] = { ...frame({ id: { type: ["integer", "string", "null"] }, error }), title: "Failure" };
  all["ClientFrame"] = { title: "ClientFrame", anyOf: calls.map(refTo) };
  all["ServerFrame"] = { title: "ServerFrame", anyOf: ["Result", "Failure", ...told].map(refTo) };
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `https://quarterdeck.invalid/bridge-${BRIDGE_VERSION}.json`,
    title: "QuarterdeckBridge",
    description:
      "One frame of the bridge, of either side. The parameters and the result of each method are in `$defs`.",
    anyOf: [refTo("ClientFrame"), refTo("ServerFrame")],
    $defs: all,
  };
  return `${JSON.stringify(opened(schema), null, 1)}\n`;
};

/** Without `additionalProperties: false`, and without descriptions next to a reference, which older generators do not take. */
const opened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(opened);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(
    ([key, field]) =>
      !(key === "additionalProperties" && field === false) && !(key === "description" && "$ref" in value),
  );
  return Object.fromEntries(fields.map(([key, field]) => [key, opened(field)]));
};
