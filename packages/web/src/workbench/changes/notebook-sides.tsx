import { useMemo, useState } from "react";
import { grammarOfWord } from "../../content/code/language-names.ts";
import { DiffView } from "../../content/diff/diff-view.tsx";
import { hunksBetween } from "../../content/diff/compare.ts";
import { ChoicesProvider, KeptChoices } from "../../content/kept-choices.ts";
import { cellChanges, cellsOf, type CellChange } from "./cells.ts";
import type { SidesProps } from "./image-sides.tsx";
import { loadSides } from "./source.ts";
import { useLoaded } from "./use-changes.ts";
import { WORDS } from "./words.ts";

/** A notebook's changes cell by cell: its JSON is not what a person wrote. */
export const NotebookSides = ({ client, session, file, scope, revision, isNear }: SidesProps) => {
  const [choices] = useState(() => new KeptChoices());
  const { value, problem } = useLoaded(isNear, `${file.path} ${file.stamp} ${revision}`, () =>
    loadSides(client, session, file, scope),
  );
  const changes = useMemo(() => {
    const [before, after] = [cellsOf(value?.old?.text ?? '{"cells":[]}'), cellsOf(value?.new?.text ?? '{"cells":[]}')];
    return before === undefined || after === undefined ? undefined : cellChanges(before, after);
  }, [value]);
  if (problem !== undefined) return <p className="review-note">{problem}</p>;
  if (value === undefined) return <div className="review-waits" style={{ height: 160 }} aria-busy="true" />;
  if (changes === undefined) return <p className="review-note">{WORDS.notNotebook}</p>;
  if (changes.every(({ kind }) => kind === "same")) return <p className="review-note">{WORDS.noCell}</p>;
  return (
    <ChoicesProvider value={choices}>
      {changes.map((change, at) => (
        <CellDiff key={at} change={change} name={`${file.path}/${at}`} />
      ))}
    </ChoicesProvider>
  );
};

const CellDiff = ({ change, name }: { readonly change: CellChange; readonly name: string }) => {
  const hunks = useMemo(() => (change.kind === "same" ? [] : hunksBetween(change.old, change.new)), [change]);
  if (change.kind === "same") return <p className="review-note">{WORDS.unchangedCells(change.count)}</p>;
  return (
    <div className="notebook-cell">
      <p className="review-note">{WORDS.cell[change.kind](change.number, change.type)}</p>
      <DiffView hunks={hunks} name={name} grammar={grammarOfWord(change.type === "markdown" ? "markdown" : "python")} />
    </div>
  );
};
