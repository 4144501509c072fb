/** Texts in another language. A text that is missing is shown in English, and docs/languages.md lists it. */
export type Translation<Texts> = Texts extends string | ((...parts: never[]) => unknown) | readonly unknown[]
  ? Texts
  : { readonly [Name in keyof Texts]?: Translation<Texts[Name]> };
