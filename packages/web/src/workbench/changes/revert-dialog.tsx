// What a revert would do, and then does. Nothing is lost: the toast has the undo.

import { useEffect, useMemo, useState } from "react";
import type { Client, ResultOf } from "@quarterdeck/client";
import { DiffView } from "../../content/diff/diff-view.tsx";
import type { Hunk } from "../../content/diff/hunks.ts";
import { ChoicesProvider, KeptChoices } from "../../content/kept-choices.ts";
import { grammarOfPath } from "../../content/code/language-names.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import type { ChangedFile } from "./changed-file.ts";
import { PlanView } from "./plan-view.tsx";
import { againstOf, type FileChange, type ChangeScope } from "./source.ts";
import { WORDS } from "./words.ts";

const { revert: SAID } = WORDS;

export interface RevertTarget {
  readonly file: ChangedFile;
  readonly scope: ChangeScope;
  /** One hunk of this change; otherwise the whole file. */
  readonly change?: FileChange | undefined;
  readonly hunk?: number | undefined;
}

export interface RevertDialogProps extends RevertTarget {
  readonly client: Client;
  readonly session: string;
  readonly cwd: string | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The hunk as the revert writes it: what was added goes, what was removed comes back. */
const reversed = ({ oldStart, oldLines, newStart, newLines, lines }: Hunk): Hunk => ({
  ...{ oldStart: newStart, oldLines: newLines, newStart: oldStart, newLines: oldLines },
  lines: removedFirst(
    lines.map((line) => (line[0] === "+" ? `-${line.slice(1)}` : line[0] === "-" ? `+${line.slice(1)}` : line)),
  ),
});

/** Within each run of changed lines, those that go stand before those that come. */
const removedFirst = (lines: readonly string[]): readonly string[] => {
  const sorted: string[] = [];
  for (let at = 0; at < lines.length;) {
    const begin = at;
    while (at < lines.length && lines[at]![0] !== " ") at++;
    const run = lines.slice(begin, at);
    sorted.push(...run.filter((line) => line[0] !== "+"), ...run.filter((line) => line[0] === "+"));
    if (at < lines.length) sorted.push(lines[at++]!);
  }
  return sorted;
};

export const RevertDialog = ({
  client,
  session,
  cwd,
  file,
  scope,
  change,
  hunk,
  onClose,
  onDone,
}: RevertDialogProps) => {
  const [plan, setPlan] = useState<ResultOf<"revert/preview">>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [choices] = useState(() => new KeptChoices());
  const chosen = hunk === undefined ? undefined : change?.hunks[hunk];
  const params = useMemo(() => {
    const { oldStart, oldLines, newStart, newLines } = chosen ?? {};
    return {
      ...{ session, path: file.path, ...againstOf(scope) },
      ...(chosen !== undefined && {
        hunk: { oldStart: oldStart!, oldLines: oldLines!, newStart: newStart!, newLines: newLines! },
        ...(change?.version !== undefined && { version: change.version }),
      }),
    };
  }, [session, file.path, scope, chosen, change]);
  const fail = (error: unknown): void => {
    setBusy(false);
    setProblem(error instanceof Error ? error.message : String(error));
  };
  useEffect(() => {
    client.call("revert/preview", params).then(setPlan, fail);
  }, [client, params]);
  const undo = (id: string): void =>
    void client
      .command("revert/undo", { session, id })
      .then(({ left }) => {
        toast(left.length === 0 ? SAID.undone : SAID.stayed);
        onDone();
      })
      .catch(toastError);
  const apply = (): void => {
    setBusy(true);
    client.command("revert/apply", params).then(({ id, done, left }) => {
      onClose();
      onDone();
      const words = done.length === 0 ? (left[0]?.reason ?? SAID.nothing) : SAID.reverted(file.shown);
      toast(words, id === undefined ? {} : { action: { label: SAID.undo, run: () => undo(id) } });
    }, fail);
  };
  const lines = chosen?.lines.filter((line) => line[0] !== " ").length ?? 0;
  return (
    <Dialog
      title={chosen === undefined ? SAID.fileTitle : SAID.hunkTitle}
      about={chosen === undefined ? file.shown : SAID.fileLines(file.shown, lines)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{SAID.cancel}</Button>
          <Button tone="main" busy={busy} disabled={plan === undefined || plan.files.length === 0} onClick={apply}>
            {SAID.revert}
          </Button>
        </>
      }
    >
      {problem !== undefined && <p role="alert">{problem}</p>}
      {chosen !== undefined && (
        <ChoicesProvider value={choices}>
          <DiffView hunks={[reversed(chosen)]} name={`revert/${file.path}`} grammar={grammarOfPath(file.path)} />
        </ChoicesProvider>
      )}
      {plan !== undefined && <PlanView plan={plan} cwd={cwd} />}
      <p className="faint">{SAID.canUndo}</p>
    </Dialog>
  );
};
