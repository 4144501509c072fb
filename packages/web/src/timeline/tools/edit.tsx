import { useMemo } from "react";
import { grammarOfPath } from "../../content/code/language-names.ts";
import { DiffCount, DiffView } from "../../content/diff/diff-view.tsx";
import { wholly, type Hunk } from "../../content/diff/hunks.ts";
import { useCompare } from "../../content/diff/use-compare.ts";
import { CopyButton } from "../../parts/text-button.tsx";
import { CodeViewer } from "../../content/text/code-viewer.tsx";
import { fileOf, PathWords, ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, isCallOver, resultOf, type ToolCall } from "./tool-call.ts";
import { WORDS } from "./words.ts";

const NO_HUNKS: readonly Hunk[] = [];

/** Edit and MultiEdit: the changes of the file. They come from the CLI's result, or from the input before that. */
export const EditCard = ({ call }: CallCardProps) => {
  const input = inputOf(call, "Edit");
  const several = inputOf(call, "MultiEdit");
  const result = resultOf(call, "Edit") ?? resultOf(call, "MultiEdit");
  const path = input.file_path ?? several.file_path;
  const patch = result?.structuredPatch;
  const between = useCompare()?.hunksBetween;
  const planned = useMemo(() => (patch === undefined ? plannedHunks(call, between) : NO_HUNKS), [patch, call, between]);
  const hunks = patch ?? planned;
  return (
    <ToolCard
      call={call}
      title={call.name}
      file={fileOf(path, hunks[0]?.newStart, call.state === "done")}
      about={<PathWords path={path} />}
      outcome={call.state === "done" && <DiffCount hunks={hunks} />}
      marks={
        <>
          {input.replace_all === true && <span className="tool-mark">{WORDS.replaceAll}</span>}
          {result?.userModified === true && <span className="tool-mark">{WORDS.changed}</span>}
        </>
      }
      opens={call.state !== "denied" && call.state !== "failed"}
    >
      {hunks.length > 0 && (
        <DiffView
          hunks={hunks}
          name={call.id}
          note={patch === undefined ? plannedNote(call) : undefined}
          grammar={grammarOfPath(path ?? "")}
        />
      )}
    </ToolCard>
  );
};

const plannedHunks = (
  call: ToolCall,
  hunksBetween: ((old: string, now: string) => readonly Hunk[]) | undefined,
): readonly Hunk[] => {
  const { old_string: old, new_string: now = "" } = inputOf(call, "Edit");
  const edits = inputOf(call, "MultiEdit").edits ?? (old === undefined ? [] : [{ old_string: old, new_string: now }]);
  // A streaming input is not compared yet. Every new word would compare it again.
  const between =
    call.state === "writing" || hunksBetween === undefined ? (a: string, b: string) => [wholly(a, b)] : hunksBetween;
  return edits.flatMap((edit) => between(edit.old_string, edit.new_string));
};

const plannedNote = (call: ToolCall): string => (isCallOver(call) ? WORDS.notApplied : WORDS.requested);

export const WriteCard = ({ call }: CallCardProps) => {
  const { file_path: path, content = "" } = inputOf(call, "Write");
  const result = resultOf(call, "Write");
  const isNew = result === undefined ? undefined : result.type === "create";
  const hunks = result?.structuredPatch ?? NO_HUNKS;
  const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  return (
    <ToolCard
      call={call}
      title="Write"
      file={fileOf(path, undefined, call.state === "done")}
      about={<PathWords path={path} />}
      marks={
        <>
          {isNew === true && <span className="tool-mark mark-new">{WORDS.newFile}</span>}
          {result?.userModified === true && <span className="tool-mark">{WORDS.changed}</span>}
        </>
      }
      outcome={
        call.state === "done" &&
        (isNew === true ? <span className="good num">+{lines}</span> : <DiffCount hunks={hunks} />)
      }
      opens={call.state !== "denied" && call.state !== "failed"}
    >
      {hunks.length > 0 ? (
        <DiffView hunks={hunks} name={call.id} grammar={grammarOfPath(path ?? "")} />
      ) : content === "" ? null : (
        <CodeViewer
          code={content}
          grammar={grammarOfPath(path ?? "")}
          name={call.id}
          firstLine={1}
          isOpen={call.state === "writing"}
          added={isNew === true}
          foot={call.state === "writing" ? undefined : <CopyButton text={content} />}
        />
      )}
    </ToolCard>
  );
};
