import type { Brief } from "../store/git-briefs.ts";
import { WORDS } from "./words.ts";

type Shown = Pick<Brief, "branch" | "ahead" | "behind"> & { readonly dirty: boolean };

export const branchWords = ({ branch, dirty, ahead = 0, behind = 0 }: Shown): string =>
  [
    branch === undefined ? WORDS.noBranch : WORDS.branch(branch),
    dirty && WORDS.dirty,
    ahead > 0 && WORDS.ahead(ahead),
    behind > 0 && WORDS.behind(behind),
  ]
    .filter(Boolean)
    .join(WORDS.between);

/** Branch, a dot for uncommitted changes, and the distance to the upstream. */
export const BranchMark = ({ brief }: { readonly brief: Shown }) => {
  const { branch, dirty, ahead = 0, behind = 0 } = brief;
  return (
    <span className="branch-mark">
      <span className="sr-only">{branchWords(brief)}</span>
      <span aria-hidden="true" className="branch-name">
        {branch ?? WORDS.noBranch}
      </span>
      {dirty && (
        <span aria-hidden="true" className="branch-dirty" title={WORDS.dirtyTip}>
          ●
        </span>
      )}
      {ahead > 0 && (
        <span aria-hidden="true" className="num">
          ↑{ahead}
        </span>
      )}
      {behind > 0 && (
        <span aria-hidden="true" className="num">
          ↓{behind}
        </span>
      )}
    </span>
  );
};
