// On a phone, opens the sessions and the palette. The number counts open requests of all sessions.

import { Icon } from "../parts/icon.tsx";
import { useSessionList } from "../store/client.tsx";
import { openSurface } from "../store/surfaces.ts";
import { WORDS as LIST_WORDS } from "../sessions/words.ts";
import { WORDS } from "./words.ts";

export const MenuButton = ({ onMenu }: { readonly onMenu: () => void }) => {
  const { sessions } = useSessionList();
  const waiting = sessions.reduce((sum, summary) => sum + (summary.archived ? 0 : summary.waiting.length), 0);
  return (
    <>
      <button
        type="button"
        className={`menu-button ${waiting > 0 ? "menu-waits" : ""}`}
        aria-label={waiting === 0 ? WORDS.sessions : WORDS.asks(waiting)}
        onClick={onMenu}
      >
        <Icon name="menu" size={18} />
        {waiting > 0 && <span className="num">{waiting}</span>}
      </button>
      <button
        type="button"
        className="menu-button"
        aria-label={LIST_WORDS.palette}
        onClick={() => openSurface({ kind: "palette" })}
      >
        <Icon name="search" size={18} />
      </button>
    </>
  );
};
