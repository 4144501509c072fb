// The replay, with what rows can do in a session.

import type { ReactNode } from "react";
import { Replay } from "../replay/replay.tsx";
import { useClient } from "../store/client.tsx";
import { useSessionActions } from "./use-session-actions.ts";

export const ReplayScreen = ({ id, menu }: { readonly id: string; readonly menu: ReactNode }) => {
  const actions = useSessionActions(useClient(), id);
  return <Replay id={id} actions={actions} menu={menu} />;
};
