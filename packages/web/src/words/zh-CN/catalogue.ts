import type { Catalogue } from "../catalogue.ts";
import { chinese as language } from "./language.ts";
import { chinese as pairing } from "./pairing.ts";

export const CHINESE: Catalogue = { language, pairing };
