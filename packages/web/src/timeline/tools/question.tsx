import { answersOf } from "@quarterdeck/client/content";
import { withoutMarkup } from "../../words/session-words.ts";
import { ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, isCallOver, resultOf } from "./tool-call.ts";
import { WORDS } from "./rare-words.ts";

/** Questions and answers. The request card has the form. */
export const QuestionToolCard = ({ call }: CallCardProps) => {
  const { questions = [] } = inputOf(call, "AskUserQuestion");
  const result = resultOf(call, "AskUserQuestion");
  const given = answersOf(result ?? call.decision?.updatedInput ?? call.input, questions);
  const annotations = result?.annotations ?? {};
  return (
    <ToolCard
      call={call}
      title={WORDS.questions(questions.length)}
      about={
        questions.length === 1
          ? call.state === "asking"
            ? withoutMarkup(questions[0]!.question)
            : (questions[0]!.header ?? "")
          : questions
              .map((question) => question.header)
              .filter((word) => word !== undefined)
              .join(", ")
      }
      outcome={call.state === "done" && call.decision === undefined && <span className="good">{WORDS.answered}</span>}
      // The request's card shows the questions then.
      opens={call.state !== "asking"}
    >
      {questions.length > 0 && (
        <ol className="asked">
          {questions.map((question) => {
            const chosen = given[question.question] ?? [];
            const labels = new Set(question.options.map((option) => option.label));
            const own = chosen.filter((answer) => !labels.has(answer));
            const notes = annotations[question.question]?.notes;
            return (
              <li key={question.question}>
                <p>{question.question}</p>
                <ul>
                  {question.options.map((option) => {
                    const isChosen = chosen.includes(option.label);
                    return (
                      <li key={option.label} className={isChosen ? "is-chosen" : isCallOver(call) ? "is-not" : ""}>
                        <span aria-hidden="true">{isChosen ? "●" : "○"}</span>
                        <span>
                          {isChosen && <span className="sr-only">{WORDS.chosen}</span>}
                          {option.label}
                          {option.description !== undefined && option.description !== "" && (
                            <small>{option.description}</small>
                          )}
                        </span>
                      </li>
                    );
                  })}
                  {own.map((answer) => (
                    <li key={answer} className="is-chosen">
                      <span aria-hidden="true">●</span>
                      <span>{answer}</span>
                    </li>
                  ))}
                </ul>
                {notes !== undefined && <p className="tool-note">{WORDS.note(notes)}</p>}
                {isCallOver(call) && chosen.length === 0 && <p className="tool-note faint">{WORDS.notAnswered}</p>}
              </li>
            );
          })}
        </ol>
      )}
      {result?.response !== undefined && result.response !== "" && <p className="tool-note">{result.response}</p>}
    </ToolCard>
  );
};
