// Structured output: the schema of the session's answers, as zod or JSON Schema. The CLI gets it at its start and holds
// the model to it. The host checks the answer again, because nothing else guarantees its type.

import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;
export type OutputSchema<T = unknown> = z.ZodType<T> | JsonSchema;

const isZod = (schema: OutputSchema): schema is z.ZodType => "_zod" in schema;

/** The schema for the CLI, without `$schema`, because not every version knows the dialect. */
export const jsonSchemaOf = (schema: OutputSchema): JsonSchema => {
  if (!isZod(schema)) return schema;
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema);
  return rest;
};

export type CheckedOutput<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export const checkOutput = <T>(schema: OutputSchema<T>, value: unknown): CheckedOutput<T> => {
  const checker = isZod(schema) ? schema : z.fromJSONSchema({ ...schema });
  const checked = checker.safeParse(value);
  return checked.success ? { ok: true, value: checked.data as T } : { ok: false, why: z.prettifyError(checked.error) };
};
