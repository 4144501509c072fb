/** The text for a name on the wire. A name that we do not know is its own text. */
export const byKey = (texts: Readonly<Record<string, string>>, key: string): string =>
  Object.hasOwn(texts, key) ? texts[key]! : key;
