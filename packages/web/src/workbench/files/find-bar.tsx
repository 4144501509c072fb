import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { IconButton } from "../../parts/button.tsx";
import { findIn } from "./find-in-file.ts";
import { WORDS } from "./words.ts";

interface FindInFileProps {
  readonly lines: readonly string[];
  readonly onGo: (line: number) => void;
  readonly onClose: () => void;
}

export const FindInFile = ({ lines, onGo, onClose }: FindInFileProps) => {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const wanted = useDeferredValue(query);
  const found = useMemo(() => findIn(lines, wanted), [lines, wanted]);
  useEffect(() => setAt(0), [wanted]);
  const here = found[Math.min(at, found.length - 1)]?.line;
  useEffect(() => {
    if (here !== undefined) onGo(here);
    // Only another place is a reason to go.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [here]);
  const step = (by: 1 | -1): void => setAt((before) => (before + by + found.length) % Math.max(1, found.length));
  return (
    <search className="file-find">
      <input
        type="search"
        aria-label={WORDS.findInFile}
        placeholder={WORDS.find}
        value={query}
        autoFocus
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") onClose();
          else return;
          event.preventDefault();
        }}
      />
      <span className="num" role="status">
        {wanted === "" ? "" : found.length === 0 ? WORDS.notFound : WORDS.match(at + 1, found.length)}
      </span>
      <IconButton icon="up" label={WORDS.previous} onClick={() => step(-1)} disabled={found.length === 0} />
      <IconButton icon="down" label={WORDS.next} onClick={() => step(1)} disabled={found.length === 0} />
      <IconButton icon="close" label={WORDS.closeFind} onClick={onClose} />
    </search>
  );
};
