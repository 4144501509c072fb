import type { english } from "../en/sentences.ts";

export const chinese: typeof english = {
  texts: {},
};
