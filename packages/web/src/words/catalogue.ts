// The shape of the catalogue: one area for each folder of the page, with the English texts as the model. A language that lacks a
// text, or has one with other parameters, does not compile.

export interface Catalogue {
  readonly language: typeof import("./en/language.ts").english;
  readonly modes: typeof import("./en/modes.ts").english;
  readonly names: typeof import("./en/names.ts").english;
  readonly pairing: typeof import("./en/pairing.ts").english;
  readonly scopes: typeof import("./en/scopes.ts").english;
}
