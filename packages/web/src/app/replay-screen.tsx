// The replay, with what rows need of a session.

import { useMemo, type ReactNode } from "react";
import { Replay } from "../replay/replay.tsx";
import { useClient } from "../store/client.tsx";
import { useSessionActions } from "./use-session-actions.ts";

export const ReplayScreen = ({ id, menu }: { readonly id: string; readonly menu: ReactNode }) => {
  const live = useSessionActions(useClient(), id);
  // What happened is only looked at.
  const actions = useMemo(() => ({ ...live, may: () => false }), [live]);
  return <Replay id={id} actions={actions} menu={menu} />;
};
