import type { Catalogue } from "../catalogue.ts";
import { japanese as language } from "./language.ts";
import { japanese as modes } from "./modes.ts";
import { japanese as names } from "./names.ts";
import { japanese as pairing } from "./pairing.ts";
import { japanese as scopes } from "./scopes.ts";

export const JAPANESE: Catalogue = {
  language,
  modes,
  names,
  pairing,
  scopes,
};
