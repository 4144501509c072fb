import type { Catalogue } from "../catalogue.ts";
import { chinese as composer } from "./composer.ts";
import { chinese as composerExtras } from "./composerExtras.ts";
import { chinese as content } from "./content.ts";
import { chinese as contentDiagrams } from "./contentDiagrams.ts";
import { chinese as contentMarks } from "./contentMarks.ts";
import { chinese as language } from "./language.ts";
import { chinese as pairing } from "./pairing.ts";
import { chinese as parts } from "./parts.ts";
import { chinese as requests } from "./requests.ts";
import { chinese as rules } from "./rules.ts";
import { chinese as sentences } from "./sentences.ts";
import { chinese as timeline } from "./timeline.ts";
import { chinese as timelineRare } from "./timelineRare.ts";
import { chinese as timelineRareTools } from "./timelineRareTools.ts";
import { chinese as timelineTools } from "./timelineTools.ts";

export const CHINESE: Catalogue = {
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
