// A server wants something of the person: a form, or a page to visit. Declining is always possible.

import { useId, useState, type FormEvent } from "react";
import type { OpenRequest } from "@quarterdeck/client";
import { isRecord } from "@quarterdeck/client/content";
import { Button } from "../parts/button.tsx";
import { may } from "../store/may.ts";
import { useArming } from "./arming.ts";
import { useCardKeys } from "./card-keys.ts";
import { contentOf, formFieldsOf, fieldProblemOf, type FormField } from "./elicitation.ts";
import type { RequestCardProps } from "./permission-card.tsx";
import { useRespond } from "./respond.ts";
import { TrueText } from "../content/text/true-text.tsx";
import { isString, useWrittenAnswer, writtenIn } from "./written-answer.ts";
import { WORDS } from "./words.ts";
import { fill } from "../parts/fill.tsx";

type Elicited = Extract<OpenRequest["request"], { subtype: "elicitation" }>;
export const isElicitation = (open: OpenRequest): open is OpenRequest & { readonly request: Elicited } =>
  open.request.subtype === "elicitation";

export const ElicitationCard = ({
  client,
  session,
  open,
  card,
}: RequestCardProps & { readonly open: OpenRequest & { readonly request: Elicited } }) => {
  const { respond, busy, error } = useRespond(client, session, open);
  const own = writtenIn(session, open.id);
  const { armed, isArmed, isKeyArmed } = useArming(card, open.id);
  const { request } = open;
  const fields = formFieldsOf(request.requested_schema, request.property_order);
  const [values, setValues] = useWrittenAnswer<Readonly<Record<string, unknown>>>(own, "values", () => ({}), isRecord);
  const [json, setJson] = useWrittenAnswer(own, "json", () => "{}", isString);
  const [tried, setTried] = useState(false);
  const mayAnswer = may(client, "session/respond");
  const isUrl = request.mode === "url" && request.url !== undefined;
  const problems = (fields ?? []).map((field) => fieldProblemOf(field, values[field.name] ?? field.initial));

  const accept = (event: FormEvent): void => {
    event.preventDefault();
    if (!isArmed(event.nativeEvent)) return;
    setTried(true);
    if (isUrl) return void respond({ kind: "elicitation", action: "accept" });
    if (fields === undefined) {
      try {
        void respond({ kind: "elicitation", action: "accept", content: JSON.parse(json) as unknown });
      } catch {
        // Said below the field.
      }
      return;
    }
    if (problems.some((problem) => problem !== undefined)) return;
    void respond({ kind: "elicitation", action: "accept", content: contentOf(fields, values) });
  };
  const refuse = (action: "decline" | "cancel"): void => void respond({ kind: "elicitation", action });
  const onKeyDown = useCardKeys(({ id, event }) => {
    if (id !== "request.deny") return false;
    if (isKeyArmed(event)) refuse("decline");
    return true;
  });
  return (
    <form className="ask-card" onKeyDown={onKeyDown} onSubmit={accept} noValidate>
      <header className="ask-top">
        <h3>
          <TrueText text={request.display_name ?? request.mcp_server_name} />
        </h3>
        <p>{request.title === undefined ? WORDS.needsInput : <TrueText text={request.title} />}</p>
      </header>
      <p className="ask-question">
        <TrueText text={request.message} />
      </p>
      {isUrl ? (
        <p className="ask-url">
          {fill(WORDS.visit, {
            host: <b>{hostOf(request.url!)}</b>,
            url: /^https?:\/\//u.test(request.url!) ? (
              <a href={request.url} target="_blank" rel="noopener noreferrer">
                <TrueText text={request.url!} />
              </a>
            ) : (
              <TrueText text={request.url!} />
            ),
          })}
        </p>
      ) : fields === undefined ? (
        <label className="ask-field">
          <span>{WORDS.answerJson}</span>
          <textarea
            rows={5}
            value={json}
            spellCheck={false}
            onChange={(event) => setJson(event.target.value)}
            aria-invalid={tried && !isJson(json)}
          />
          {tried && !isJson(json) && <small className="ask-problem">{WORDS.notJson}</small>}
        </label>
      ) : (
        fields.map((field, at) => (
          <FormEntry
            key={field.name}
            field={field}
            value={values[field.name] ?? field.initial}
            problem={tried ? problems[at] : undefined}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))
      )}
      {error !== undefined && (
        <p className="ask-problem" role="alert">
          {error}
        </p>
      )}
      <footer className="ask-acts">
        <Button
          type="submit"
          tone="main"
          busy={busy}
          disabled={!mayAnswer}
          aria-disabled={!armed || undefined}
          className={armed ? "" : "ask-inert"}
        >
          {isUrl ? WORDS.done : WORDS.send}
        </Button>
        <Button disabled={!mayAnswer || busy} onClick={() => refuse("decline")}>
          {WORDS.decline}
        </Button>
        <Button tone="danger" className="ask-stop" disabled={!mayAnswer || busy} onClick={() => refuse("cancel")}>
          {WORDS.cancel}
        </Button>
      </footer>
    </form>
  );
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const hostOf = (url: string): string => {
  try {
    return new URL(url).host;
  } catch {
    return WORDS.noAddress;
  }
};

interface EntryProps {
  readonly field: FormField;
  readonly value: unknown;
  readonly problem: string | undefined;
  readonly onChange: (value: unknown) => void;
}

const INPUT_TYPES: Readonly<Record<string, string>> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime-local",
};

const FormEntry = ({ field, value, problem, onChange }: EntryProps) => {
  const id = useId();
  const about = `${id}-about`;
  const shared = {
    id,
    "aria-describedby": about,
    "aria-invalid": problem !== undefined,
    "aria-required": field.required,
  };
  return (
    <div className={field.kind === "boolean" ? "ask-field ask-check" : "ask-field"}>
      {field.kind === "boolean" && (
        <input
          type="checkbox"
          {...shared}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      )}
      <label htmlFor={id}>
        {field.label}
        {field.required && <em>{WORDS.required}</em>}
      </label>
      {(field.kind === "number" || field.kind === "integer") && (
        <input
          type="number"
          {...shared}
          value={value as number | ""}
          step={field.kind === "integer" ? 1 : "any"}
          onChange={(event) => onChange(event.target.value === "" ? "" : Number(event.target.value))}
        />
      )}
      {field.kind === "text" && (
        <input
          type={INPUT_TYPES[field.format ?? ""] ?? "text"}
          {...shared}
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {field.kind === "long" && (
        <textarea rows={3} {...shared} value={String(value)} onChange={(event) => onChange(event.target.value)} />
      )}
      {field.kind === "choice" && (
        <select {...shared} value={String(value)} onChange={(event) => onChange(event.target.value)}>
          <option value="">{WORDS.choose}</option>
          {field.options?.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
      {field.kind === "choices" && (
        <select
          multiple
          {...shared}
          value={value as string[]}
          onChange={(event) => onChange([...event.target.selectedOptions].map((option) => option.value))}
        >
          {field.options?.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
      <small id={about} className={problem === undefined ? "" : "ask-problem"}>
        {problem === undefined ? field.about : WORDS.fieldProblem(field.label, problem)}
      </small>
    </div>
  );
};
