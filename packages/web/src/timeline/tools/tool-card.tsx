// The frame of every tool card: one line with the action, its subject and its outcome. The rest opens on demand.

import { memo, type ReactNode } from "react";
import { decisionWords, NO_ANSWER, NO_CHANGES, NO_REASON, placeOfRule, toolTitle } from "@quarterdeck/client/content";
import { Elapsed, formatDuration } from "../parts.tsx";
import { later } from "../../parts/later.tsx";
import { modeName } from "../../words/names.ts";
import { useOtherDevice } from "../../store/client.tsx";
import { goToRequest } from "../../store/wanted-request.ts";
import { splitPath, shownPath } from "../paths.ts";
import { useKept } from "../../content/kept-choices.ts";
import { useScopeHead } from "../scope.tsx";
import type { FileRef } from "../../content/text/file-refs.ts";
import { Output } from "../../content/text/output.tsx";
import { Icon } from "../../parts/icon.tsx";
import { showInBench } from "../../store/workbench.ts";
import { durationOf, isCallOver, type ToolCall } from "./tool-call.ts";
import { WORDS } from "./words.ts";
import { WORDS as CONTENT } from "../../content/words.ts";

const PolicyNote = later(async () => (await import("./policy-note.tsx")).PolicyNote);

export interface CallCardProps {
  readonly call: ToolCall;
}

export interface ToolCardProps {
  readonly call: ToolCall;
  readonly title: ReactNode;
  /** The subject of the call, as the protocol names it. */
  readonly about?: ReactNode;
  /** The outcome, in a word or two. */
  readonly outcome?: ReactNode;
  /** Marks beside the title. */
  readonly marks?: ReactNode;
  /** Open by default. */
  readonly opens?: boolean;
  /** True if the card shows a failure itself. */
  readonly showsError?: boolean;
  /** The file of the call, and a line in it. */
  readonly file?: FileRef | undefined;
  readonly children?: ReactNode;
}

export const ToolCard = ({
  call,
  title,
  about,
  outcome,
  marks,
  opens = false,
  showsError = false,
  file,
  children,
}: ToolCardProps) => {
  const failed = call.state === "failed" && !showsError;
  const refusal = call.decision?.behavior === "deny" ? wordsOf(call.decision.reason) : undefined;
  const other = useOtherDevice(call.decision?.by);
  const [open, setOpen] = useKept(`card/${call.id}`, opens || failed || refusal !== undefined);
  const asks = call.state === "asking" ? call.requestId : undefined;
  // While a request is open, its card shows the rest. The row is one line that leads there.
  const hasBody =
    asks === undefined &&
    ((children !== undefined && children !== null && children !== false) ||
      failed ||
      refusal !== undefined ||
      call.decision?.policy !== undefined);
  const line = (
    <>
      <b className="tool-title">{title}</b>
      {marks}
      <span className="tool-about">{about}</span>
      <span className="tool-end">
        <Outcome call={call} own={showsError && outcome !== false && outcome !== undefined}>
          {outcome}
        </Outcome>
      </span>
    </>
  );
  return (
    <section
      className={`tool tool-${call.state}`}
      aria-label={typeof title === "string" ? title : toolHeading(call.name)}
    >
      {hasBody ? (
        <button type="button" className="tool-line" aria-expanded={open} onClick={() => setOpen(!open)}>
          {line}
        </button>
      ) : (
        <div className="tool-line">{line}</div>
      )}
      {file !== undefined && (
        <button
          type="button"
          className="tool-open"
          aria-label={CONTENT.open(file.path)}
          data-tip={WORDS.openFile}
          onClick={() => showInBench({ tab: "files", ...file })}
        >
          <Icon name="out" size={14} />
        </button>
      )}
      {asks !== undefined && (
        <button
          type="button"
          className="tool-answer needed"
          aria-label={WORDS.goTo(toolHeading(call.name))}
          onClick={() => goToRequest(asks)}
        >
          {WORDS.states.asking} <span aria-hidden="true">↓</span>
        </button>
      )}
      {open && hasBody && (
        <div className="tool-body">
          {refusal !== undefined && (
            <p className="tool-note">
              {call.decision?.by === undefined ? WORDS.reason(refusal) : WORDS.said(other, refusal)}
            </p>
          )}
          {call.decision?.policy !== undefined && <PolicyNote policy={call.decision.policy} />}
          {children}
          {failed && <ToolError call={call} />}
        </div>
      )}
    </section>
  );
};

/** Hides our default deny message. */
const wordsOf = (reason: string | undefined): string | undefined =>
  reason === NO_REASON || reason === NO_CHANGES || reason === NO_ANSWER ? undefined : reason;

