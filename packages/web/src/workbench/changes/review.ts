// What a person has written and marked in a review. It belongs to this browser and survives a reload.

import { useMemo, useSyncExternalStore } from "react";
import { kept, type Kept } from "../../store/kept.ts";
import { decodeComments, type Comment } from "./comments.ts";

export interface KeptReview {
  readonly comments: readonly Comment[];
  /** Paths that were looked at, with the change as it was then. */
  readonly viewed: Readonly<Record<string, string>>;
}

const MOST_COMMENTS = 500;
const MOST_VIEWED = 5000;

const decodeReview = (value: unknown): KeptReview => {
  const given = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const viewed = typeof given["viewed"] === "object" && given["viewed"] !== null ? given["viewed"] : {};
  const entries = Object.entries(viewed).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return {
    comments: decodeComments(given["comments"]).slice(-MOST_COMMENTS),
    viewed: Object.fromEntries(entries.slice(-MOST_VIEWED)),
  };
};

const stores = new Map<string, Kept<KeptReview>>();
const storeOf = (session: string): Kept<KeptReview> => {
  const known = stores.get(session);
  if (known !== undefined) return known;
  const made = kept(`review.${session}`, decodeReview);
  stores.set(session, made);
  return made;
};

export interface ReviewActions {
  add(comment: Omit<Comment, "id" | "text">): string;
  change(id: string, patch: Partial<Comment>): void;
  remove(id: string): void;
  setViewed(path: string, stamp: string | undefined): void;
}

const reviewActions = (session: string): ReviewActions => {
  const store = storeOf(session);
  const set = (patch: Partial<KeptReview>): void => store.set({ ...store.get(), ...patch });
  return {
    add: (comment) => {
      const id = crypto.randomUUID();
      set({ comments: [...store.get().comments, { ...comment, id, text: "" }] });
      return id;
    },
    change: (id, patch) =>
      set({ comments: store.get().comments.map((one) => (one.id === id ? { ...one, ...patch } : one)) }),
    remove: (id) => set({ comments: store.get().comments.filter((one) => one.id !== id) }),
    setViewed: (path, stamp) => {
      const { [path]: _, ...others } = store.get().viewed;
      set({ viewed: stamp === undefined ? others : { ...others, [path]: stamp } });
    },
  };
};

export const useReview = (session: string): readonly [KeptReview, ReviewActions] => {
  const store = storeOf(session);
  const review = useSyncExternalStore(store.subscribe, store.get);
  const actions = useMemo(() => reviewActions(session), [session]);
  return [review, actions];
};
