// A side question: answered from the conversation's context, without becoming part of it or disturbing the turn.

import { useEffect, useState } from "react";
import type { SessionActions } from "../store/session-actions.ts";
import { IconButton } from "../parts/button.tsx";
import { Markdown } from "../content/markdown/markdown.tsx";
import { WORDS } from "./extra-words.ts";
import "./side-question.css";

export interface SideQuestionProps {
  readonly question: string;
  readonly actions: SessionActions;
  readonly onClose: () => void;
}

export const SideQuestion = ({ question, actions, onClose }: SideQuestionProps) => {
  const [answer, setAnswer] = useState<{ readonly text: string; readonly failed: boolean }>();
  useEffect(() => {
    let gone = false;
    const tell = (text: string, failed: boolean): void => {
      if (!gone) setAnswer({ text, failed });
    };
    actions
      .request({ subtype: "side_question", question })
      .then((value) => {
        const { response } = (value ?? {}) as { response?: unknown };
        tell(typeof response === "string" && response !== "" ? response : WORDS.noAnswer, false);
      })
      .catch((error: unknown) => tell(error instanceof Error ? error.message : String(error), true));
    return () => {
      gone = true;
    };
  }, [actions, question]);
  return (
    <aside className="aside" aria-label={WORDS.aside}>
      <header>
        <b>{WORDS.aside}</b>
        <span>{question}</span>
        <IconButton icon="close" label={WORDS.closeAside} onClick={onClose} />
      </header>
      <div role="status" className={`aside-answer ${answer?.failed === true ? "aside-failed" : ""}`}>
        {answer === undefined ? WORDS.waiting : <Markdown text={answer.text} />}
      </div>
    </aside>
  );
};
