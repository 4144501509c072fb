// The narrow rail, while the workbench takes its place: how to leave this session, and how many requests wait.

import { IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { useClient, useSessionList } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { boardHref, rulesHref, type Route } from "../store/route.ts";
import { openSurface } from "../store/surfaces.ts";
import { WORDS as LATER } from "./rail-words.ts";
import { WORDS } from "./words.ts";
import "./rail-strip.css";

export interface RailStripProps {
  readonly screen: Route["screen"];
  readonly onMenu: () => void;
}

export const RailStrip = ({ screen, onMenu }: RailStripProps) => {
  const client = useClient();
  const { sessions } = useSessionList();
  const waiting = sessions.filter((summary) => !summary.archived && summary.waiting.length > 0).length;
  return (
    <div className="rail-strip">
      <a className="icon-btn brand" href="#/" aria-label={LATER.home}>
        <Icon name="helm" size={20} />
      </a>
      {may(client, "sessions/start") && (
        <IconButton icon="plus" label={LATER.new} onClick={() => openSurface({ kind: "start" })} />
      )}
      <IconButton icon="search" label={WORDS.palette} onClick={() => openSurface({ kind: "palette" })} />
      {waiting > 0 && (
        <button type="button" className="icon-btn strip-waits num" aria-label={LATER.need(waiting)} onClick={onMenu}>
          {waiting}
        </button>
      )}
      <a
        className="icon-btn"
        href={boardHref()}
        aria-label={WORDS.board}
        data-tip={WORDS.board}
        aria-current={screen === "board" ? "page" : undefined}
      >
        <Icon name="board" size={18} />
      </a>
      <a className="icon-btn" href={rulesHref()} aria-label={WORDS.rules} data-tip={WORDS.rules}>
        <Icon name="shield" size={18} />
      </a>
      <span className="strip-gap" />
      <IconButton icon="menu" className="strip-menu" label={LATER.show} onClick={onMenu} />
      <IconButton icon="gear" label={WORDS.settings} onClick={() => openSurface({ kind: "settings" })} />
    </div>
  );
};
