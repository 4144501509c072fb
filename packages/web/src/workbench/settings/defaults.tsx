// Defaults of new sessions: for this project, or for all. The start dialog fills them in.

import type { ResultOf } from "@quarterdeck/client";
import { useCallback, useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Segments } from "../../parts/segments.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { useClient } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { byKey } from "../../words/by-key.ts";
import { baseName } from "../../words/format.ts";
import { MODE_LIST, modelName } from "../../words/names.ts";
import { WORDS } from "./words.ts";

type Found = ResultOf<"defaults/get">;
type Values = Found["all"];

const { defaults: SAID } = WORDS;
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

interface DefaultsProps {
  readonly cwd: string | undefined;
  readonly models: readonly { readonly value: string; readonly name: string }[];
  /** What this session has now. */
  readonly now: Values;
}

export const Defaults = ({ cwd, models, now }: DefaultsProps) => {
  const client = useClient();
  const [found, setFound] = useState<Found>();
  const [problem, setProblem] = useState<string>();
  const [scope, setScope] = useState<"project" | "all">("project");
  const [values, setValues] = useState<Values>({});
  const load = useCallback(() => {
    client
      .call("defaults/get", cwd === undefined ? {} : { cwd })
      .then(setFound)
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [client, cwd]);
  useEffect(load, [load]);
  const project = found?.project;
  const isProject = scope === "project" && project !== undefined;
  const saved = (isProject ? project.settings : found?.all) ?? NONE;
  useEffect(() => setValues(saved), [saved]);
  if (problem !== undefined) return <p role="alert">{problem}</p>;
  if (found === undefined) return <p className="panel-note">{SAID.loading}</p>;
  const mayMode = (mode: string): boolean => may(client, "defaults/set", { settings: { permissionMode: mode } });
  const mayChange = may(client, "defaults/set", { settings: {} });
  const set = (patch: Partial<Record<keyof Values, string | number | undefined>>): void =>
    setValues((before) => filled({ ...before, ...patch }));
  const save = (settings: Values): void => {
    client
      .command("defaults/set", { settings, ...(isProject && { cwd: project.path }) })
      .then(() => {
        toast(SAID.saved);
        load();
      })
      .catch(toastError);
  };
  const isChanged = JSON.stringify(sorted(values)) !== JSON.stringify(sorted(saved));
  return (
    <>
      <Segments
        label={SAID.scope}
        value={isProject ? "project" : "all"}
        choices={{ project: project === undefined ? SAID.thisProject : baseName(project.path), all: SAID.allProjects }}
        onChange={setScope}
      />
      <div className="set-defaults">
        <label className="field">
          <span>{SAID.model}</span>
          <select
            className="input"
            value={values.model ?? ""}
            disabled={!mayChange}
            onChange={(event) => set({ model: event.target.value })}
          >
            <option value="">{SAID.none}</option>
            {withOther(models, values.model).map(({ value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>{SAID.effort}</span>
          <select
            className="input"
            value={values.effort ?? ""}
            disabled={!mayChange}
            onChange={(event) => set({ effort: event.target.value })}
          >
            <option value="">{SAID.none}</option>
            {EFFORTS.map((effort) => (
              <option key={effort} value={effort}>
                {byKey(WORDS.efforts, effort)}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>{SAID.mode}</span>
          <select
            className="input"
            value={values.permissionMode ?? ""}
            disabled={!mayChange}
            onChange={(event) => set({ permissionMode: event.target.value })}
          >
            <option value="">{SAID.none}</option>
            {MODE_LIST.map(({ mode, name }) => (
              <option key={mode} value={mode} disabled={!mayMode(mode)}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <NumberField
          label={SAID.maxTurns}
          value={values.maxTurns}
          disabled={!mayChange}
          onChange={(maxTurns) => set({ maxTurns })}
        />
        <NumberField
          label={SAID.maxCost}
          value={values.maxBudgetUsd}
          disabled={!mayChange}
          onChange={(maxBudgetUsd) => set({ maxBudgetUsd })}
        />
      </div>
      <div className="set-foot">
        <Button
          small
          tone={isChanged ? "main" : "plain"}
          disabled={!mayChange || !isChanged}
          onClick={() => save(values)}
        >
          {SAID.save}
        </Button>
        <Button small disabled={!mayChange} onClick={() => setValues(filled({ ...values, ...now }))}>
          {SAID.take}
        </Button>
        {Object.keys(saved).length > 0 && (
          <Button small tone="quiet" disabled={!mayChange} onClick={() => save({})}>
            {SAID.remove}
          </Button>
        )}
      </div>
      <p className="set-about">{scope === "project" ? SAID.projectAbout : SAID.allAbout}</p>
    </>
  );
};

const NONE: Values = {};

interface NumberFieldProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly disabled: boolean;
  readonly onChange: (value: number | undefined) => void;
}
/** Keeps the text as it is typed: "0." on the way to "0.5" is not a number yet. */
const NumberField = ({ label, value, disabled, onChange }: NumberFieldProps) => {
  const [text, setText] = useState("");
  const shown = numberIn(text) === value ? text : String(value ?? "");
  return (
    <label className="field">
      <span>{label}</span>
      <input
        className="input num"
        inputMode="decimal"
        placeholder={SAID.none}
        value={shown}
        disabled={disabled}
        onChange={(event) => {
          setText(event.target.value);
          onChange(numberIn(event.target.value));
        }}
      />
    </label>
  );
};

const numberIn = (text: string): number | undefined => {
  const number = Number(text.trim().replace(",", "."));
  return number > 0 && Number.isFinite(number) ? number : undefined;
};

const withOther = (
  models: DefaultsProps["models"],
  other: string | undefined,
): readonly { readonly value: string; readonly name: string }[] =>
  other === undefined || models.some(({ value }) => value === other)
    ? models
    : [...models, { value: other, name: modelName(other) }];

const filled = (values: object): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ""));

const sorted = (values: Values) => Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
