import type { Case } from "../case.ts";
import { agentCases } from "./agents.ts";
import { controlCases } from "./control.ts";
import { questionnaireCases, toolProgressCases } from "./control-questions.ts";
import { errorCases } from "./failures.ts";
import { hookCases, mcpCases } from "./hooks-and-mcp.ts";
import { environmentCases, inputCases, structuredCases } from "./input-and-end.ts";
import { permissionModeCases, uncheckedCases } from "./permission-modes.ts";
import { permissionCases } from "./permissions.ts";
import { plainCases, thinkingCases } from "./plain.ts";
import { questionCases } from "./questions.ts";
import { queueCases } from "./queue.ts";
import { compactionCases, imageCases, sessionCases, slashCases } from "./sessions.ts";
import { fileCases, parallelCases, todoCases } from "./tools.ts";

export const CASES: readonly Case[] = [
  ...plainCases,
  ...thinkingCases,
  ...permissionCases,
  ...permissionModeCases,
  ...uncheckedCases,
  ...fileCases,
  ...questionCases,
  ...agentCases,
  ...toolProgressCases,
  ...todoCases,
  ...parallelCases,
  ...queueCases,
  ...controlCases,
  ...questionnaireCases,
  ...hookCases,
  ...mcpCases,
  ...slashCases,
  ...compactionCases,
  ...sessionCases,
  ...imageCases,
  ...errorCases,
  ...inputCases,
  ...structuredCases,
  ...environmentCases,
];
