import type { TranslatedCatalogue } from "../catalogue.ts";
import { chinese as actions } from "./actions.ts";
import { chinese as app } from "./app.ts";
import { chinese as appDialogs } from "./app-dialogs.ts";
import { chinese as appNotes } from "./app-notes.ts";
import { chinese as board } from "./board.ts";
import { chinese as budget } from "./budget.ts";
import { chinese as composer } from "./composer.ts";
import { chinese as composerExtras } from "./composer-extras.ts";
import { chinese as content } from "./content.ts";
import { chinese as contentDiagrams } from "./content-diagrams.ts";
import { chinese as contentMarks } from "./content-marks.ts";
import { chinese as fleet } from "./fleet.ts";
import { chinese as help } from "./help.ts";
import { chinese as home } from "./home.ts";
import { chinese as keys } from "./keys.ts";
import { chinese as language } from "./language.ts";
import { chinese as modes } from "./modes.ts";
import { chinese as names } from "./names.ts";
import { chinese as notify } from "./notify.ts";
import { chinese as pairing } from "./pairing.ts";
import { chinese as palette } from "./palette.ts";
import { chinese as parts } from "./parts.ts";
import { chinese as replay } from "./replay.ts";
import { chinese as requests } from "./requests.ts";
import { chinese as rules } from "./rules.ts";
import { chinese as scopes } from "./scopes.ts";
import { chinese as search } from "./search.ts";
import { chinese as sentences } from "./sentences.ts";
import { chinese as server } from "./server.ts";
import { chinese as sessions } from "./sessions.ts";
import { chinese as sessionsDevices } from "./sessions-devices.ts";
import { chinese as sessionsDialogs } from "./sessions-dialogs.ts";
import { chinese as sessionsRail } from "./sessions-rail.ts";
import { chinese as sessionsStart } from "./sessions-start.ts";
import { chinese as targets } from "./targets.ts";
import { chinese as timeline } from "./timeline.ts";
import { chinese as timelineRare } from "./timeline-rare.ts";
import { chinese as timelineRareTools } from "./timeline-rare-tools.ts";
import { chinese as timelineTools } from "./timeline-tools.ts";
import { chinese as workbench } from "./workbench.ts";
import { chinese as workbenchBackground } from "./workbench-background.ts";
import { chinese as workbenchChanges } from "./workbench-changes.ts";
import { chinese as workbenchContext } from "./workbench-context.ts";
import { chinese as workbenchCost } from "./workbench-cost.ts";
import { chinese as workbenchFiles } from "./workbench-files.ts";
import { chinese as workbenchGit } from "./workbench-git.ts";
import { chinese as workbenchHooks } from "./workbench-hooks.ts";
import { chinese as workbenchMcp } from "./workbench-mcp.ts";
import { chinese as workbenchRewind } from "./workbench-rewind.ts";
import { chinese as workbenchSettings } from "./workbench-settings.ts";
import { chinese as workbenchTabs } from "./workbench-tabs.ts";
import { chinese as workbenchTasks } from "./workbench-tasks.ts";
import { chinese as workbenchWire } from "./workbench-wire.ts";

export const CHINESE: TranslatedCatalogue = {
  actions,
  app,
  appDialogs,
  appNotes,
  board,
  budget,
  composer,
  composerExtras,
  content,
  contentDiagrams,
  contentMarks,
  fleet,
  help,
  home,
  keys,
  language,
  modes,
  names,
  notify,
  pairing,
  palette,
  parts,
  replay,
  requests,
  rules,
  scopes,
  search,
  sentences,
  server,
  sessions,
  sessionsDevices,
  sessionsDialogs,
  sessionsRail,
  sessionsStart,
  targets,
  timeline,
  timelineRare,
  timelineRareTools,
  timelineTools,
  workbench,
  workbenchBackground,
  workbenchChanges,
  workbenchContext,
  workbenchCost,
  workbenchFiles,
  workbenchGit,
  workbenchHooks,
  workbenchMcp,
  workbenchRewind,
  workbenchSettings,
  workbenchTabs,
  workbenchTasks,
  workbenchWire,
};
