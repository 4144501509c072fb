import type { Client, SessionView } from "@quarterdeck/client";
import { isResting } from "@quarterdeck/client/content";
import { startTransition, useCallback, useEffect, useRef, useState } from "react";
import { useHead } from "../../store/session.ts";
import {
  loadBeginning,
  loadDiff,
  loadList,
  type ChangeList,
  type DiffWish,
  type FileChange,
  type ChangeScope,
} from "./source.ts";

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export interface ChangeListState {
  readonly list: ChangeList | undefined;
  readonly problem: string | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Grows with each answer: files may have changed without a change of their counts. */
  readonly revision: number;
}

/** So long after the last change the list is asked for again. */
const CALM_MS = 400;

/** The list, again after each turn and each edit. The former one stays in sight meanwhile. */
export const useChanges = (client: Client, view: SessionView, scope: ChangeScope): ChangeListState => {
  const head = useHead(view);
  const [list, setList] = useState<ChangeList>();
  const [problem, setProblem] = useState<string>();
  const [isLoading, setIsLoading] = useState(true);
  const [revision, setRevision] = useState(0);
  const [asked, setAsked] = useState(0);
  const edits = Object.values(head.files).reduce((sum, file) => sum + file.edits, 0);
  const { files = 0, added = 0, removed = 0 } = head.changes ?? {};
  const key = `${edits} ${files} ${added} ${removed} ${head.gauges.turns} ${String(isResting(head.phase))} ${asked}`;
  const isFirst = useRef(true);
  const { base, turn } = scope;
  const { cwd } = head;
  useEffect(() => {
    let gone = false;
    setIsLoading(true);
    const timer = setTimeout(
      () => {
        loadList(client, view.id, cwd, { base, turn }).then(
          (found) => {
            if (gone) return;
            setList(found);
            setProblem(undefined);
            setRevision((before) => before + 1);
            setIsLoading(false);
          },
          (error: unknown) => {
            if (gone) return;
            setProblem(wordsOf(error));
            setIsLoading(false);
          },
        );
      },
      isFirst.current ? 0 : CALM_MS,
    );
    isFirst.current = false;
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [client, view.id, cwd, base, turn, key]);
  const reload = useCallback(() => setAsked((before) => before + 1), []);
  return { list, problem, isLoading, reload, revision };
};

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
}

/** Asked for once it is wanted, and again when `key` is another. The former value stays meanwhile. */
export const useLoaded = <T>(wanted: boolean, key: string, load: () => Promise<T>): Loaded<T> => {
  const [state, setState] = useState<Loaded<T>>({ value: undefined, problem: undefined });
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (!wanted) return undefined;
    let gone = false;
    latest.current().then(
      // The first lines of a long diff are drawn in slices.
      (value) => startTransition(() => (gone ? undefined : setState({ value, problem: undefined }))),
      (error: unknown) => !gone && setState({ value: undefined, problem: wordsOf(error) }),
    );
    return () => {
      gone = true;
    };
  }, [wanted, key]);
  return state;
};

export interface WantedDiff extends DiffWish {
  readonly revision: number;
  readonly wanted: boolean;
  /** The first lines come before all of them. */
  readonly isLong: boolean;
}

export const useFileChange = ({ revision, wanted, isLong, ...wish }: WantedDiff): Loaded<FileChange> => {
  const { file, scope, whitespace } = wish;
  const key = `${file.path} ${file.stamp} ${scope.base} ${scope.turn ?? ""} ${String(whitespace)} ${revision}`;
  const [hasAll, setHasAll] = useState(!isLong);
  const beginning = useLoaded(wanted && !hasAll, key, () => loadBeginning(wish));
  const began = beginning.value !== undefined || beginning.problem !== undefined;
  // The beginning is drawn before the rest is asked for.
  const all = useLoaded(wanted && (hasAll || began), key, () => loadDiff(wish));
  const isThere = all.value !== undefined || all.problem !== undefined;
  useEffect(() => {
    if (isThere) setHasAll(true);
  }, [isThere]);
  return isThere ? all : beginning;
};
