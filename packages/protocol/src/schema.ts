// Loose shapes of the wire. Each is a type, a check, and data for tables and tests. A shape checks only the fields that it
// names; other fields are kept. This is not a validation library: no transforms, no defaults, no error trees. The hot path
// runs these checks on every line.

export interface Schema<out T> {
  readonly kind: string;
  readonly accepts: (value: unknown) => boolean;
  readonly fields?: SchemaFields;
  readonly optional?: true;
  /** Never set. It only has the type. */
  readonly infer?: T;
}
export type SchemaFields = Readonly<Record<string, Schema<unknown>>>;
export interface ObjectSchema<out T> extends Schema<T> {
  readonly fields: SchemaFields;
}
export interface OptionalSchema<out T> extends Schema<T> {
  readonly optional: true;
}

export type Infer<S> = S extends Schema<infer T> ? T : never;

type OptionalKeys<F> = { [K in keyof F]: F[K] extends { readonly optional: true } ? K : never }[keyof F];
type InferFields<F> = Flat<
  { [K in Exclude<keyof F, OptionalKeys<F>>]: Infer<F[K]> } & { [K in OptionalKeys<F>]?: Infer<F[K]> | undefined }
>;
export type Flat<T> = { [K in keyof T]: T[K] } & {};

export const string: Schema<string> = { kind: "string", accepts: (value) => typeof value === "string" };
export const number: Schema<number> = { kind: "number", accepts: (value) => typeof value === "number" };
export const boolean: Schema<boolean> = { kind: "boolean", accepts: (value) => typeof value === "boolean" };
export const anything: Schema<unknown> = { kind: "anything", accepts: (value) => value !== undefined };
export const record: Schema<Record<string, unknown>> = {
  kind: "object",
  accepts: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

export const literal = <const L extends string | boolean>(value: L): Schema<L> => ({
  kind: JSON.stringify(value),
  accepts: (candidate) => candidate === value,
});

/** Any string, because a newer CLI may add values. The named ones are known. */
export const oneOf = <const L extends string>(...known: readonly L[]): Schema<L | (string & {})> => ({
  kind: `string (${known.join(", ")})`,
  accepts: string.accepts,
});

export const nullable = <T>(inner: Schema<T>): Schema<T | null> => ({
  kind: `${inner.kind} or null`,
  accepts: (value) => value === null || inner.accepts(value),
});

export const optional = <T>(inner: Schema<T>): OptionalSchema<T> => ({
  ...inner,
  kind: `${inner.kind}?`,
  optional: true,
  accepts: (value) => value === undefined || inner.accepts(value),
});

export const array = <T>(inner: Schema<T>): Schema<T[]> => ({
  kind: `array of ${inner.kind}`,
  accepts: (value) => Array.isArray(value) && value.every(inner.accepts),
});

export const dictionary = <T>(inner: Schema<T>): Schema<Record<string, T>> => ({
  kind: `object of ${inner.kind}`,
  accepts: (value) => record.accepts(value) && Object.values(value as object).every(inner.accepts),
});

export const either = <A, B>(first: Schema<A>, second: Schema<B>): Schema<A | B> => ({
  kind: `${first.kind} or ${second.kind}`,
  accepts: (value) => first.accepts(value) || second.accepts(value),
});

export const object = <const F extends SchemaFields>(fields: F): ObjectSchema<InferFields<F>> => {
  const checks = Object.entries(fields).map(([key, field]) => ({ key, accepts: field.accepts }));
  return {
    kind: "object",
    fields,
    accepts: (value) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      const candidate = value as Record<string, unknown>;
      for (const check of checks) {
        if (!check.accepts(Object.hasOwn(candidate, check.key) ? candidate[check.key] : undefined)) return false;
      }
      return true;
    },
  };
};

/**
 * Objects that differ by the string in one field. An unlisted value is accepted as `otherwise`, or refused without
 * `otherwise`.
 */
export function byTag<const M extends Members>(tag: string, members: M): Schema<Infer<M[keyof M]>>;
export function byTag<const M extends Members, S extends Schema<unknown>>(
  tag: string,
  members: M,
  otherwise: S,
): Schema<Infer<M[keyof M]> | Infer<S>>;
export function byTag(tag: string, members: Members, otherwise?: Schema<unknown>): Schema<unknown> {
  const table = new Map(Object.entries(members));
  return {
    kind: `object by ${tag}`,
    accepts: (value) => {
      if (!record.accepts(value)) return false;
      const name = (value as Record<string, unknown>)[tag];
      if (typeof name !== "string") return false;
      const member = table.get(name) ?? otherwise;
      return member !== undefined && member.accepts(value);
    },
  };
}
type Members = Readonly<Record<string, Schema<unknown>>>;

/** The first named field that does not match, for people. */
export const misfitOf = (schema: Schema<unknown>, value: unknown): string | undefined => {
  if (schema.accepts(value)) return undefined;
  if (schema.fields === undefined || !record.accepts(value)) return `is not ${schema.kind}`;
  for (const [key, field] of Object.entries(schema.fields)) {
    const inner = misfitOf(field, (value as Record<string, unknown>)[key]);
    if (inner !== undefined) return inner.startsWith("is not ") ? `${key} ${inner}` : `${key}.${inner}`;
  }
  return `is not ${schema.kind}`;
};
