// Texts about languages.

export const english = {
  label: "Language",
  system: "Browser's",
};
