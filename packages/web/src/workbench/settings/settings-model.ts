// What the settings panel shows, as data: models with what the CLI says about them, and the values that hold now.

import type { Head, ResultOf } from "@quarterdeck/client";
import { modelsOf, type ModelChoice } from "../../composer/pickers.tsx";
import { fieldsOf, listOf, textOf, type Fields } from "../use-request.ts";

export type Started = ResultOf<"session/settings">["started"];

export interface Shown {
  readonly models: readonly ModelChoice[];
  readonly model: ModelChoice | undefined;
  /** Empty: this version or model has no levels. */
  readonly efforts: readonly string[];
  readonly effort: string | undefined;
  /** Null: the CLI decides. Undefined: nobody has said anything. */
  readonly thinking: number | null | undefined;
  readonly canStopThinking: boolean;
  readonly fastMode: string | undefined;
  readonly fastModeReason: string | undefined;
  readonly hasFastMode: boolean;
  readonly outputStyle: string | undefined;
  readonly outputStyles: readonly string[];
}

/** The head first, because every client has the same. Then the answer of the CLI, then what the session was started with. */
export const shownOf = (head: Head, answer: Fields | undefined, started: Started | undefined): Shown => {
  const { about } = head;
  const models = modelsOf(about);
  const model =
    models.find(({ value, resolved }) => value !== "default" && (value === head.model || resolved === head.model)) ??
    models.find(({ value }) => value === "default");
  const raw = listOf(about["models"]).find((each) => each["value"] === model?.value) ?? {};
  const effective = fieldsOf(answer?.["effective"]);
  const effort = textOf(about["effort"]) || textOf(fieldsOf(answer?.["applied"])["effort"]) || started?.effort;
  const thinking = about["maxThinkingTokens"];
  const style = textOf(about["outputStyle"]) || textOf(effective["outputStyle"]);
  const styles = about["outputStyles"];
  return {
    models,
    model,
    efforts: model?.efforts ?? [],
    effort,
    thinking: typeof thinking === "number" || thinking === null ? thinking : started?.maxThinkingTokens,
    canStopThinking: raw["supportsThinkingOff"] !== false,
    fastMode: textOf(about["fastMode"]) || undefined,
    fastModeReason: textOf(about["fastModeReason"]) || undefined,
    hasFastMode: raw["supportsFastMode"] === true,
    outputStyle: style === "" ? undefined : style,
    outputStyles: Array.isArray(styles) ? styles.filter((name): name is string => typeof name === "string") : [],
  };
};

/** `$4/$20 per Mtok` in the CLI's words about a model. */
export const priceOf = (about: string | undefined): string | undefined => {
  const match = /\$([\d.]+)\/\$([\d.]+) per Mtok/u.exec(about ?? "");
  return match === null ? undefined : `$${match[1]!} in, $${match[2]!} out per million tokens`;
};

const REASONS: Readonly<Record<string, string>> = {
  free: "Your plan does not include it.",
  preference: "It is turned off in your settings.",
  extra_usage_disabled: "Extra usage is turned off for your account.",
  network_error: "Claude Code could not ask whether you may use it.",
  disabled_by_env: "A variable of the environment turns it off.",
  model_not_allowed: "This model does not have it.",
  not_first_party: "It works only with Anthropic's own API.",
  sdk_opt_in_required: "It is off until somebody turns it on in this session.",
  pending: "Claude Code still asks whether you may use it.",
  unknown: "It is not available now.",
};

/** A person can turn it on, whatever holds it back now. */
export const canTurnOnFast = ({ hasFastMode, fastModeReason }: Shown): boolean =>
  hasFastMode &&
  (fastModeReason === undefined || ["preference", "sdk_opt_in_required", "pending"].includes(fastModeReason));

/** Why fast mode is off. Unknown reasons are shown in the CLI's own word. */
export const fastWords = ({ fastMode, fastModeReason, hasFastMode }: Shown): string => {
  if (fastModeReason !== undefined)
    return Object.hasOwn(REASONS, fastModeReason) ? REASONS[fastModeReason]! : `Claude Code says: ${fastModeReason}`;
  if (fastMode === "cooldown") return "It pauses after a rate limit and comes back by itself.";
  return hasFastMode ? "Answers faster, at a higher price." : "This model does not have fast mode.";
};

/** Folders that the session may use, with where that comes from. */
export const foldersOf = (
  rules: Fields | undefined,
  cwd: string | undefined,
  started: Started | undefined,
): readonly { readonly path: string; readonly from: string }[] => {
  const listed = listOf(fieldsOf(rules?.["state"])["workspaceDirectories"]).map((folder) => ({
    path: textOf(folder["path"]),
    from: textOf(folder["source"]),
  }));
  const own = [
    ...(cwd === undefined ? [] : [{ path: cwd, from: "where it works" }]),
    ...(started?.addDir ?? []).map((path) => ({ path, from: "named at the start" })),
    ...listed.filter(({ path }) => path !== ""),
  ];
  return [...new Map(own.toReversed().map((folder) => [folder.path, folder])).values()].toReversed();
};
