// On a phone, the way to the sessions; the number is what waits, in whichever session.

import { plural } from "../words/format.ts";
import { Icon } from "../parts/icon.tsx";
import { useSessionList } from "../store/client.tsx";

export const MenuButton = ({ onMenu }: { readonly onMenu: () => void }) => {
  const { sessions } = useSessionList();
  const waiting = sessions.reduce((sum, summary) => sum + (summary.archived ? 0 : summary.waiting.length), 0);
  return (
    <button
      type="button"
      className={`menu-button ${waiting > 0 ? "menu-waits" : ""}`}
      aria-label={waiting === 0 ? "Sessions" : `Sessions, ${plural(waiting, "request")}`}
      onClick={onMenu}
    >
      <Icon name="menu" size={18} />
      {waiting > 0 && <span className="num">{waiting}</span>}
    </button>
  );
};
