import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bridgeDocument } from "./bridge-document.ts";
import { bridgeSchema, definitions, methods, notifications } from "./bridge-schema.ts";
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

/** Fields that may contain any JSON. */
const OPEN: readonly string[] = [
  "session/request >.response",
  "Answer.content",
  "Answer.result",
  "Row.structuredOutput",
  "Row.value",
];
