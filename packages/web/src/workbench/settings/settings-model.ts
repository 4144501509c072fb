// What the settings panel shows, as data: models with what the CLI says about them, and the values that hold now.

import type { Head, ResultOf } from "@quarterdeck/client";
import { modelChoicesOf, type ModelChoice } from "../../composer/pickers.tsx";
import { fieldsOf, listOf, textOf, type Fields } from "../../content/fields.ts";
import { WORDS } from "./words.ts";

export type Started = ResultOf<"session/settings">["started"];

export interface ShownSettings {
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
export const shownOf = (head: Head, answer: Fields | undefined, started: Started | undefined): ShownSettings => {
  const { about } = head;
  const models = modelChoicesOf(about);
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
  return match === null ? undefined : WORDS.price(match[1]!, match[2]!);
};

const REASONS: Readonly<Record<string, string>> = WORDS.fastReasons;

/** A person can turn it on, whatever holds it back now. */
export const canTurnOnFast = ({ hasFastMode, fastModeReason }: ShownSettings): boolean =>
  hasFastMode &&
  (fastModeReason === undefined || ["preference", "sdk_opt_in_required", "pending"].includes(fastModeReason));

/** Why fast mode is off. Unknown reasons are shown in the CLI's own word. */
export const fastWords = ({ fastMode, fastModeReason, hasFastMode }: ShownSettings): string => {
  if (fastModeReason !== undefined)
    return Object.hasOwn(REASONS, fastModeReason) ? REASONS[fastModeReason]! : WORDS.fastOther(fastModeReason);
  if (fastMode === "cooldown") return WORDS.fastPauses;
  return hasFastMode ? WORDS.fastHas : WORDS.fastNot;
};

/** Folders that the session may use, with where that comes from. */
export const allowedFolders = (
  rules: Fields | undefined,
  cwd: string | undefined,
  started: Started | undefined,
): readonly { readonly path: string; readonly from: string }[] => {
  const listed = listOf(fieldsOf(rules?.["state"])["workspaceDirectories"]).map((folder) => ({
    path: textOf(folder["path"]),
    from: textOf(folder["source"]),
  }));
  const own = [
    ...(cwd === undefined ? [] : [{ path: cwd, from: WORDS.works }]),
    ...(started?.addDir ?? []).map((path) => ({ path, from: WORDS.named })),
    ...listed.filter(({ path }) => path !== ""),
  ];
  return [...new Map(own.toReversed().map((folder) => [folder.path, folder])).values()].toReversed();
};
