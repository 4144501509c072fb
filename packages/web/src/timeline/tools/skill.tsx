import { Output } from "../../content/text/output.tsx";
import { ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, resultOf } from "./tool-call.ts";
import { WORDS } from "./rare-words.ts";

export const SkillCard = ({ call }: CallCardProps) => {
  const { skill, args } = inputOf(call, "Skill");
  const result = resultOf(call, "Skill");
  const text = result?.result ?? (call.result?.ok === true ? call.result.text : "");
  return (
    <ToolCard
      call={call}
      title="Skill"
      about={
        <>
          <span className="mono">{skill}</span>
          {args !== undefined && args !== "" && <span className="mono faint"> {args}</span>}
        </>
      }
      outcome={<span className="good">{result?.status === "forked" ? WORDS.inAgent : WORDS.loaded}</span>}
    >
      {text !== "" && <Output text={text} name={call.id} shows="start" />}
    </ToolCard>
  );
};
