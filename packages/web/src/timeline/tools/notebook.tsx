import { useMemo } from "react";
import { grammarOfWord } from "../../content/code/language-names.ts";
import { DiffCount, DiffView } from "../../content/diff/diff-view.tsx";
import { hunksBetween } from "../../content/diff/compare.ts";
import { NotebookCell } from "./notebook-cell.tsx";
import { fileOf, PathWords, ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, resultOf } from "./tool-call.ts";
import { WORDS } from "./rare-words.ts";

export const NotebookEditCard = ({ call }: CallCardProps) => {
  const input = inputOf(call, "NotebookEdit");
  const result = resultOf(call, "NotebookEdit");
  const mode = result?.edit_mode ?? input.edit_mode ?? "replace";
  const source = result?.new_source ?? input.new_source ?? "";
  const kind = result?.cell_type ?? input.cell_type;
  const hunks = useMemo(
    () =>
      result?.old_source === undefined || mode !== "replace" ? undefined : hunksBetween(result.old_source, source),
    [result, mode, source],
  );
  const cell = {
    ...(kind !== undefined && { cell_type: kind }),
    source,
    ...(result?.language !== undefined && { language: result.language }),
    ...((result?.cell_id ?? input.cell_id) !== undefined && { cell_id: (result?.cell_id ?? input.cell_id)! }),
  };
  return (
    <ToolCard
      call={call}
      title="NotebookEdit"
      file={fileOf(input.notebook_path, undefined, call.state === "done")}
      about={
        <>
          <PathWords path={input.notebook_path} />
          <span className="faint"> {(call.state === "done" ? WORDS.changed : WORDS.planned)[mode] ?? mode}</span>
        </>
      }
      outcome={hunks !== undefined && <DiffCount hunks={hunks} />}
      opens={call.state !== "failed" && call.state !== "denied"}
    >
      {result?.error !== undefined && result.error !== "" && <p className="tool-note bad">{result.error}</p>}
      {mode === "delete" ? (
        <p className="tool-note">{WORDS.deletes(input.cell_id ?? "")}</p>
      ) : hunks !== undefined ? (
        <DiffView
          hunks={hunks}
          name={call.id}
          grammar={grammarOfWord(kind === "markdown" ? "markdown" : (result?.language ?? "python"))}
        />
      ) : (
        <div className="cells">
          <NotebookCell cell={cell} name={call.id} />
        </div>
      )}
    </ToolCard>
  );
};
