// Model and mode, changed in place. Uses the CLI's own list of models if it sent one.

import { withProcess, type Client, type Head } from "@quarterdeck/client";
import { needs } from "@quarterdeck/client/policy";
import type { Ref } from "react";
import { MODE_LIST, modelName, modeName } from "../words/names.ts";
import { Menu, type MenuHandle, type MenuItem } from "../parts/menu.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { hintOf } from "../keys/key-table.ts";
import { may } from "../store/may.ts";
import { afterConfirm } from "../store/surfaces.ts";
import { WORDS } from "./words.ts";

export interface ModelChoice {
  readonly value: string;
  readonly name: string;
  readonly about?: string;
  readonly resolved?: string;
  readonly efforts: readonly string[];
}

const KNOWN: readonly ModelChoice[] = ["default", "opus", "sonnet", "haiku"].map((value) => ({
  value,
  name: modelName(value),
  efforts: [],
}));

/** The models that the CLI reports. Before that, the names that every version knows. */
export const modelChoicesOf = (about: Head["about"]): readonly ModelChoice[] => {
  const { models } = about;
  if (!Array.isArray(models)) return KNOWN;
  const choices = models.flatMap((model: unknown): ModelChoice[] => {
    if (typeof model !== "object" || model === null) return [];
    const {
      value,
      displayName,
      description,
      resolvedModel,
      supportedEffortLevels: efforts,
    } = model as Record<string, unknown>;
    if (typeof value !== "string") return [];
    return [
      {
        value,
        name: typeof displayName === "string" ? displayName : modelName(value),
        efforts: Array.isArray(efforts) ? efforts.filter((level): level is string => typeof level === "string") : [],
        ...(typeof description === "string" && { about: description }),
        ...(typeof resolvedModel === "string" && { resolved: resolvedModel }),
      },
    ];
  });
  return choices.length === 0 ? KNOWN : choices;
};

export const setModel = async (client: Client, session: string, model: string): Promise<void> => {
  const wanted = model === "default" ? null : model;
  await withProcess(client, session, () => client.command("session/setModel", { session, model: wanted }));
  toast(WORDS.switched(modelName(model)));
};

export const setMode = (client: Client, session: string, mode: string): void => {
  const change = (): void =>
    void withProcess(client, session, () => client.command("session/setPermissionMode", { session, mode })).catch(
      toastError,
    );
  const words = MODE_LIST.find((known) => known.mode === mode);
  afterConfirm(needs("session/setPermissionMode", { mode }), {
    title: WORDS.switchTitle(modeName(mode)),
    text: WORDS.unasked(words?.about),
    action: WORDS.switchTo(modeName(mode)),
    tone: "danger",
    run: change,
  });
};

const BYPASS = "bypassPermissions";

/** The process was started without it. A new one of the same session can have it. */
const allowBypass = (client: Client, session: string): void =>
  afterConfirm(needs("sessions/resume", { allowBypass: true }), {
    title: WORDS.restartTitle(modeName(BYPASS)),
    text: WORDS.restartText,
    action: WORDS.restart,
    tone: "danger",
    run: () =>
      void (async () => {
        await client.command("sessions/close", { session });
        await client.command("sessions/resume", { session, allowBypass: true });
        await client.command("session/setPermissionMode", { session, mode: BYPASS });
      })().catch(toastError),
  });

interface PickerProps {
  readonly client: Client;
  readonly session: string;
  readonly head: Head;
}

export const ModelPicker = ({ client, session, head, handle }: PickerProps & { readonly handle: Ref<MenuHandle> }) => {
  const choices = modelChoicesOf(head.about);
  const now = choices.find(
    ({ value, resolved }) => value !== "default" && (value === head.model || resolved === head.model),
  );
  const items: readonly MenuItem[] = choices.map(({ value, name, about, resolved }) => ({
    id: value,
    label: name,
    detail: about ?? resolved,
    checked: value === (now?.value ?? head.model ?? "default"),
    run: () => void setModel(client, session, value).catch(toastError),
  }));
  return (
    <Menu
      handle={handle}
      className="pill"
      label={WORDS.modelIs(modelName(head.model))}
      tip={head.model ?? modelName(undefined)}
      heading={WORDS.model}
      items={items}
    >
      {modelName(head.model)}
    </Menu>
  );
};

export const ModePicker = ({ client, session, head }: PickerProps) => {
  const canBypass = head.process?.canBypass === true;
  const mayAllow = may(client, "sessions/resume", { allowBypass: true });
  const offered = MODE_LIST.filter(({ mode }) => mode !== BYPASS || canBypass || mayAllow);
  const items: readonly MenuItem[] = offered.map(({ mode, name, about }) => ({
    id: mode,
    label: name,
    detail: about,
    checked: (head.mode ?? "default") === mode,
    disabled: !may(client, "session/setPermissionMode", { mode }),
    apart: mode === "auto",
    run: () => (mode === BYPASS && !canBypass ? allowBypass(client, session) : setMode(client, session, mode)),
  }));
  return (
    <Menu
      className={`pill pill-mode-${head.mode ?? "default"}`}
      label={WORDS.modeIs(modeName(head.mode))}
      tip={`${head.mode ?? "default"} (${hintOf("message.mode")})`}
      heading={WORDS.mode}
      items={items}
    >
      {modeName(head.mode)}
    </Menu>
  );
};
