// The replay of a session, with the scope that rows need.

import { useMemo, type ReactNode } from "react";
import { Replay } from "../replay/replay.tsx";
import { useClient } from "../store/client.tsx";
import { useSessionActions } from "./use-session-actions.ts";

export const ReplayScreen = ({ id, menu }: { readonly id: string; readonly menu: ReactNode }) => {
  const live = useSessionActions(useClient(), id);
  // A replay is read-only.
  const actions = useMemo(() => ({ ...live, may: () => false }), [live]);
  return <Replay id={id} actions={actions} menu={menu} />;
};
