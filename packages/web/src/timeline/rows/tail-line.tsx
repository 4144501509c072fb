import type { Row } from "@quarterdeck/client";
import { formatSpan } from "../../words/format.ts";
import { useNow } from "../../store/now.ts";
import type { Tail } from "../entries.ts";
import { useScopeHead, useScope } from "../scope.tsx";
import { WORDS } from "../rare-words.ts";

/** The line below the last message while nothing has come yet: how long it takes, and what is happening. */
export const TailLine = ({ tail }: { readonly tail: Tail }) => {
  const { view } = useScope();
  const phase = useScopeHead((head) => head.phase);
  const phaseSince = useScopeHead((head) => head.since);
  const first = useScopeHead((head) => head.queue[0]?.rowId);
  const now = useNow();
  const isWaiting = (row: Row): boolean => row.id === first;
  const since = tail === "turn" ? phaseSince : (view.snapshot.rows.findLast(isWaiting)?.at ?? now);
  const waited = Math.max(0, now - since);
  const words = WORDS.phases[phase];
  return (
    <p className="tail-line" data-phase={phase}>
      <i className="tail-dot" aria-hidden="true" />
      <span>
        {tail === "turn" ? WORDS.working : WORDS.sending}
        {waited >= 1000 && <span className="num">{WORDS.after(formatSpan(waited))}</span>}
      </span>
      {words !== undefined && <span className="faint">{words}</span>}
    </p>
  );
};
