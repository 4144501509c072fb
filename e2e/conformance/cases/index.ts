import type { Case } from "../case.ts";
import { permissionCases } from "./permissions.ts";
import { plainCases, thinkingCases } from "./plain.ts";
import { fileCases, parallelCases, todoCases } from "./tools.ts";

export const CASES: readonly Case[] = [
  ...plainCases,
  ...thinkingCases,
  ...permissionCases,
  ...fileCases,
  ...todoCases,
  ...parallelCases,
];
