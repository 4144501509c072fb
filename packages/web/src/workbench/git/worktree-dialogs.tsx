// Before a worktree is merged or discarded: what happens, and what is lost.

import type { ResultOf } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { TrueText } from "../../content/text/true-text.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { toast } from "../../parts/toast.tsx";
import type { GitDeck, Worktree } from "./use-git.ts";
import { WORDS } from "./words.ts";
import { fill } from "../../parts/fill.tsx";

const { dialogs: SAID } = WORDS;
const SHOWN = 12;

const Names = ({ title, names }: { readonly title: string; readonly names: readonly string[] }) =>
  names.length === 0 ? null : (
    <div className="git-names">
      <h3>{title}</h3>
      <ul>
        {names.slice(0, SHOWN).map((name) => (
          <li key={name}>
            <TrueText text={name} />
          </li>
        ))}
        {names.length > SHOWN && <li className="faint">{WORDS.more(names.length - SHOWN)}</li>}
      </ul>
    </div>
  );

const subjects = (commits: readonly { readonly id: string; readonly subject: string }[]): string[] =>
  commits.map(({ id, subject }) => `${id.slice(0, 8)} ${subject}`);

type Plan = ResultOf<"git/planMerge">;

const OUTCOMES: Readonly<Record<Plan["outcome"], (plan: Plan) => string>> = {
  nothing: ({ into }) => SAID.nothing(into),
  "fast-forward": ({ into, commits, files }) => SAID.forward(into, commits.length, files),
  merge: ({ into, commits, files }) => SAID.merges(into, commits.length, files),
  conflict: ({ into }) => SAID.conflict(into),
};

export interface MergeDialogProps {
  readonly deck: GitDeck;
  readonly worktree: Worktree;
  readonly onClose: () => void;
}

export const MergeDialog = ({ deck, worktree, onClose }: MergeDialogProps) => {
  const [plan, setPlan] = useState<Plan | string>();
  const { client } = deck;
  const { path: cwd, name } = worktree;
  useEffect(() => {
    client.call("git/planMerge", { cwd }).then(setPlan, (error: unknown) => setPlan(wordsOf(error)));
  }, [client, cwd]);
  const known = typeof plan === "object" ? plan : undefined;
  const ready =
    known !== undefined &&
    known.obstacle === undefined &&
    (known.outcome === "fast-forward" || known.outcome === "merge");
  const merge = async (): Promise<void> => {
    const done = await deck.change("git/merge", {}, { cwd });
    onClose();
    if (done?.undo === undefined) return;
    const { id } = done.undo;
    toast(SAID.merged(name, done.into), {
      tone: "good",
      action: { label: WORDS.undo, run: () => void deck.undo(id) },
    });
  };
  return (
    <Dialog
      title={known === undefined ? SAID.mergeTitle(name) : SAID.mergeIntoTitle(name, known.into)}
      onClose={onClose}
      footer={
        <>
          <Button data-autofocus onClick={onClose}>
            {WORDS.cancel}
          </Button>
          <Button tone="main" busy={deck.busy} disabled={!ready} onClick={() => void merge()}>
            {SAID.merge}
          </Button>
        </>
      }
    >
      {plan === undefined && <p role="status">{WORDS.looking}</p>}
      {typeof plan === "string" && <p role="alert">{plan}</p>}
      {known !== undefined && (
        <div className="git-account">
          <p>{OUTCOMES[known.outcome](known)}</p>
          {known.place !== undefined && known.outcome !== "nothing" && (
            <p>{fill(SAID.filesChange, { folder: <code>{known.place}</code> })}</p>
          )}
          {known.obstacle !== undefined && (
            <p className="git-bad" role="alert">
              {known.obstacle}
            </p>
          )}
          <Names title={SAID.conflicts} names={known.conflicts} />
          <Names title={SAID.commits} names={subjects(known.commits)} />
          <Names title={SAID.notMerged} names={known.uncommitted} />
        </div>
      )}
    </Dialog>
  );
};

type Loss = ResultOf<"git/planDiscard">;

export interface DiscardDialogProps {
  readonly deck: GitDeck;
  /** The worktree to discard, or all forgotten ones. */
  readonly worktrees: readonly Worktree[];
  /** The main working tree, where an undo runs. */
  readonly root: string;
  readonly onClose: () => void;
}

export const DiscardDialog = ({ deck, worktrees, root, onClose }: DiscardDialogProps) => {
  const { client } = deck;
  const [losses, setLosses] = useState<readonly (Loss | string)[]>();
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    Promise.all(
      worktrees.map(({ path: cwd }) =>
        client.call("git/planDiscard", { cwd }).catch((error: unknown) => wordsOf(error)),
      ),
    ).then(setLosses, () => undefined);
  }, [client, worktrees]);
  const going = (losses ?? []).flatMap((loss) =>
    typeof loss === "object" && loss.obstacle === undefined && !kept.has(loss.path) ? [loss] : [],
  );
  const discard = async (): Promise<void> => {
    const undos: string[] = [];
    for (const { path: cwd, seen } of going) {
      const done = await deck.change("git/discard", { seen }, { cwd });
      if (done !== undefined) undos.push(done.undo.id);
    }
    onClose();
    if (undos.length === 0) return;
    const undoAll = async (): Promise<void> => {
      for (const id of undos) await deck.undo(id, root);
    };
    const action = { label: WORDS.undo, run: () => void undoAll() };
    toast(SAID.discarded(undos.length), { tone: "good", action });
  };
  const one = worktrees.length === 1 ? worktrees[0] : undefined;
  return (
    <Dialog
      title={one === undefined ? SAID.cleanUpTitle : SAID.discardTitle(one.name)}
      about={SAID.discardAbout}
      onClose={onClose}
      footer={
        <>
          <Button data-autofocus onClick={onClose}>
            {WORDS.cancel}
          </Button>
          <Button
            tone="danger"
            icon="trash"
            busy={deck.busy}
            disabled={going.length === 0}
            onClick={() => void discard()}
          >
            {one === undefined ? SAID.discardMany(going.length) : SAID.discard}
          </Button>
        </>
      }
    >
      {losses === undefined && <p role="status">{WORDS.looking}</p>}
      {losses?.map((loss, at) => (
        <section key={worktrees[at]!.path} className="git-account">
          {one === undefined && (
            <label className="git-check">
              <input
                type="checkbox"
                checked={typeof loss === "object" && !kept.has(loss.path)}
                disabled={typeof loss === "string" || loss.obstacle !== undefined}
                onChange={(event) => {
                  const { path } = worktrees[at]!;
                  setKept(
                    new Set(event.target.checked ? [...kept].filter((other) => other !== path) : [...kept, path]),
                  );
                }}
              />
              <b>{worktrees[at]!.name}</b>
            </label>
          )}
          {typeof loss === "string" ? <p role="alert">{loss}</p> : <LossView loss={loss} />}
        </section>
      ))}
    </Dialog>
  );
};

const LossView = ({ loss }: { readonly loss: Loss }) => {
  const { obstacle, uncommitted, commits, ignored } = loss;
  return (
    <>
      {obstacle !== undefined && (
        <p className="git-bad" role="alert">
          {obstacle}
        </p>
      )}
      {uncommitted.length + commits.length + ignored.length === 0 && <p>{SAID.nothingLost}</p>}
      <Names title={SAID.uncommitted(uncommitted.length)} names={uncommitted} />
      <Names title={SAID.onlyHere(commits.length)} names={subjects(commits)} />
      <Names title={SAID.ignored} names={ignored} />
    </>
  );
};

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
