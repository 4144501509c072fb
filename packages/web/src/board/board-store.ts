// The board's choices and saved views, kept by this browser.

import { useSyncExternalStore } from "react";
import { kept } from "../store/kept.ts";
import { decodeBoard, withView, type BoardChoice, type KeptBoard } from "./board-model.ts";

const stored = kept("board", decodeBoard);

export const useBoard = (): KeptBoard => useSyncExternalStore(stored.subscribe, stored.get);
export const chooseOnBoard = (patch: Partial<BoardChoice>): void =>
  stored.set({ ...stored.get(), choice: { ...stored.get().choice, ...patch } });
export const saveView = (name: string, choice = stored.get().choice): void =>
  stored.set({ ...withView({ ...stored.get(), choice }, name), choice: stored.get().choice });
export const removeView = (name: string): void =>
  stored.set({ ...stored.get(), views: stored.get().views.filter((view) => view.name !== name) });
