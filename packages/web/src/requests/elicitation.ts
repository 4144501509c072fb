// Makes a form from the schema that an MCP server sends: flat, with strings, numbers, booleans and choices. Pure.

import { isRecord } from "@quarterdeck/client/content";
import { WORDS } from "./words.ts";

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly about?: string;
  readonly required: boolean;
  readonly kind: "text" | "long" | "number" | "integer" | "boolean" | "choice" | "choices";
  readonly format?: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly min?: number;
  readonly max?: number;
  readonly initial: unknown;
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

const optionsOf = (schema: Record<string, unknown>): FormField["options"] => {
  const named = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(named))
    return named.flatMap((option: unknown) =>
      isRecord(option) && typeof option["const"] === "string"
        ? [{ value: option["const"], label: text(option["title"]) ?? option["const"] }]
        : [],
    );
  if (!Array.isArray(schema["enum"])) return undefined;
  const names = Array.isArray(schema["enumNames"]) ? schema["enumNames"] : [];
  return schema["enum"]
    .filter((value) => typeof value === "string")
    .map((value, at) => ({ value, label: text(names[at]) ?? value }));
};

/** Undefined where the schema is more than a form can be: then the whole is asked for as JSON. */
export const formFieldsOf = (schema: unknown, order: readonly string[] = []): readonly FormField[] | undefined => {
  if (!isRecord(schema) || !isRecord(schema["properties"])) return schema === undefined ? [] : undefined;
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const names = Object.keys(schema["properties"]).toSorted((a, b) => rankOf(order, a) - rankOf(order, b));
  const fields: FormField[] = [];
  for (const name of names) {
    const field = fieldOf(name, schema["properties"][name], required.has(name));
    if (field === undefined) return undefined;
    fields.push(field);
  }
  return fields;
};
const rankOf = (order: readonly string[], name: string): number =>
  order.includes(name) ? order.indexOf(name) : order.length;

const fieldOf = (name: string, schema: unknown, required: boolean): FormField | undefined => {
  if (!isRecord(schema)) return undefined;
  const about = text(schema["description"]);
  const min = number(schema["minimum"]) ?? number(schema["minLength"]) ?? number(schema["minItems"]);
  const max = number(schema["maximum"]) ?? number(schema["maxLength"]) ?? number(schema["maxItems"]);
  const format = text(schema["format"]);
  const base = {
    name,
    label: text(schema["title"]) ?? name,
    required,
    ...(about !== undefined && { about }),
    ...(format !== undefined && { format }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  };
  const options = optionsOf(schema);
  switch (schema["type"]) {
    case "boolean":
      return { ...base, kind: "boolean", initial: schema["default"] === true };
    case "number":
    case "integer":
      return { ...base, kind: schema["type"], initial: number(schema["default"]) ?? "" };
    case "array": {
      const items = isRecord(schema["items"]) ? optionsOf(schema["items"]) : undefined;
      return items === undefined
        ? undefined
        : {
            ...base,
            kind: "choices",
            options: items,
            initial: Array.isArray(schema["default"]) ? schema["default"] : [],
          };
    }
    case "string":
      if (options !== undefined) return { ...base, kind: "choice", options, initial: text(schema["default"]) ?? "" };
      return { ...base, kind: (max ?? 0) > 200 ? "long" : "text", initial: text(schema["default"]) ?? "" };
    default:
      return undefined;
  }
};

/** What is wrong with a value, in words; undefined if nothing is. */
export const fieldProblemOf = (field: FormField, value: unknown): string | undefined => {
  const empty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
  if (empty) return field.required && field.kind !== "boolean" ? WORDS.isRequired : undefined;
  const size =
    typeof value === "string" || Array.isArray(value) ? value.length : typeof value === "number" ? value : undefined;
  if (field.kind === "integer" && !Number.isInteger(value)) return WORDS.whole;
  if (size !== undefined && field.min !== undefined && size < field.min) return WORDS.atLeast(field.min, unit(field));
  if (size !== undefined && field.max !== undefined && size > field.max) return WORDS.atMost(field.max, unit(field));
  return undefined;
};
const unit = ({ kind }: FormField): string =>
  kind === "text" || kind === "long" ? "characters" : kind === "choices" ? "choices" : "";

/** Optional fields that are empty are left out. */
export const contentOf = (
  fields: readonly FormField[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = values[field.name] ?? field.initial;
      return value === "" || (Array.isArray(value) && value.length === 0 && !field.required)
        ? []
        : [[field.name, value]];
    }),
  );
