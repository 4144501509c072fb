import type { Catalogue } from "../catalogue.ts";
import { japanese as language } from "./language.ts";
import { japanese as pairing } from "./pairing.ts";
import { japanese as replay } from "./replay.ts";
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

export const JAPANESE: Catalogue = {
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
