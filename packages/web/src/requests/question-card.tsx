// Questions from the model, one at a time: options with numbers for the keyboard, previews, an answer in own words, notes.

import { useEffect, useRef, type RefObject } from "react";
import { Markdown } from "../content/markdown/markdown.tsx";
import { Button } from "../parts/button.tsx";
import { Keys } from "../parts/badge.tsx";
import type { OpenRequest } from "@quarterdeck/client";
import { NO_ANSWER } from "@quarterdeck/client/content";
import { hintOf } from "../keys/key-table.ts";
import { may } from "../store/may.ts";
import { useArming } from "./arming.ts";
import type { Asked } from "./asked.ts";
import { useCardKeys } from "./card-keys.ts";
import type { RequestCardProps } from "./permission-card.tsx";
import {
  answersFrom,
  withChoice,
  isAnswered,
  isReplies,
  NO_REPLY,
  questionsOf,
  type QuestionReply,
} from "./question.ts";
import { useRespond } from "./respond.ts";
import { TrueText } from "../content/text/true-text.tsx";
import { useWrittenAnswer, writtenIn } from "./written-answer.ts";
import { WORDS } from "./words.ts";

export const QuestionCard = ({
  client,
  session,
  open,
  card,
}: RequestCardProps & { readonly open: OpenRequest & { readonly request: Asked } }) => {
  const { isKeyArmed } = useArming(card, open.id);
  const { respond, busy, error } = useRespond(client, session, open);
  const own = writtenIn(session, open.id);
  const questions = questionsOf(open.request.input);
  const [replies, setReplies] = useWrittenAnswer<readonly QuestionReply[]>(own, "replies", () => [], isReplies);
  const [at, setAt] = useWrittenAnswer(
    own,
    "step",
    () => 0,
    (value): value is number => typeof value === "number" && Object.hasOwn(questions, value),
  );
  const question = questions[at];
  const form = useRef<HTMLDivElement>(null);
  useFocusInStep(form, at);
  const reply = replies[at] ?? NO_REPLY;
  const setReply = (next: QuestionReply): void =>
    setReplies(questions.map((_, index) => (index === at ? next : (replies[index] ?? NO_REPLY))));
  const last = at >= questions.length - 1;
  const mayAnswer = may(client, "session/respond");

  const decline = (): void => void respond({ kind: "deny", message: NO_ANSWER });
  const send = (): void => void respond({ kind: "answers", ...answersFrom(questions, replies) });
  const goOn = (): void => (last ? send() : setAt(at + 1));
  const pick = (label: string): void => {
    if (question === undefined) return;
    setReply(withChoice(question, reply, label));
  };
  const onKeyDown = useCardKeys(({ id, digit, place, event }) => {
    const run = (act: () => void): boolean => {
      if (isKeyArmed(event)) act();
      return true;
    };
    if (id === "request.deny") return run(decline);
    const isEnter =
      id === "request.answer" &&
      place !== "button" &&
      !(event.target instanceof HTMLTextAreaElement && place === "text");
    if (isEnter || (id === "request.confirm" && place !== "composer"))
      return run(() => (isAnswered(reply) ? goOn() : undefined));
    if (place === "text" || place === "composer") return false;
    if (id === "request.allow") return run(() => (isAnswered(reply) ? goOn() : undefined));
    const option = digit === undefined ? undefined : question?.options[digit - 1];
    return option !== undefined && run(() => pick(option.label));
  });

  if (question === undefined)
    return (
      <div className="ask-card" onKeyDown={onKeyDown}>
        <header className="ask-top">
          <h3>{WORDS.question}</h3>
          <p>{WORDS.rawQuestion}</p>
        </header>
        <pre className="ask-input">{JSON.stringify(open.request.input, null, 2)}</pre>
        <footer className="ask-acts">
          <Button onClick={decline} disabled={!mayAnswer || busy}>
            {WORDS.dismiss} <Keys>{hintOf("request.deny")}</Keys>
          </Button>
        </footer>
      </div>
    );
  const shown = question.options.find((option) => reply.chosen.includes(option.label) && option.preview !== undefined);
  return (
    <div ref={form} className="ask-card" onKeyDown={onKeyDown}>
      <header className="ask-top">
        <h3>{question.header === undefined ? WORDS.question : <TrueText text={question.header} />}</h3>
        {questions.length > 1 && (
          <ol className="ask-steps" aria-label={WORDS.questions}>
            {questions.map((each, index) => (
              <li key={each.question}>
                <button
                  type="button"
                  aria-current={index === at ? "step" : undefined}
                  className={isAnswered(replies[index]) ? "ask-answered" : ""}
                  onClick={() => setAt(index)}
                >
                  {index + 1}
                  <span className="sr-only">{isAnswered(replies[index]) ? WORDS.answered : ""}</span>
                </button>
              </li>
            ))}
          </ol>
        )}
      </header>
      <div className="ask-question" id={`q-${open.id}`}>
        <Markdown text={question.question} />
      </div>
      <div className="ask-body">
        <div className="ask-options" role={question.multiple ? "group" : "radiogroup"} aria-labelledby={`q-${open.id}`}>
          {question.options.map((option, index) => (
            <label
              key={option.label}
              className={`ask-option ${reply.chosen.includes(option.label) ? "ask-chosen" : ""}`}
            >
              <input
                type={question.multiple ? "checkbox" : "radio"}
                name={`${open.id} ${at}`}
                checked={reply.chosen.includes(option.label)}
                onChange={() => pick(option.label)}
              />
              <span className="ask-label">
                <b>
                  <TrueText text={option.label} />
                </b>
                {option.description !== undefined && (
                  <small>
                    <TrueText text={option.description} />
                  </small>
                )}
              </span>
              {index < 9 && <Keys>{String(index + 1)}</Keys>}
            </label>
          ))}
          <label className="ask-field">
            <span>{question.options.length === 0 ? WORDS.yourAnswer : WORDS.other}</span>
            <input
              type="text"
              value={reply.other}
              onChange={(event) =>
                setReply({
                  ...reply,
                  other: event.target.value,
                  ...(!question.multiple && event.target.value !== "" && { chosen: [] }),
                })
              }
            />
          </label>
          <details className="ask-notes">
            <summary>{WORDS.addNote}</summary>
            <textarea
              aria-label={WORDS.note}
              rows={2}
              value={reply.notes}
              onChange={(event) => setReply({ ...reply, notes: event.target.value })}
            />
          </details>
        </div>
        {shown?.preview !== undefined && (
          <div className="ask-preview" role="region" aria-label={WORDS.preview(shown.label)} tabIndex={0}>
            <Markdown text={shown.preview} />
          </div>
        )}
      </div>
      {error !== undefined && (
        <p className="ask-problem" role="alert">
          {error}
        </p>
      )}
      <footer className="ask-acts">
        <Button tone="main" busy={busy} disabled={!mayAnswer || !isAnswered(reply)} onClick={goOn}>
          {last ? (questions.length > 1 ? WORDS.sendAnswers : WORDS.answer) : WORDS.next}{" "}
          <Keys>{hintOf("request.answer")}</Keys>
        </Button>
        {at > 0 && (
          <Button tone="quiet" onClick={() => setAt(at - 1)}>
            {WORDS.back}
          </Button>
        )}
        {!last && (
          <Button tone="quiet" disabled={!mayAnswer} onClick={() => setAt(at + 1)}>
            {WORDS.skip}
          </Button>
        )}
        <Button tone="danger" className="ask-stop" disabled={!mayAnswer || busy} onClick={decline}>
          {WORDS.dismiss} <Keys>{hintOf("request.deny")}</Keys>
        </Button>
      </footer>
    </div>
  );
};

/** The next question has the focus, wherever the button for it was. */
const useFocusInStep = (form: RefObject<HTMLElement | null>, at: number): void => {
  const was = useRef(at);
  useEffect(() => {
    if (was.current === at) return;
    was.current = at;
    form.current?.querySelector<HTMLElement>(".ask-options input")?.focus();
  }, [form, at]);
};
