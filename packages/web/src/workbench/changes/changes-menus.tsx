// The menus of the review: which turn, compared with what, how it looks, and the way back.

import type { Client, SessionView } from "@quarterdeck/client";
import { Button, IconButton } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { LineCounts } from "../../parts/line-counts.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { useClient } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { openSurface } from "../../store/surfaces.ts";
import { formatTime } from "../../words/format.ts";
import { totals } from "./changed-file.ts";
import { reviewPrompt, withShownPaths, type Comment } from "./comments.ts";
import { look, type Look } from "./look.ts";
import { copyPatch, downloadPatch, downloadReview, type ChangeList, type ChangeScope } from "./source.ts";
import { typedInPrompt, turnWords } from "./turn-words.ts";
import { WORDS } from "./words.ts";

interface ScopeMenusProps {
  readonly view: SessionView;
  readonly list: ChangeList;
  readonly scope: ChangeScope;
  readonly onScope: (scope: ChangeScope) => void;
}

export const ScopeMenus = ({ view, list, scope, onScope }: ScopeMenusProps) => {
  const wordsOf = turnWords(view);
  const sum = totals(list.files);
  return (
    <>
      <Menu
        className="pill"
        label={WORDS.turnIs(scope.turn === undefined ? WORDS.allTurns : wordsOf(scope.turn))}
        items={[
          {
            id: "all",
            label: WORDS.allTurns,
            checked: scope.turn === undefined,
            run: () => onScope({ base: scope.base }),
          },
          ...list.turns.toReversed().map(({ prompt, at, files }) => ({
            id: prompt,
            label: wordsOf(prompt),
            detail: WORDS.turnFacts(formatTime(at), files),
            checked: prompt === scope.turn,
            run: () => onScope({ base: "start", turn: prompt }),
          })),
        ]}
      >
        <span className="pill-words">{scope.turn === undefined ? WORDS.allTurns : wordsOf(scope.turn)}</span>{" "}
        <Icon name="down" size={14} />
      </Menu>
      {scope.turn === undefined && (
        <Menu
          className="pill"
          label={WORDS.comparedWith(scope.base === "start" ? WORDS.sinceStart : WORDS.sinceCommit)}
          items={[
            {
              id: "start",
              label: WORDS.sinceStart,
              checked: scope.base === "start",
              run: () => onScope({ base: "start" }),
            },
            {
              id: "head",
              label: WORDS.sinceCommit,
              detail: "git HEAD",
              checked: scope.base === "head",
              run: () => onScope({ base: "head" }),
            },
          ]}
        >
          {scope.base === "start" ? WORDS.sinceStart : WORDS.sinceCommit} <Icon name="down" size={14} />
        </Menu>
      )}
      <span className="changes-sum num">
        <LineCounts {...sum} />
      </span>
    </>
  );
};

interface MoreMenu {
  readonly liked: Look;
  readonly reload: () => void;
  readonly client: Client;
  readonly session: string;
  readonly scope: ChangeScope;
  readonly comments: readonly Comment[];
  readonly cwd: string | undefined;
}

export const moreMenu = ({ liked, reload, client, session, scope, comments, cwd }: MoreMenu): readonly MenuItem[] => [
  { id: "tree", label: WORDS.asTree, checked: liked.tree, run: () => look.set({ ...liked, tree: !liked.tree }) },
  {
    id: "space",
    label: WORDS.whitespace,
    checked: liked.whitespace,
    run: () => look.set({ ...liked, whitespace: !liked.whitespace }),
  },
  {
    id: "patch",
    label: WORDS.copyPatch,
    apart: true,
    run: () =>
      void copyPatch({ client, session, scope })
        .then((how) => toast(how === "copied" ? WORDS.patchCopied : WORDS.patchDownloaded))
        .catch(toastError),
  },
  {
    id: "download",
    label: WORDS.downloadPatch,
    run: () => void downloadPatch({ client, session, scope }).catch(toastError),
  },
  {
    id: "review",
    label: WORDS.downloadReview,
    detail: WORDS.reviewAbout,
    run: () => void downloadReview({ client, session, scope }, withShownPaths(comments, cwd)).catch(toastError),
  },
  {
    id: "copy",
    label: WORDS.copyComments,
    disabled: comments.length === 0,
    run: () =>
      void navigator.clipboard
        .writeText(reviewPrompt(withShownPaths(comments, cwd)))
        .then(() => toast(WORDS.commentsCopied), toastError),
  },
  { id: "reload", label: WORDS.refresh, run: reload },
];

/** Rewinds the shown turn, or any turn. */
export const RewindMenu = ({
  view,
  list,
  turn,
  small,
}: {
  readonly view: SessionView;
  readonly list: ChangeList;
  readonly turn: string | undefined;
  /** Only its icon: there is no room for words. */
  readonly small: boolean;
}) => {
  const client = useClient();
  const wordsOf = turnWords(view);
  const open = (prompt: string): void =>
    openSurface({ kind: "rewind", session: view.id, prompt, text: typedInPrompt(view, prompt) });
  if (list.turns.length === 0 || !may(client, "rewind/apply")) return null;
  if (turn !== undefined)
    return small ? (
      <IconButton icon="undo" label={WORDS.rewind} className="foot-step" onClick={() => open(turn)} />
    ) : (
      <Button icon="undo" onClick={() => open(turn)}>
        {WORDS.rewind}
      </Button>
    );
  return (
    <Menu
      className={small ? "icon-btn foot-step" : "btn btn-plain"}
      label={WORDS.rewind}
      heading={WORDS.rewindTo}
      items={list.turns.toReversed().map(({ prompt, at }) => ({
        id: prompt,
        label: wordsOf(prompt),
        detail: formatTime(at),
        run: () => open(prompt),
      }))}
    >
      <Icon name="undo" /> {!small && WORDS.rewind}
    </Menu>
  );
};
