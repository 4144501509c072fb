import type { Catalogue } from "../catalogue.ts";
import { chinese as language } from "./language.ts";
import { chinese as pairing } from "./pairing.ts";
import { chinese as replay } from "./replay.ts";
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

export const CHINESE: Catalogue = {
  language,
  pairing,
  replay,
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
