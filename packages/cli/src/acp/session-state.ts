// What an editor shows beside the conversation: modes, models and effort as options, commands, the plan, usage. All of it comes
// from the head.

import type {
  AvailableCommand,
  PlanEntry,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { MODE_NAMES, MODES } from "@quarterdeck/permissions/words";
import { isRecord } from "@quarterdeck/protocol";
import type { Head } from "@quarterdeck/session";
import { shown, shownTitle } from "./shown-text.ts";

const BYPASS = "bypassPermissions";
const MOST_COMMANDS = 500;

interface Model {
  readonly value: string;
  readonly name: string;
  readonly about?: string;
  readonly resolved?: string;
  readonly efforts: readonly string[];
}

/** The models that the CLI reports. Before that, the names that every version knows. */
const modelsOf = ({ about: { models } }: Head): readonly Model[] => {
  const listed = (Array.isArray(models) ? models : []).filter(isRecord).flatMap((model): Model[] => {
    const { value, displayName, description, resolvedModel, supportedEffortLevels: efforts } = model;
    if (typeof value !== "string") return [];
    return [
      {
        value,
        name: shownTitle(typeof displayName === "string" ? displayName : value),
        efforts: Array.isArray(efforts) ? efforts.filter((level) => typeof level === "string") : [],
        ...(typeof description === "string" && { about: shownTitle(description) }),
        ...(typeof resolvedModel === "string" && { resolved: resolvedModel }),
      },
    ];
  });
  if (listed.length > 0) return listed;
  return ["default", "opus", "sonnet", "haiku"].map((value) => ({ value, name: value, efforts: [] }));
};

const modelOf = (head: Head, models: readonly Model[]): Model => {
  const isCurrent = ({ value, resolved }: Model): boolean => value === head.model || resolved === head.model;
  return (
    models.find((model) => model.value !== "default" && isCurrent(model)) ??
    models.find((model) => isCurrent(model) || (head.model === undefined && model.value === "default")) ?? {
      value: head.model ?? "default",
      name: shownTitle(head.model ?? "default"),
      efforts: [],
    }
  );
};

/** The modes that this process can have. */
const modesOf = (head: Head) =>
  MODE_NAMES.map((name) => MODES[name]).filter(
    ({ mode, sameAs, until }) =>
      mode === head.mode ||
      (sameAs === undefined && until === undefined && (mode !== BYPASS || head.process?.canBypass === true)),
  );

const modeOf = (head: Head): string => head.mode ?? "default";

export const modeState = (head: Head): SessionModeState => ({
  currentModeId: modeOf(head),
  availableModes: modesOf(head).map(({ mode, name, about }) => ({ id: mode, name, description: about })),
});

export const configOptions = (head: Head): SessionConfigOption[] => {
  const models = modelsOf(head);
  const model = modelOf(head, models);
  const offered = models.some(({ value }) => value === model.value) ? models : [model, ...models];
  return [
    {
      type: "select",
      id: "mode",
      category: "mode",
      name: "Permission mode",
      currentValue: modeOf(head),
      options: modesOf(head).map(({ mode, name, about }) => ({ value: mode, name, description: about })),
    },
    {
      type: "select",
      id: "model",
      category: "model",
      name: "Model",
      currentValue: model.value,
      options: offered.map(({ value, name, about }) => ({
        value,
        name,
        ...(about !== undefined && { description: about }),
      })),
    },
    ...effortOption(head, model),
  ];
};

const effortOption = ({ about }: Head, { efforts }: Model): SessionConfigOption[] => {
  if (efforts.length === 0) return [];
  const now = typeof about["effort"] === "string" ? about["effort"] : "default";
  const all = efforts.includes(now) ? efforts : [now, ...efforts];
  return [
    {
      type: "select",
      id: "effort",
      category: "thought_level",
      name: "Effort",
      currentValue: now,
      options: all.map((value) => ({ value, name: value[0]!.toUpperCase() + value.slice(1) })),
    },
  ];
};

export const commandsOf = ({ commands }: Head): AvailableCommand[] =>
  commands.slice(0, MOST_COMMANDS).map(({ name, description = "", hint }) => ({
    name: shownTitle(name),
    description: shownTitle(description),
    ...(hint !== undefined && hint !== "" && { input: { hint: shownTitle(hint) } }),
  }));

const STATUSES: Readonly<Record<string, PlanEntry["status"]>> = {
  pending: "pending",
  in_progress: "in_progress",
  completed: "completed",
};

export const planOf = ({ todos }: Head): PlanEntry[] =>
  todos.flatMap(({ subject, status, activeForm }) => {
    const known = STATUSES[status];
    const words = known === "in_progress" ? (activeForm ?? subject) : subject;
    return known === undefined ? [] : [{ content: shown(words), priority: "medium", status: known }];
  });

/** Absent until the CLI has reported the size of its context. */
export const usageOf = ({ gauges: { context, costUsd } }: Head): SessionUpdate[] =>
  context?.window === undefined
    ? []
    : [
        {
          sessionUpdate: "usage_update",
          used: Math.max(0, Math.round(context.used)),
          size: Math.max(0, Math.round(context.window)),
          cost: { amount: Math.round(costUsd * 1e6) / 1e6, currency: "USD" },
        },
      ];
