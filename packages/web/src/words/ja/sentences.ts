import type { english } from "../en/sentences.ts";

export const japanese: typeof english = {
  texts: {},
};
