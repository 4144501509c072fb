// The shape of the catalogue: one area for each folder of the page, with the English texts as the model. A language that lacks a
// text, or has one with other parameters, does not compile.

export interface Catalogue {
  readonly composer: typeof import("./en/composer.ts").english;
  readonly composerExtras: typeof import("./en/composerExtras.ts").english;
  readonly content: typeof import("./en/content.ts").english;
  readonly contentDiagrams: typeof import("./en/contentDiagrams.ts").english;
  readonly contentMarks: typeof import("./en/contentMarks.ts").english;
  readonly language: typeof import("./en/language.ts").english;
  readonly pairing: typeof import("./en/pairing.ts").english;
  readonly parts: typeof import("./en/parts.ts").english;
  readonly requests: typeof import("./en/requests.ts").english;
  readonly rules: typeof import("./en/rules.ts").english;
  readonly sentences: typeof import("./en/sentences.ts").english;
  readonly timeline: typeof import("./en/timeline.ts").english;
  readonly timelineRare: typeof import("./en/timelineRare.ts").english;
  readonly timelineRareTools: typeof import("./en/timelineRareTools.ts").english;
  readonly timelineTools: typeof import("./en/timelineTools.ts").english;
}
