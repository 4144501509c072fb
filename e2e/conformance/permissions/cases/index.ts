// All cases that we measure. The record is packages/permissions/fixtures/corpus.json.
import type { PermissionCase } from "../case.ts";
import { BASH_RULES } from "./bash-rules.ts";
import { HOSTILE_TEXT, MALFORMED } from "./malformed.ts";
import { DIRECTORIES } from "./directories.ts";
import { EDIT_PATHS } from "./edit-paths.ts";
import { MODES } from "./modes.ts";
import { READ_PATHS } from "./read-paths.ts";
import { SEARCH } from "./search.ts";
import { SPECIAL_PATHS } from "./special-paths.ts";
import { READ_ONLY } from "./read-only.ts";
import { SCOPES } from "./scopes.ts";
import { SHELL_FORMS } from "./shell-forms.ts";
import { INTERACTION, MCP, SKILLS_AND_AGENTS, WEB } from "./tools.ts";

export { BASE } from "./build.ts";

export const CASES: readonly PermissionCase[] = [
  ...BASH_RULES,
  ...SHELL_FORMS,
  ...READ_ONLY,
  ...READ_PATHS,
  ...SEARCH,
  ...EDIT_PATHS,
  ...SPECIAL_PATHS,
  ...SCOPES,
  ...MODES,
  ...DIRECTORIES,
  ...WEB,
  ...MCP,
  ...SKILLS_AND_AGENTS,
  ...INTERACTION,
  ...MALFORMED,
  ...HOSTILE_TEXT,
];
