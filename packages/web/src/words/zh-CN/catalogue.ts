import type { Catalogue } from "../catalogue.ts";
import { chinese as actions } from "./actions.ts";
import { chinese as app } from "./app.ts";
import { chinese as appDialogs } from "./app-dialogs.ts";
import { chinese as budget } from "./budget.ts";
import { chinese as help } from "./help.ts";
import { chinese as keys } from "./keys.ts";
import { chinese as language } from "./language.ts";
import { chinese as modes } from "./modes.ts";
import { chinese as names } from "./names.ts";
import { chinese as pairing } from "./pairing.ts";
import { chinese as scopes } from "./scopes.ts";
import { chinese as search } from "./search.ts";

export const CHINESE: Catalogue = {
  actions,
  app,
  appDialogs,
  budget,
  help,
  keys,
  language,
  modes,
  names,
  pairing,
  scopes,
  search,
};
