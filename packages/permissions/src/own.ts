/** Looks up a name that comes from outside. Inherited names such as `constructor` give nothing. */
export const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
