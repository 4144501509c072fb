import type { ResultOf } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { toastError } from "../../parts/toast.tsx";
import { may } from "../../store/may.ts";
import { hrefOf } from "../../store/route.ts";
import { openSurface } from "../../store/surfaces.ts";
import type { TabProps } from "../tab.ts";
import { Compare } from "./compare.tsx";
import { DiscardDialog, MergeDialog } from "./worktree-dialogs.tsx";
import type { GitDeck, GitTree, Worktree } from "./use-git.ts";
import { WORDS } from "./words.ts";

interface WorktreesProps {
  readonly deck: GitDeck;
  readonly tree: GitTree;
  readonly place: TabProps["place"];
}

const { trees: SAID } = WORDS;

type Open = { readonly kind: "merge" | "discard"; readonly worktrees: readonly Worktree[] };

export const Worktrees = ({ deck, tree, place }: WorktreesProps) => {
  const { client, session, times } = deck;
  const [found, setFound] = useState<ResultOf<"git/worktrees">>();
  const [shown, setShown] = useState(tree.worktree !== undefined);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<Open>();
  useEffect(() => {
    if (!shown) return undefined;
    let gone = false;
    client.call("git/worktrees", { session }).then((listed) => {
      if (!gone) setFound(listed);
    }, toastError);
    return () => {
      gone = true;
    };
    // It reads every worktree: with each look at the folder, and not more often.
  }, [client, session, shown, times]);
  const linked = found?.worktrees.filter(({ main }) => !main) ?? [];
  const forgotten = linked.filter((one) => one.forgotten && !one.missing);
  const compared = linked.filter(({ path, missing }) => chosen.has(path) && !missing);
  const mayDiscard = may(client, "git/discard");
  const choose = (path: string, on: boolean): void =>
    setChosen((before) => new Set(on ? [...before, path] : [...before].filter((other) => other !== path)));
  return (
    <section className="git-section" aria-label={SAID.worktrees}>
      <h3>
        {SAID.worktrees} {found !== undefined && <span className="num">{linked.length}</span>}
        {!shown && (
          <Button small tone="quiet" onClick={() => setShown(true)}>
            {SAID.show}
          </Button>
        )}
        {shown && may(client, "sessions/start") && (
          <Button
            small
            tone="quiet"
            icon="plus"
            onClick={() => openSurface({ kind: "start", cwd: found?.worktrees[0]?.path ?? tree.root, worktree: true })}
          >
            {SAID.startHere}
          </Button>
        )}
      </h3>
      {shown && found === undefined && <p className="faint">{WORDS.reading}</p>}
      {found !== undefined && linked.length === 0 && <p className="faint">{SAID.none}</p>}
      <ul className="git-trees">
        {linked.map((one) => (
          <Entry
            key={one.path}
            one={one}
            here={one.path === tree.root}
            session={session}
            chosen={chosen.has(one.path)}
            onChoose={(on) => choose(one.path, on)}
            actions={
              <>
                {may(client, "git/merge") && (
                  <Button
                    small
                    disabled={deck.busy || one.missing}
                    aria-label={SAID.mergeOne(one.name)}
                    onClick={() => setOpen({ kind: "merge", worktrees: [one] })}
                  >
                    {SAID.merge}
                  </Button>
                )}
                {mayDiscard && (
                  <Button
                    small
                    tone="danger"
                    disabled={deck.busy || one.missing}
                    aria-label={SAID.discardOne(one.name)}
                    onClick={() => setOpen({ kind: "discard", worktrees: [one] })}
                  >
                    {SAID.discard}
                  </Button>
                )}
              </>
            }
          />
        ))}
      </ul>
      {forgotten.length > 0 && mayDiscard && (
        <p className="git-note">
          {SAID.forgotten(forgotten.length)}{" "}
          <Button small onClick={() => setOpen({ kind: "discard", worktrees: forgotten })}>
            {SAID.cleanUp}
          </Button>
        </p>
      )}
      {compared.length > 0 && <Compare deck={deck} worktrees={compared} place={place} />}
      {open?.kind === "merge" && (
        <MergeDialog deck={deck} worktree={open.worktrees[0]!} onClose={() => setOpen(undefined)} />
      )}
      {open?.kind === "discard" && (
        <DiscardDialog
          deck={deck}
          worktrees={open.worktrees}
          root={mainOf(found, tree)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </section>
  );
};

const mainOf = (found: ResultOf<"git/worktrees"> | undefined, tree: GitTree): string =>
  found?.worktrees.find(({ main }) => main)?.path ?? tree.root;

interface EntryProps {
  readonly one: Worktree;
  readonly here: boolean;
  readonly session: string;
  readonly chosen: boolean;
  readonly onChoose: (on: boolean) => void;
  readonly actions: React.ReactNode;
}

const Entry = ({ one, here, session, chosen, onChoose, actions }: EntryProps) => {
  const { name, branch, base, ahead = 0, behind = 0, uncommitted, missing, locked, sessions } = one;
  const parts = [
    base !== undefined && SAID.from(base),
    ahead > 0 && SAID.ahead(ahead),
    behind > 0 && SAID.behind(behind),
    uncommitted > 0 && SAID.uncommitted(uncommitted),
    locked && SAID.locked,
    missing && SAID.missing,
  ].filter((part) => part !== false);
  return (
    <li className="git-tree">
      <label>
        <input
          type="checkbox"
          aria-label={SAID.compare(name)}
          checked={chosen}
          disabled={missing}
          onChange={(event) => onChoose(event.target.checked)}
        />
      </label>
      <div className="git-grow">
        <p>
          <b>{name}</b> {branch !== undefined && branch !== name && <span className="faint">{branch}</span>}
          {here && <span className="badge">{SAID.here}</span>}
        </p>
        <p className="faint">{SAID.facts(parts)}</p>
        {sessions.map(({ id, title, archived }) => (
          <p key={id} className="git-session">
            {id === session ? (
              <span className="faint">{SAID.thisSession}</span>
            ) : (
              <a href={hrefOf(id)}>{title ?? id.slice(0, 8)}</a>
            )}
            {archived && <span className="faint">{SAID.archived}</span>}
          </p>
        ))}
      </div>
      <div className="git-buttons">{actions}</div>
    </li>
  );
};
