import type { TranslatedCatalogue } from "../catalogue.ts";
import { japanese as actions } from "./actions.ts";
import { japanese as app } from "./app.ts";
import { japanese as appDialogs } from "./app-dialogs.ts";
import { japanese as appNotes } from "./app-notes.ts";
import { japanese as board } from "./board.ts";
import { japanese as budget } from "./budget.ts";
import { japanese as composer } from "./composer.ts";
import { japanese as composerExtras } from "./composer-extras.ts";
import { japanese as content } from "./content.ts";
import { japanese as contentDiagrams } from "./content-diagrams.ts";
import { japanese as contentMarks } from "./content-marks.ts";
import { japanese as fleet } from "./fleet.ts";
import { japanese as help } from "./help.ts";
import { japanese as home } from "./home.ts";
import { japanese as keys } from "./keys.ts";
import { japanese as language } from "./language.ts";
import { japanese as modes } from "./modes.ts";
import { japanese as names } from "./names.ts";
import { japanese as notify } from "./notify.ts";
import { japanese as pairing } from "./pairing.ts";
import { japanese as palette } from "./palette.ts";
import { japanese as parts } from "./parts.ts";
import { japanese as replay } from "./replay.ts";
import { japanese as requests } from "./requests.ts";
import { japanese as rules } from "./rules.ts";
import { japanese as scopes } from "./scopes.ts";
import { japanese as search } from "./search.ts";
import { japanese as sentences } from "./sentences.ts";
import { japanese as server } from "./server.ts";
import { japanese as sessions } from "./sessions.ts";
import { japanese as sessionsDevices } from "./sessions-devices.ts";
import { japanese as sessionsDialogs } from "./sessions-dialogs.ts";
import { japanese as sessionsRail } from "./sessions-rail.ts";
import { japanese as sessionsStart } from "./sessions-start.ts";
import { japanese as targets } from "./targets.ts";
import { japanese as timeline } from "./timeline.ts";
import { japanese as timelineRare } from "./timeline-rare.ts";
import { japanese as timelineRareTools } from "./timeline-rare-tools.ts";
import { japanese as timelineTools } from "./timeline-tools.ts";
import { japanese as workbench } from "./workbench.ts";
import { japanese as workbenchBackground } from "./workbench-background.ts";
import { japanese as workbenchChanges } from "./workbench-changes.ts";
import { japanese as workbenchContext } from "./workbench-context.ts";
import { japanese as workbenchCost } from "./workbench-cost.ts";
import { japanese as workbenchFiles } from "./workbench-files.ts";
import { japanese as workbenchGit } from "./workbench-git.ts";
import { japanese as workbenchHooks } from "./workbench-hooks.ts";
import { japanese as workbenchMcp } from "./workbench-mcp.ts";
import { japanese as workbenchRewind } from "./workbench-rewind.ts";
import { japanese as workbenchSettings } from "./workbench-settings.ts";
import { japanese as workbenchTabs } from "./workbench-tabs.ts";
import { japanese as workbenchTasks } from "./workbench-tasks.ts";
import { japanese as workbenchWire } from "./workbench-wire.ts";

export const JAPANESE: TranslatedCatalogue = {
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
