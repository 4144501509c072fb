import { WORDS } from "./words.ts";

interface LineCountsProps {
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
  /** Shown if no lines changed: a picture, or the rights of a file. */
  readonly files?: number;
}

/** Added and removed lines: `+12 −2`. A zero says nothing and is left out. */
export const LineCounts = ({ added = 0, removed = 0, files = 0 }: LineCountsProps) => (
  <>
    {added > 0 && <span className="plus">+{added}</span>}
    {added > 0 && removed > 0 && " "}
    {removed > 0 && <span className="minus">−{removed}</span>}
    {added + removed === 0 && files > 0 && <span className="faint">{WORDS.files(files)}</span>}
  </>
);
