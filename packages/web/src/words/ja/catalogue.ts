import type { Catalogue } from "../catalogue.ts";
import { japanese as actions } from "./actions.ts";
import { japanese as app } from "./app.ts";
import { japanese as appDialogs } from "./app-dialogs.ts";
import { japanese as appNotes } from "./app-notes.ts";
import { japanese as board } from "./board.ts";
import { japanese as budget } from "./budget.ts";
import { japanese as help } from "./help.ts";
import { japanese as home } from "./home.ts";
import { japanese as keys } from "./keys.ts";
import { japanese as language } from "./language.ts";
import { japanese as modes } from "./modes.ts";
import { japanese as names } from "./names.ts";
import { japanese as notify } from "./notify.ts";
import { japanese as pairing } from "./pairing.ts";
import { japanese as palette } from "./palette.ts";
import { japanese as scopes } from "./scopes.ts";
import { japanese as search } from "./search.ts";
import { japanese as server } from "./server.ts";
import { japanese as sessions } from "./sessions.ts";
import { japanese as sessionsDevices } from "./sessions-devices.ts";
import { japanese as sessionsDialogs } from "./sessions-dialogs.ts";
import { japanese as sessionsRail } from "./sessions-rail.ts";
import { japanese as sessionsStart } from "./sessions-start.ts";
import { japanese as targets } from "./targets.ts";

export const JAPANESE: Catalogue = {
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
