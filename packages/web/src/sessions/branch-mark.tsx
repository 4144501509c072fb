import type { Brief } from "../store/git-briefs.ts";

type Shown = Pick<Brief, "branch" | "ahead" | "behind"> & { readonly dirty: boolean };

export const branchWords = ({ branch, dirty, ahead = 0, behind = 0 }: Shown): string =>
  [
    branch === undefined ? "no branch" : `branch ${branch}`,
    dirty && "uncommitted changes",
    ahead > 0 && `${ahead} ahead`,
    behind > 0 && `${behind} behind`,
  ]
    .filter(Boolean)
    .join(", ");

/** Branch, a dot for uncommitted changes, and the distance to the upstream. */
export const BranchMark = ({ brief }: { readonly brief: Shown }) => {
  const { branch, dirty, ahead = 0, behind = 0 } = brief;
  return (
    <span className="branch-mark">
      <span className="sr-only">{branchWords(brief)}</span>
      <span aria-hidden="true" className="branch-name">
        {branch ?? "no branch"}
      </span>
      {dirty && (
        <span aria-hidden="true" className="branch-dirty" title="Uncommitted changes">
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
