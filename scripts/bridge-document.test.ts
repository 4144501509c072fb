import { readFileSync } from "node:fs";
import { createFold } from "@quarterdeck/session";
import { RECORDINGS } from "@quarterdeck/test-kit/recordings";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { bridgeDocument } from "./bridge-document.ts";
import { vectorsFile } from "./bridge-meanings.ts";
import { bridgeSchema, typesSchema, definitions, methods, notifications } from "./bridge-schema.ts";
import type { JsonSchema } from "./bridge-schema.ts";

const read = (path: string): string => readFileSync(new URL(`../docs/${path}`, import.meta.url), "utf8");

describe("docs/bridge.md", () => {
  const document = read("bridge.md");

  it("matches the zod source (otherwise run: npm run docs)", () => {
    expect(document).toBe(bridgeDocument(document));
  });

  it("has a heading for each link", () => {
    const headings = new Set(
      [...document.matchAll(/^#+ (.+)$/gm)].map(([, text]) =>
        text!
          .toLowerCase()
          .replaceAll(/[^\w -]/g, "")
          .replaceAll(" ", "-"),
      ),
    );
    const links = [...document.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor!);
    expect(links.length).toBeGreaterThan(50);
    expect([...new Set(links)].filter((anchor) => !headings.has(anchor))).toEqual([]);
  });
});

describe("docs/schemas/canonical-json.json", () => {
  it("matches the code (otherwise run: npm run docs)", () => {
    expect(read("schemas/canonical-json.json")).toBe(vectorsFile());
  });
});

describe("docs/schemas/bridge.json", () => {
  it("matches the zod source (otherwise run: npm run docs)", () => {
    expect(read("schemas/bridge.json")).toBe(bridgeSchema());
  });

  it("describes every shape: only fields for any JSON are open", () => {
    const open: string[] = [];
    const visit = (schema: JsonSchema, path: string): void => {
      const { properties = {}, items: each, prefixItems, oneOf = [], anyOf = [], description, ...rest } = schema;
      for (const [name, field] of Object.entries(properties)) visit(field, `${path}.${name}`);
      const items = prefixItems === undefined ? each : undefined;
      for (const item of prefixItems ?? []) visit(item, `${path}[]`);
      if (items !== undefined) visit(items, `${path}[]`);
      for (const choice of [...oneOf, ...anyOf]) visit(choice, path);
      const isOpen = Object.keys(rest).length === 0 && oneOf.length === 0 && anyOf.length === 0 && each === undefined;
      if (isOpen && description === undefined) open.push(path);
    };
    for (const [name, { params, result }] of methods()) {
      visit(params, `${name} <`);
      visit(result, `${name} >`);
    }
    for (const [name, schema] of Object.entries(notifications())) visit(schema, name);
    for (const [name, schema] of Object.entries(definitions())) visit(schema, name);
    expect(open).toEqual(OPEN);
  });

  it("has no reference without a definition", () => {
    const defined = Object.keys(definitions());
    const referred = [...bridgeSchema().matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name]) => name!);
    expect([...new Set(referred)].filter((name) => !defined.includes(name))).toEqual([]);
  });
});

describe("docs/schemas/bridge.schema.json", () => {
  const text = read("schemas/bridge.schema.json");
  const schema = JSON.parse(text) as JsonSchema & { readonly $defs: Readonly<Record<string, JsonSchema>> };
  const checker = (name: string) =>
    z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs: schema.$defs } as Parameters<typeof z.fromJSONSchema>[0]);

  it("matches the zod source (otherwise run: npm run docs)", () => {
    expect(text).toBe(typesSchema());
  });

  it("has only keywords of JSON Schema, a title for each type, and no reference without a definition", () => {
    const wrong: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value === "boolean") return;
      if (typeof value !== "object" || value === null || Array.isArray(value)) return void wrong.push(path);
      for (const [key, field] of Object.entries(value as Record<string, unknown>)) {
        const at = `${path}/${key}`;
        if (MAPS.has(key)) for (const [name, each] of Object.entries(field as object)) visit(each, `${at}/${name}`);
        else if (LISTS.has(key)) (field as unknown[]).forEach((each, index) => visit(each, `${at}/${index}`));
        else if (ONES.has(key)) visit(field, at);
        else if (key === "$ref" && !Object.hasOwn(schema.$defs, String(field).replace("#/$defs/", ""))) wrong.push(at);
        else if (!WORDS.has(key)) wrong.push(at);
      }
    };
    visit(schema, "#");
    expect(wrong).toEqual([]);
    for (const [name, { title }] of Object.entries(schema.$defs)) expect(title).toBe(name);
    for (const name of methods().keys()) expect(text).toContain(`"const": "${name}"`);
  });

  it("is read by a generator, whose checks take what the bridge sends and refuse what it does not", () => {
    const all = Object.keys(schema.$defs).map((name) => ({ $ref: `#/$defs/${name}` }));
    const any = { anyOf: all, $defs: schema.$defs } as Parameters<typeof z.fromJSONSchema>[0];
    expect(z.fromJSONSchema(any).safeParse(7).success).toBe(false);
    const fold = createFold();
    for (const event of RECORDINGS[0]!.events) fold.apply(event);
    const row = checker("Row");
    const { rows, head } = JSON.parse(JSON.stringify({ rows: fold.rows, head: fold.head })) as Pick<
      typeof fold,
      "rows" | "head"
    >;
    for (const each of rows) expect(row.safeParse(each).error).toBeUndefined();
    expect(checker("Head").safeParse(head).error).toBeUndefined();
    const frame = checker("ClientFrame");
    const call = { jsonrpc: "2.0", id: 1, method: "sessions/list", params: { state: "live" } };
    expect(frame.safeParse(call).error).toBeUndefined();
    expect(frame.safeParse({ ...call, params: { state: "asleep" } }).success).toBe(false);
    expect(frame.safeParse({ ...call, method: "sessions/sing" }).success).toBe(false);
    expect(row.safeParse({ ...rows[0], order: "first" }).success).toBe(false);
    const told = { jsonrpc: "2.0", method: "session/changed", params: { session: "s", cursor: "e:1", rows } };
    expect(checker("ServerFrame").safeParse(told).error).toBeUndefined();
    expect(checker("SessionChangedNotice").safeParse({ ...told, params: { session: 5 } }).success).toBe(false);
  });
});

const MAPS: ReadonlySet<string> = new Set(["properties", "$defs"]);
const ONES: ReadonlySet<string> = new Set(["items", "propertyNames", "additionalProperties"]);
const LISTS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
/** Keywords whose values are not schemas. */
const WORDS: ReadonlySet<string> = new Set([
  "default",
  ...["$schema", "$id", "$ref", "title", "description", "type", "const", "enum", "required", "format", "pattern"],
  ...["minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "minItems", "maxItems", "readOnly"],
]);

/** Fields that may contain any JSON. */
const OPEN: readonly string[] = [
  "session/request >.response",
  "Answer.content",
  "Answer.result",
  "Row.structuredOutput",
  "Row.value",
];
