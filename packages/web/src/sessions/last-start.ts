// What was chosen for the last session, as a proposal for the next one.

import { needs } from "@quarterdeck/client/policy";
import { readKept, writeKept } from "../store/kept.ts";
import { MODE_LIST } from "../words/names.ts";
import { EMPTY_FORM, type StartForm } from "./start-settings.ts";

const LAST = "last-start";
export const EFFORTS = ["", "low", "medium", "high", "xhigh", "max"];

/** What was chosen last time; what belongs to one session alone begins empty. */
export const initialForm = (
  cwd: string | undefined,
  prompt: string | undefined,
  roots: readonly string[],
  /** Another machine has folders of its own. */
  machine = "",
): StartForm => {
  const last = readKept(LAST + machine) as Partial<StartForm> | undefined;
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const lastMode = text(last?.mode);
  const isPlain = needs("session/setPermissionMode", { mode: lastMode }).confirm === undefined;
  const mode = isPlain && MODE_LIST.some((known) => known.mode === lastMode) ? lastMode : "";
  return {
    ...EMPTY_FORM,
    cwd: cwd ?? (text(last?.cwd) || (roots.length === 1 ? roots[0]! : "")),
    model: text(last?.model),
    effort: text(last?.effort),
    mode,
    prompt: prompt ?? "",
  };
};

export const keepForm = ({ cwd, model, mode, effort }: StartForm, machine = ""): void =>
  writeKept(LAST + machine, { cwd, model, mode, effort });
