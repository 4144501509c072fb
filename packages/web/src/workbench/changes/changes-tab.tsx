// What the session changed: the list, all diffs in one scroll, comments that become a prompt.

import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { outbox } from "../../composer/outbox.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { useClient } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { PHONE, useMedia } from "../../store/media.ts";
import { useHead, useLastTurn } from "../../store/session.ts";
import { showInBench } from "../../store/workbench.ts";
import { NearScroll } from "../near.tsx";
import type { TabProps } from "../tab.ts";
import { matchesFilter, type ChangedFile } from "./changed-file.ts";
import { moreMenu, RewindMenu, ScopeMenus } from "./changes-menus.tsx";
import { startComment } from "./comment-actions.ts";
import { reviewPrompt, questionOf, withShownPaths, type Comment } from "./comments.ts";
import { lineAt, type DiffRow, type Layout } from "./diff-rows.ts";
import { FileList } from "./file-list.tsx";
import { FileSection, type SectionParts } from "./file-section.tsx";
import { look } from "./look.ts";
import { useReview } from "./review.ts";
import { useReviewKeys } from "./review-keys.ts";
import { RevertDialog, type RevertTarget } from "./revert-dialog.tsx";
import { copyPatch, type ChangeScope } from "./source.ts";
import { useChanges } from "./use-changes.ts";
import { WORDS } from "./words.ts";
import "./changes.css";

