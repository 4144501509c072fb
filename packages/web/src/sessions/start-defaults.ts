// The defaults of new sessions, as values of the start form: those of the folder's project, then those for all projects.

import type { Client, ResultOf } from "@quarterdeck/client";
import { useEffect, useRef } from "react";
import type { StartForm } from "./start-settings.ts";

type Found = ResultOf<"defaults/get">;
type Filled = Pick<StartForm, "model" | "mode" | "effort" | "maxTurns" | "maxBudgetUsd">;

const formDefaults = ({ all, project }: Found, otherwise: Filled): Filled => {
  const { model, effort, permissionMode, maxTurns, maxBudgetUsd } = { ...all, ...project?.settings };
  const text = (value: number | undefined, other: string): string => (value === undefined ? other : String(value));
  return {
    model: model ?? otherwise.model,
    effort: effort ?? otherwise.effort,
    mode: permissionMode ?? otherwise.mode,
    maxTurns: text(maxTurns, otherwise.maxTurns),
    maxBudgetUsd: text(maxBudgetUsd, otherwise.maxBudgetUsd),
  };
};

/** A path that is being typed names many folders that do not exist. */
const PAUSE_MS = 150;

export const useStartDefaults = (
  client: Client,
  cwd: string,
  otherwise: Filled,
  apply: (defaults: Filled) => void,
): void => {
  const latest = useRef({ otherwise, apply });
  latest.current = { otherwise, apply };
  const folder = cwd.trim();
  useEffect(() => {
    let isGone = false;
    const use = (found: Found): void => {
      if (!isGone) latest.current.apply(formDefaults(found, latest.current.otherwise));
    };
    const ask = (params: { cwd?: string }): Promise<void> => client.call("defaults/get", params).then(use);
    const timer = setTimeout(
      // A folder that is not there, or that this device does not see, has only the defaults for all.
      () => void ask(folder === "" ? {} : { cwd: folder }).catch(() => ask({}).catch(() => undefined)),
      PAUSE_MS,
    );
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [client, folder]);
};
