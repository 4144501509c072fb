import type { Catalogue } from "../catalogue.ts";
import { chinese as actions } from "./actions.ts";
import { chinese as app } from "./app.ts";
import { chinese as appDialogs } from "./app-dialogs.ts";
import { chinese as appNotes } from "./app-notes.ts";
import { chinese as board } from "./board.ts";
import { chinese as budget } from "./budget.ts";
import { chinese as help } from "./help.ts";
import { chinese as home } from "./home.ts";
import { chinese as keys } from "./keys.ts";
import { chinese as language } from "./language.ts";
import { chinese as modes } from "./modes.ts";
import { chinese as names } from "./names.ts";
import { chinese as notify } from "./notify.ts";
import { chinese as pairing } from "./pairing.ts";
import { chinese as palette } from "./palette.ts";
import { chinese as scopes } from "./scopes.ts";
import { chinese as search } from "./search.ts";
import { chinese as server } from "./server.ts";
import { chinese as sessions } from "./sessions.ts";
import { chinese as sessionsDevices } from "./sessions-devices.ts";
import { chinese as sessionsDialogs } from "./sessions-dialogs.ts";
import { chinese as sessionsRail } from "./sessions-rail.ts";
import { chinese as sessionsStart } from "./sessions-start.ts";
import { chinese as targets } from "./targets.ts";

export const CHINESE: Catalogue = {
  actions,
  app,
  appDialogs,
  appNotes,
  board,
  budget,
  help,
  home,
  keys,
  language,
  modes,
  names,
  notify,
  pairing,
  palette,
  scopes,
  search,
  server,
  sessions,
  sessionsDevices,
  sessionsDialogs,
  sessionsRail,
  sessionsStart,
  targets,
};