export const ChangesTab = ({ view, place, target }: TabProps) => {
  const client = useClient();
  const phone = useMedia(PHONE);
  const [scope, setScope] = useState<ChangeScope>({ base: "start" });
  const liked = useSyncExternalStore(look.subscribe, look.get);
  const [filter, setFilter] = useState<string>();
  const [reverts, setReverts] = useState<RevertTarget>();
  const changes = useChanges(client, view, scope);
  const [review, actions] = useReview(view.id);
  const lastTurn = useLastTurn(view);
  const { cwd } = useHead(view);
  const layout: Layout = phone ? "unified" : place === "wide" ? liked.wide : liked.beside;
  const setLayout = useCallback(
    (next: Layout) => look.set({ ...look.get(), [place === "wide" ? "wide" : "beside"]: next }),
    [place],
  );
  const { list, reload } = changes;
  const canRevert = may(client, "revert/apply");
  // Without snapshots, the last commit is what can be compared with.
  useEffect(() => {
    if (list?.isOff === true) setScope({ base: "head" });
  }, [list]);
  const files = useMemo(
    () =>
      (list?.files ?? []).filter(
        (file) => filter === undefined || filter.trim() === "" || matchesFilter(file, filter.trim()),
      ),
    [list, filter],
  );
  const isViewed = useCallback((file: ChangedFile) => review.viewed[file.path] === file.stamp, [review.viewed]);
  const byPath = useComments(review.comments);
  const counts = useMemo(() => new Map([...byPath].map(([path, all]) => [path, all.length])), [byPath]);
  const collected = review.comments.filter(({ draft, sentAt }) => draft !== true && sentAt === undefined);

  const rows = useRef(new Map<string, readonly DiffRow[]>());
  const [asked, setAsked] = useState<{ readonly path: string }>();
  const keys = useReviewKeys({ files, isViewed });
  const { cursor, onHunks, step } = keys;
  const show = useCallback((path: string) => setAsked({ path }), []);

  useEffect(() => {
    if (target?.turn !== undefined) setScope({ base: "start", turn: target.turn });
    if (target?.path !== undefined) show(target.path);
  }, [target, show]);

  const canSend = may(client, "session/prompt");
  const send = (): void => {
    outbox.send(client, { session: view.id, content: reviewPrompt(withShownPaths(collected, cwd)), uploads: [] });
    for (const { id } of collected) actions.change(id, { sentAt: Date.now() });
    toast(WORDS.sent(collected.length));
  };
  const ask = useCallback(
    (comment: Comment) => {
      outbox.send(client, { session: view.id, content: questionOf(withShownPaths([comment], cwd)[0]!), uploads: [] });
      actions.change(comment.id, { text: comment.text, draft: undefined, sentAt: Date.now() });
    },
    [client, view.id, actions, cwd],
  );
  const parts = useMemo(
    (): SectionParts => ({
      onViewed: (file, viewed) => actions.setViewed(file.path, viewed ? file.stamp : undefined),
      onHunks,
      onRows: (path, found) => {
        if (found === undefined) rows.current.delete(path);
        else rows.current.set(path, found);
      },
      menu: (file) => [
        {
          id: "revert",
          label: WORDS.revertFile,
          icon: "undo",
          disabled: !canRevert || file.submodule === true,
          run: () => setReverts({ file, scope }),
        },
        {
          id: "patch",
          label: WORDS.copyPatch,
          icon: "file",
          run: () =>
            void copyPatch({ client, session: view.id, scope, paths: [file.path] })
              .then((how) => toast(how === "copied" ? WORDS.patchCopied : WORDS.patchDownloaded))
              .catch(toastError),
        },
        {
          id: "path",
          label: WORDS.copyPath,
          icon: "link",
          run: () => void navigator.clipboard.writeText(file.shown).then(() => toast(WORDS.pathCopied), toastError),
        },
      ],
      revert: canRevert ? (file, change, hunk) => setReverts({ file, scope, change, hunk }) : undefined,
      openFile: (file) => showInBench({ tab: "files", path: file.path }),
      ask: canSend ? ask : undefined,
    }),
    [actions, onHunks, client, view.id, canSend, ask, canRevert, scope],
  );

  keys.listen({
    hunk: (by) => step(by),
    file: (by) => {
      const at = files.findIndex(({ path }) => path === cursor?.path);
      const next = files[at + by] ?? (at === -1 ? files[0] : undefined);
      if (next !== undefined) {
        keys.set({ path: next.path, hunk: 0 });
        show(next.path);
      }
    },
    viewed: () => {
      const file = files.find(({ path }) => path === cursor?.path);
      if (file !== undefined) parts.onViewed(file, !isViewed(file));
    },
    comment: () => {
      if (cursor === undefined) return;
      const found = rows.current.get(cursor.path) ?? [];
      const at = found.find((row) => row.kind !== "fold" && row.hunk === cursor.hunk && isChanged(row));
      if (at === undefined) return;
      const side = lineAt(at, "new") === undefined ? "old" : "new";
      const about = { rows: found, comments: byPath.get(cursor.path) ?? [] };
      startComment(actions, cursor.path, about, { side, line: lineAt(at, side)!, extend: false });
    },
    layout: () => setLayout(layout === "split" ? "unified" : "split"),
  });

  if (list === undefined)
    return (
      <p className="bench-empty" role="status">
        {changes.problem ?? WORDS.loading}
      </p>
    );
  const viewedCount = list.files.filter(isViewed).length;
  const fileList = (
    <FileList
      files={files}
      isTree={liked.tree}
      open={cursor?.path}
      isViewed={isViewed}
      comments={counts}
      onOpen={(file) => {
        keys.set({ path: file.path, hunk: 0 });
        show(file.path);
      }}
      onViewed={(file, viewed) => parts.onViewed(file, viewed)}
    />
  );
  return (
    <div className={`changes changes-${place}`}>
      <div className="changes-tools">
        <ScopeMenus list={list} view={view} scope={scope} onScope={setScope} />
        <span className="gap" />
        {!phone && (
          <div className="segments changes-layout" role="group" aria-label={WORDS.layout}>
            {(["unified", "split"] as const).map((one) => (
              <button key={one} type="button" aria-pressed={layout === one} onClick={() => setLayout(one)}>
                {WORDS[one]}
              </button>
            ))}
          </div>
        )}
        <IconButton
          icon="search"
          label={WORDS.filter}
          aria-pressed={filter !== undefined}
          onClick={() => setFilter(filter === undefined ? "" : undefined)}
        />
        <Menu
          className="icon-btn"
          label={WORDS.more}
          items={() => moreMenu({ liked, reload, client, session: view.id, scope, comments: review.comments, cwd })}
        >
          <Icon name="more" />
        </Menu>
      </div>
      {filter !== undefined && (
        <input
          className="changes-filter"
          type="search"
          aria-label={WORDS.filter}
          placeholder={WORDS.partOfPath}
          value={filter}
          autoFocus
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            setFilter(undefined);
          }}
        />
      )}
      {changes.problem !== undefined && (
        <p className="review-note" role="alert">
          {changes.problem}
        </p>
      )}
      {list.notes.map(({ text, paths }) => (
        <p key={text} className="review-note" title={paths.join("\n")}>
          {text} {paths.slice(0, 3).join(", ")}
          {paths.length > 3 && WORDS.andMore(paths.length - 3)}
        </p>
      ))}
      <div className="changes-main">
        {!phone && files.length > 0 && fileList}
        {files.length === 0 ? (
          <p className="bench-empty">{filter === undefined || filter === "" ? WORDS.nothing : WORDS.noMatch}</p>
        ) : (
          <NearScroll className="changes-scroll" label={WORDS.diffs}>
            {files.map((file) => (
              <FileSection
                key={file.path}
                {...{ client, file, scope, layout, parts }}
                session={view.id}
                revision={changes.revision}
                whitespace={liked.whitespace}
                comments={byPath.get(file.path) ?? NO_COMMENTS}
                turnEndedAt={lastTurn?.at}
                viewed={isViewed(file)}
                cursor={cursor?.path === file.path ? cursor.hunk : undefined}
                asked={asked?.path === file.path ? asked : undefined}
                review={actions}
              />
            ))}
          </NearScroll>
        )}
      </div>
      <footer className="bench-foot">
        {phone && (
          <>
            <IconButton icon="up" label={WORDS.previous} className="foot-step" onClick={() => step(-1)} />
            <IconButton icon="down" label={WORDS.next} className="foot-step" onClick={() => step(1)} />
          </>
        )}
        <RewindMenu view={view} list={list} turn={scope.turn} small={phone} />
        <span className="gap" />
        {list.files.length > 0 && (
          <span className="quiet num">
            {phone ? `${viewedCount}/${list.files.length}` : WORDS.viewedOf(viewedCount, list.files.length)}
            {phone && <span className="sr-only">{WORDS.isViewed}</span>}
          </span>
        )}
        {canSend && (
          <Button tone={collected.length > 0 ? "main" : "plain"} disabled={collected.length === 0} onClick={send}>
            {collected.length === 0 ? WORDS.send : WORDS.sendCount(collected.length)}
          </Button>
        )}
      </footer>
      {reverts !== undefined && (
        <RevertDialog
          {...{ client, session: view.id, cwd, ...reverts }}
          onClose={() => setReverts(undefined)}
          onDone={reload}
        />
      )}
    </div>
  );
};

const NO_COMMENTS: readonly Comment[] = [];

const isChanged = (row: DiffRow): boolean =>
  row.kind === "line"
    ? row.line.kind === "added" || row.line.kind === "removed"
    : row.kind === "pair" && row.left !== row.right;

/** The same array for a file while its comments are the same. */
const useComments = (comments: readonly Comment[]): ReadonlyMap<string, readonly Comment[]> => {
  const before = useRef<ReadonlyMap<string, readonly Comment[]>>(new Map());
  return useMemo(() => {
    const found = Map.groupBy(comments, ({ path }) => path);
    const next = new Map<string, readonly Comment[]>();
    for (const [path, all] of found) {
      const old = before.current.get(path);
      next.set(path, old?.length === all.length && old.every((one, at) => one === all[at]) ? old : all);
    }
    before.current = next;
    return next;
  }, [comments]);
};
