// Structured output: what the session must answer with, as a zod schema or as JSON Schema. The CLI is told at its start and holds
// the model to it; what comes back is checked here once more, because nothing else makes it that type.

import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;
export type OutputSchema<T = unknown> = z.ZodType<T> | JsonSchema;

const isZod = (schema: OutputSchema): schema is z.ZodType => "_zod" in schema;

/** As the CLI takes it: without the name of its dialect, which not every version knows. */
export const jsonSchemaOf = (schema: OutputSchema): JsonSchema => {
  if (!isZod(schema)) return schema;
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema);
  return rest;
};

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export const checkOutput = <T>(schema: OutputSchema<T>, value: unknown): Checked<T> => {
  const checker = isZod(schema) ? schema : z.fromJSONSchema({ ...schema });
  const checked = checker.safeParse(value);
  return checked.success ? { ok: true, value: checked.data as T } : { ok: false, why: z.prettifyError(checked.error) };
};
