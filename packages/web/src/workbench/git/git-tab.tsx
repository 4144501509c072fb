// The Git tab: what is staged and what is not, the commit, where it goes, and the worktrees of the repository.

import { useState } from "react";
import { ChoicesProvider, KeptChoices } from "../../content/kept-choices.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { BranchMark } from "../../sessions/branch-mark.tsx";
import { useClient } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { formatAge } from "../../words/format.ts";
import { useNow } from "../../store/now.ts";
import type { TabProps } from "../tab.ts";
import { CommitBox } from "./commit-box.tsx";
import { FileGroup } from "./file-group.tsx";
import { Publish } from "./publish.tsx";
import { Submodules } from "./submodules.tsx";
import { useGit, type GitDeck, type GitTree } from "./use-git.ts";
import { Worktrees } from "./worktrees.tsx";
import { WORDS } from "./words.ts";
import "./git.css";

/** Nothing of another session stays. */
export const GitTab = (props: TabProps) => <SessionGit key={props.view.id} {...props} />;

const SessionGit = ({ view, place }: TabProps) => {
  const client = useClient();
  const deck = useGit(client, view);
  const [choices] = useState(() => new KeptChoices());
  if (deck.status === "loading") return <p className="bench-empty">{WORDS.loading}</p>;
  if (deck.status === "none") return <p className="bench-empty">{WORDS.noRepository}</p>;
  if (deck.tree === undefined)
    return (
      <p className="bench-empty" role="alert">
        {deck.problem} <TextButton onClick={() => void deck.look()}>{WORDS.again}</TextButton>
      </p>
    );
  const { tree } = deck;
  if (deck.status === "gone")
    return (
      <div className="bench-scroll git" tabIndex={0} role="region" aria-label={WORDS.git}>
        <p className="bench-empty">{WORDS.gone}</p>
        <Undos deck={deck} tree={tree} enabled={!deck.busy} cwd={tree.root} />
      </div>
    );
  const stopped = deck.running || tree.busy.length > 0 || tree.obstacle !== undefined;
  const enabled = may(client, "git/stage") && !stopped && !deck.busy;
  return (
    <ChoicesProvider value={choices}>
      <div className={`bench-scroll git git-${place}`} tabIndex={0} role="region" aria-label={WORDS.git}>
        <Top deck={deck} tree={tree} />
        <FileGroup deck={deck} side="staged" files={tree.staged} enabled={enabled} />
        <FileGroup deck={deck} side="unstaged" files={tree.unstaged} enabled={enabled} />
        <Submodules tree={tree} />
        {tree.truncated && <p className="git-note">{WORDS.notAll}</p>}
        {may(client, "git/commit") && <CommitBox deck={deck} tree={tree} view={view} enabled={enabled} />}
        <Undos deck={deck} tree={tree} enabled={enabled} />
        {may(client, "git/remote") && <Publish deck={deck} tree={tree} />}
        <Worktrees deck={deck} tree={tree} place={place} />
      </div>
    </ChoicesProvider>
  );
};

const Top = ({ deck, tree }: { readonly deck: GitDeck; readonly tree: GitTree }) => {
  const { worktree, obstacle, busy, upstream } = tree;
  const names = busy.map(({ title, id }) => title ?? id.slice(0, 8));
  return (
    <>
      <div className="git-top">
        <Icon name="fork" />
        <b>
          <BranchMark brief={{ ...tree, dirty: tree.staged.length + tree.unstaged.length > 0 }} />
        </b>
        {upstream !== undefined && <span className="faint">{upstream}</span>}
        {worktree !== undefined && (
          <span className="badge" title={WORDS.worktreeOf(worktree.main)}>
            {worktree.base === undefined ? WORDS.worktree : WORDS.worktreeFrom(worktree.base)}
          </span>
        )}
        <Button small tone="quiet" className="git-again" onClick={() => void deck.look()}>
          {WORDS.refresh}
        </Button>
      </div>
      {(busy.length > 0 || deck.running) && (
        <p className="git-note" role="status">
          {busy.length === 0 ? WORDS.thisWorks : WORDS.othersWork(names)}
        </p>
      )}
      {obstacle !== undefined && (
        <p className="git-note git-bad" role="status">
          {obstacle}
        </p>
      )}
    </>
  );
};

interface UndosProps {
  readonly deck: GitDeck;
  readonly tree: GitTree;
  readonly enabled: boolean;
  /** Where they are undone. Default: in the session's folder. */
  readonly cwd?: string;
}

const Undos = ({ deck, tree, enabled, cwd }: UndosProps) => {
  const now = useNow();
  if (tree.undos.length === 0 || !may(deck.client, "git/undo")) return null;
  return (
    <section className="git-section git-undos" aria-label={WORDS.undo}>
      <ul>
        {tree.undos.map(({ id, words, at }) => (
          <li key={id}>
            <span className="git-grow">
              {words} <small className="num faint">{formatAge(at, now)}</small>
            </span>
            <Button small tone="quiet" icon="undo" disabled={!enabled} onClick={() => void deck.undo(id, cwd)}>
              {WORDS.undo}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
};
