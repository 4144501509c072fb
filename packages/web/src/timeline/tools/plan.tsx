import { Markdown } from "../../content/markdown/markdown.tsx";
import { PathWords, ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, resultOf } from "./tool-call.ts";
import { WORDS } from "./rare-words.ts";

export const PlanToolCard = ({ call }: CallCardProps) => {
  const input = inputOf(call, "ExitPlanMode");
  const result = resultOf(call, "ExitPlanMode");
  const plan = result?.plan ?? input.plan ?? "";
  return (
    <ToolCard
      call={call}
      title={WORDS.plan}
      about={<PathWords path={result?.filePath ?? input.planFilePath} />}
      marks={result?.planWasEdited === true && <span className="tool-mark">{WORDS.edited}</span>}
      outcome={call.state === "done" && call.decision === undefined && <span className="good">{WORDS.approved}</span>}
      // The request's card shows the plan then.
      opens={call.state !== "asking"}
    >
      {plan !== "" && (
        <div className="tool-prose plan">
          <Markdown text={plan} />
        </div>
      )}
      {input.allowedPrompts !== undefined && input.allowedPrompts.length > 0 && (
        <ul className="hits">
          {input.allowedPrompts.map(({ tool, prompt }, index) => (
            <li key={index}>{WORDS.wants(tool, prompt)}</li>
          ))}
        </ul>
      )}
    </ToolCard>
  );
};

export const EnterPlanCard = ({ call }: CallCardProps) => (
  <ToolCard call={call} title={WORDS.planMode} about={WORDS.planModeAbout} outcome={<span>{WORDS.entered}</span>} />
);
