// Names of characters that cannot be seen.

export const english = {
  /** By code, or by kind. The shared package has the English names. */
  names: {} as Readonly<Record<string, string>>,
};
