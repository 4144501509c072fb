// The start form as the server takes it. Pure: empty fields are left out, lists are split, numbers are read.

import type { ParamsOf } from "@quarterdeck/client";
import { partsOfList } from "@quarterdeck/permissions/words";

export interface StartForm {
  readonly cwd: string;
  readonly prompt: string;
  readonly title: string;
  readonly begin: "new" | "continue" | "pr";
  readonly pr: string;
  readonly model: string;
  /** Empty: the default mode of the user's settings. */
  readonly mode: string;
  /** The mode that allows everything can be chosen later. "yes" or empty. */
  readonly bypass: string;
  readonly effort: string;
  readonly addDir: string;
  readonly maxTurns: string;
  readonly maxBudgetUsd: string;
  readonly appendSystemPrompt: string;
  readonly tools: string;
  readonly disallowedTools: string;
  /** Rules that allow calls without asking. Only an admin sets them. */
  readonly allowedTools: string;
  readonly agent: string;
  readonly fallbackModel: string;
  readonly pluginDir: string;
  readonly debugFile: string;
  /** The name of a new worktree. Empty: the session starts in the folder itself. */
  readonly worktree: string;
  readonly base: string;
}

export const EMPTY_FORM: StartForm = {
  cwd: "",
  prompt: "",
  title: "",
  begin: "new",
  pr: "",
  model: "",
  mode: "",
  bypass: "",
  effort: "",
  addDir: "",
  maxTurns: "",
  maxBudgetUsd: "",
  appendSystemPrompt: "",
  tools: "",
  disallowedTools: "",
  allowedTools: "",
  agent: "",
  fallbackModel: "",
  pluginDir: "",
  debugFile: "",
  worktree: "",
  base: "",
};

type StartParams = Omit<ParamsOf<"sessions/start">, "commandId">;
export type StartSettings = NonNullable<StartParams["settings"]>;

const lines = (text: string): string[] =>
  text
    .split(/\n/u)
    .map((line) => line.trim())
    .filter(Boolean);

/** Rules may have blanks and commas in their brackets: `Bash(git log *), Read`. */
export const toolsOfList = (text: string): string[] => partsOfList(text).map(({ part }) => part);

const number = (text: string): number | undefined => {
  const value = Number(text);
  return text.trim() === "" || !Number.isFinite(value) || value <= 0 ? undefined : value;
};

const filled = <K extends keyof StartSettings>(
  key: K,
  value: StartSettings[K] | "" | undefined,
): Partial<StartSettings> =>
  value === undefined || value === "" || (Array.isArray(value) && value.length === 0) ? {} : { [key]: value };

export const startParams = (form: StartForm, withoutFolderSettings: boolean): StartParams => {
  const turns = number(form.maxTurns);
  const settings: StartSettings = {
    ...filled("model", form.model.trim()),
    ...filled("permissionMode", form.mode),
    ...(form.bypass !== "" && { allowDangerouslySkipPermissions: true }),
    ...filled("effort", form.effort),
    ...filled("addDir", lines(form.addDir)),
    ...filled("maxTurns", turns === undefined ? undefined : Math.floor(turns)),
    ...filled("maxBudgetUsd", number(form.maxBudgetUsd)),
    ...filled("appendSystemPrompt", form.appendSystemPrompt.trim()),
    ...filled("tools", toolsOfList(form.tools)),
    ...filled("disallowedTools", toolsOfList(form.disallowedTools)),
    ...filled("allowedTools", toolsOfList(form.allowedTools)),
    ...filled("agent", form.agent.trim()),
    ...filled("fallbackModel", form.fallbackModel.trim()),
    ...filled("pluginDir", lines(form.pluginDir)),
    ...filled("debugFile", form.debugFile.trim()),
  };
  const pr = form.pr.trim().replace(/^#/u, "");
  return {
    cwd: form.cwd.trim(),
    ...(form.title.trim() !== "" && { title: form.title.trim() }),
    ...(form.prompt.trim() !== "" && { prompt: form.prompt.trim() }),
    ...(form.begin === "continue" && { continue: true }),
    ...(form.begin === "pr" && pr !== "" && { fromPr: /^\d+$/u.test(pr) ? Number(pr) : pr }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(form.worktree.trim() !== "" &&
      form.begin !== "continue" && {
        worktree: { name: form.worktree.trim(), ...(form.base.trim() !== "" && { base: form.base.trim() }) },
      }),
    ...(withoutFolderSettings && { withoutFolderSettings }),
  };
};
