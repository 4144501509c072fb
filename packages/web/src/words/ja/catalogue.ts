import type { Catalogue } from "../catalogue.ts";
import { japanese as composer } from "./composer.ts";
import { japanese as composerExtras } from "./composerExtras.ts";
import { japanese as content } from "./content.ts";
import { japanese as contentDiagrams } from "./contentDiagrams.ts";
import { japanese as contentMarks } from "./contentMarks.ts";
import { japanese as language } from "./language.ts";
import { japanese as pairing } from "./pairing.ts";
import { japanese as parts } from "./parts.ts";
import { japanese as requests } from "./requests.ts";
import { japanese as rules } from "./rules.ts";
import { japanese as sentences } from "./sentences.ts";
import { japanese as timeline } from "./timeline.ts";
import { japanese as timelineRare } from "./timelineRare.ts";
import { japanese as timelineRareTools } from "./timelineRareTools.ts";
import { japanese as timelineTools } from "./timelineTools.ts";

export const JAPANESE: Catalogue = {
  composer,
  composerExtras,
  content,
  contentDiagrams,
  contentMarks,
  language,
  pairing,
  parts,
  requests,
  rules,
  sentences,
  timeline,
  timelineRare,
  timelineRareTools,
  timelineTools,
};
