import type { Catalogue } from "../catalogue.ts";
import { japanese as language } from "./language.ts";
import { japanese as pairing } from "./pairing.ts";

export const JAPANESE: Catalogue = { language, pairing };
