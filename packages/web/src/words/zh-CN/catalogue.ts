import type { Catalogue } from "../catalogue.ts";
import { chinese as language } from "./language.ts";
import { chinese as modes } from "./modes.ts";
import { chinese as names } from "./names.ts";
import { chinese as pairing } from "./pairing.ts";
import { chinese as scopes } from "./scopes.ts";

export const CHINESE: Catalogue = {
  language,
  modes,
  names,
  pairing,
  scopes,
};
