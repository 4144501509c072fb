// Changes what would be done before it is allowed. The main text has its own editor, and each other field an editor by
// its type. An input without a form is edited as JSON. The change is shown as a diff before it is sent.

import { isRecord } from "@quarterdeck/client/content";
import { structuredPatch } from "diff/lib/patch/create.js";
import { useId, useMemo, useState } from "react";
import { mainField, type Input } from "./asked.ts";
import { valueText, Warnings } from "./input-view.tsx";
import { TrueDiff } from "./true-diff.tsx";
import { WORDS } from "./words.ts";

export interface InputEditorProps {
  readonly tool: string;
  readonly input: Input;
  readonly value: Input;
  /** Undefined while the typed text is not a valid input. */
  readonly onChange: (value: Input | undefined) => void;
}

const TEXTS: ReadonlySet<string> = new Set([
  "command",
  "content",
  "old_string",
  "new_string",
  "new_source",
  "prompt",
  "plan",
]);

export const InputEditor = ({ tool, input, value, onChange }: InputEditorProps) => {
  const [json, setJson] = useState<string>();
  const isFlat = Object.values(input).every((field) => typeof field !== "object" || field === null);
  const asJson = json !== undefined || !isFlat;
  const text = json ?? JSON.stringify(value, null, 2);
  const problem = useMemo(() => (asJson ? problemOf(text) : undefined), [asJson, text]);
  const id = useId();

  const changeJson = (next: string): void => {
    setJson(next);
    onChange(problemOf(next) === undefined ? (JSON.parse(next) as Input) : undefined);
  };
  return (
    <div className="ask-editor">
      <Warnings input={value} isEdited />
      {asJson ? (
        <label className="ask-field">
          <span>{WORDS.asJson}</span>
          <textarea
            value={text}
            rows={Math.min(18, text.split("\n").length + 1)}
            spellCheck={false}
            aria-invalid={problem !== undefined}
            aria-describedby={id}
            onChange={(event) => changeJson(event.target.value)}
          />
          {problem !== undefined && (
            <small id={id} className="ask-problem">
              {problem}
            </small>
          )}
        </label>
      ) : (
        <>
          {Object.entries(value).map(([key, field]) => (
            <Field
              key={key}
              name={key}
              main={key === mainField(tool)}
              value={field}
              onChange={(next) => onChange({ ...value, [key]: next })}
            />
          ))}
          <button type="button" className="ask-link" onClick={() => setJson(JSON.stringify(value, null, 2))}>
            {WORDS.editJson}
          </button>
        </>
      )}
      <YourEdit before={input} after={problem === undefined ? value : undefined} />
    </div>
  );
};

const problemOf = (text: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? undefined : WORDS.notObject;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

interface FieldProps {
  readonly name: string;
  readonly main: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

const Field = ({ name, main, value, onChange }: FieldProps) => {
  if (typeof value === "boolean")
    return (
      <label className="ask-field ask-check">
        <input type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} />
        <span>{name}</span>
      </label>
    );
  if (typeof value === "number")
    return (
      <label className="ask-field">
        <span>{name}</span>
        <input type="number" value={value} onChange={(event) => onChange(Number(event.target.value))} />
      </label>
    );
  if (typeof value !== "string") return null;
  const long = main || TEXTS.has(name) || value.includes("\n");
  return (
    <label className="ask-field">
      <span>{name}</span>
      {long ? (
        <textarea
          value={value}
          rows={Math.min(16, Math.max(name === "content" ? 6 : 2, value.split("\n").length))}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <input type="text" value={value} spellCheck={false} onChange={(event) => onChange(event.target.value)} />
      )}
    </label>
  );
};

const YourEdit = ({ before, after }: { readonly before: Input; readonly after: Input | undefined }) => {
  const changed = useMemo(
    () =>
      after === undefined
        ? []
        : [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
            const [was, is] = [key in before ? valueText(before[key]) : "", key in after ? valueText(after[key]) : ""];
            // A field is not a file, so a missing line break at the end is not shown.
            const end = was.endsWith("\n") || is.endsWith("\n") ? "" : "\n";
            const { hunks } = structuredPatch("", "", was + end, is + end, "", "", { context: 2 });
            return was === is ? [] : [{ key, hunks }];
          }),
    [before, after],
  );
  if (changed.length === 0) return <p className="ask-none">{WORDS.noChanges}</p>;
  return (
    <section aria-label={WORDS.changes}>
      {changed.map(({ key, hunks }) => (
        <div key={key}>
          <p className="ask-path">{WORDS.changesTo(key)}</p>
          <TrueDiff hunks={hunks} />
        </div>
      ))}
    </section>
  );
};
