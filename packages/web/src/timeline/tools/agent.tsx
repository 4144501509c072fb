// An agent's work: its prompt, its live conversation, its report.

import { useMemo, useState } from "react";
import type { Row } from "@quarterdeck/client";
import { toolTitle } from "@quarterdeck/client/content";
import { formatCount } from "../../words/format.ts";
import { modelName } from "../../words/names.ts";
import { NestedTimeline } from "../nested-timeline.tsx";
import { Markdown } from "../../content/markdown/markdown.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { useKept } from "../../content/kept-choices.ts";
import { useChildRows, useScopeHead } from "../scope.tsx";
import { ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, isCallOver, resultOf } from "./tool-call.ts";
import { WORDS } from "./words.ts";
import { WORDS as ROWS } from "../words.ts";

export const AgentCard = ({ call }: CallCardProps) => {
  const input = inputOf(call, "Agent");
  const result = resultOf(call, "Agent");
  const all = useChildRows(call.toolUseId);
  // Its prompt is already shown above.
  const rows = useMemo(() => (isTold(all[0]) && input.prompt !== undefined ? all.slice(1) : all), [all, input.prompt]);
  const task = useScopeHead((head) => head.tasks.find((entry) => entry.toolUseId === call.toolUseId));
  const [showsTask, setShowsTask] = useKept(`agent/${call.id}`, false);
  const inBackground = result?.status === "async_launched" || task?.background === true;
  const runs = !isCallOver(call) || (inBackground && task !== undefined && task.endedAt === undefined);
  // A background agent is live too, although its call has ended.
  const [wasLive] = useState(runs);
  const report = result?.status === "completed" ? (call.result?.text ?? "") : "";
  const totals =
    result?.status === "completed"
      ? { tokens: result.totalTokens, tools: result.totalToolUseCount }
      : { tokens: task?.tokens, tools: task?.toolUses };
  return (
    <ToolCard
      call={call}
      title={input.subagent_type ?? task?.agentType ?? "Agent"}
      about={input.description ?? task?.description}
      marks={
        <>
          {inBackground && <span className="tool-mark">{WORDS.inBackground}</span>}
          {input.model !== undefined && <span className="tool-mark">{modelName(input.model)}</span>}
          {runs && task?.lastTool !== undefined && <span className="tool-mark busy">{toolTitle(task.lastTool)}</span>}
        </>
      }
      outcome={
        <span className="num">
          {[
            totals.tools === undefined ? undefined : WORDS.calls(totals.tools),
            totals.tokens === undefined ? undefined : ROWS.tokens(formatCount(totals.tokens)),
          ]
            .filter((word) => word !== undefined)
            .join(" · ")}
        </span>
      }
      opens={wasLive}
    >
      {input.prompt !== undefined && (
        <div className="agent-task">
          <TextButton onClick={() => setShowsTask(!showsTask)} expanded={showsTask}>
            {showsTask ? ROWS.hideTold : ROWS.showTold}
          </TextButton>
          {showsTask && (
            <div className="tool-prose">
              <Markdown text={input.prompt} />
            </div>
          )}
        </div>
      )}
      {rows.length > 0 && <NestedTimeline rows={rows} label={WORDS.of(input.description)} />}
      {report !== "" && (
        <div className="tool-prose agent-report">
          <h4>{WORDS.report}</h4>
          <Markdown text={report} />
        </div>
      )}
      {task?.summary !== undefined && report === "" && <p className="tool-note">{task.summary}</p>}
      {call.result?.ok === true && report === "" && !inBackground && call.result.text !== "" && (
        <div className="tool-prose">
          <Markdown text={call.result.text} />
        </div>
      )}
    </ToolCard>
  );
};

const isTold = (row: Row | undefined): boolean => row?.kind === "prompt" && row.origin === "agent";