export const ToolError = ({ call }: CallCardProps) => {
  const text = call.result?.error ?? call.result?.text ?? "";
  return text === "" ? null : (
    <Output text={text} name={`${call.id}/error`} label={WORDS.error} tone="bad" shows="start" />
  );
};

const TONES: Readonly<Record<Exclude<ToolCall["state"], "done">, string>> = {
  writing: "busy",
  asking: "needed",
  running: "busy",
  failed: "bad",
  denied: "bad",
  interrupted: "faint",
  unfinished: "faint",
};

/** Other titles are names of tools. */
export const toolHeading = (name: string): string => (name === "AskUserQuestion" ? WORDS.question : toolTitle(name));

interface OutcomeProps {
  readonly call: ToolCall;
  /** True if the card has its own words for a failure. */
  readonly own: boolean;
  readonly children: ReactNode;
}

const Outcome = memo(({ call, own, children }: OutcomeProps) => {
  const { state } = call;
  // The button next to the line says it.
  const isAsked = call.state === "asking" && call.requestId !== undefined;
  const duration = durationOf(call);
  const other = useOtherDevice(call.decision?.by);
  const allowed = allowedBy(call, other);
  const rule = call.decision?.rule;
  return (
    <>
      {state !== "done" && !(state === "failed" && own) && !isAsked ? (
        <span className={state === "denied" && Object.hasOwn(WORDS.answers, call.name) ? "faint" : TONES[state]}>
          {state === "denied" ? deniedBy(call, other) : WORDS.states[state]}
        </span>
      ) : null}
      {(state === "done" || (state === "failed" && own)) && children}
      {state === "running" && (
        <Elapsed since={call.decision?.at ?? call.at} offset={(call.elapsedSeconds ?? 0) * 1000} />
      )}
      {isCallOver(call) && duration !== undefined && call.state !== "denied" && (
        <span className="num">{formatDuration(duration)}</span>
      )}
      {call.decision?.updatedInput !== undefined && !Object.hasOwn(WORDS.answers, call.name) && (
        <span className="tool-mark">{WORDS.edited}</span>
      )}
      {allowed !== undefined && (
        <span
          className={`tool-by ${isByPerson(call.decision) ? "tool-person" : ""}`}
          title={rule === undefined ? undefined : placeOfRule(rule)}
        >
          {allowed}
        </span>
      )}
    </>
  );
});

/** In the words of the language, if it has its own. */
const decisionText = (decision: NonNullable<ToolCall["decision"]>): string =>
  WORDS.decided?.({
    isAllowed: decision.behavior === "allow",
    decider: decision.decider,
    policy: decision.policy?.name,
    rule: decision.rule?.text,
    mode: decision.mode === undefined ? undefined : modeName(decision.mode),
    isAnswered: decision.at !== undefined || decision.by !== undefined,
  }) ?? decisionWords(decision);

/** Some answers are neither allowed nor denied, and change no input. The catalogue says what the person did instead. */
const answersTo = (name: string): { readonly allow?: string; readonly deny?: string } =>
  Object.hasOwn(WORDS.answers, name) ? WORDS.answers[name]! : {};

const deniedBy = ({ name, decision }: ToolCall, other: string | undefined): string => {
  const own = answersTo(name).deny;
  if (other !== undefined) return WORDS.on(own ?? WORDS.states.denied, other);
  if (isByPerson(decision)) return own === undefined ? WORDS.youDenied : WORDS.you(own);
  return decision?.decider === undefined ? (own ?? WORDS.states.denied) : decisionText(decision);
};

const isByPerson = (decision: ToolCall["decision"]): boolean =>
  decision?.by !== undefined || decision?.decider === "person";

const allowedBy = ({ name, decision, state }: ToolCall, other: string | undefined): string | undefined => {
  if (decision?.behavior !== "allow" || state === "denied") return undefined;
  const own = answersTo(name).allow;
  if (other !== undefined) return WORDS.on(own ?? WORDS.allowed, other);
  if (!isByPerson(decision)) return decisionText(decision);
  return own === undefined ? WORDS.youAllowed : WORDS.you(own);
};

/** A path relative to the session's folder. In a narrow place the folder is cut, not the name. */
export const PathWords = ({ path }: { readonly path: string | undefined }) => {
  const cwd = useScopeHead((head) => head.cwd);
  if (path === undefined) return null;
  const { folder, name } = splitPath(shownPath(path, cwd));
  return (
    <span className="path" title={path}>
      <span className="path-folder">{folder}</span>
      <span className="path-name">{name}</span>
    </span>
  );
};

/** The link of a card. A denied or failed call may name a file that does not exist. */
export const fileOf = (path: string | undefined, line: number | undefined, isDone: boolean): FileRef | undefined =>
  path === undefined || !isDone ? undefined : { path, ...(line !== undefined && line > 1 && { line }) };
