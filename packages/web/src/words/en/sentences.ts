// Sentences of the shared packages about rules: reasons, risks, problems and warnings.

/** By the English sentence of the shared package. {1} and {2} stand for names in it. */
export const english = {
  texts: {} as Readonly<Record<string, string>>,
};
