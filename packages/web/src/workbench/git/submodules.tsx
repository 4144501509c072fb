// Submodules that are at another commit than the last commit says. They are shown only: git is used in a terminal to stage them.

import { TrueText } from "../../content/text/true-text.tsx";
import type { GitTree } from "./use-git.ts";
import { WORDS } from "./words.ts";

const { submodules: SAID } = WORDS;
const SHORT = 7;

export const Submodules = ({ tree }: { readonly tree: GitTree }) => {
  const { submodules = [] } = tree;
  if (submodules.length === 0) return null;
  return (
    <section className="git-section" aria-label={SAID.submodules}>
      <h3>
        {SAID.submodules} <span className="num">{submodules.length}</span>
      </h3>
      <ul className="git-files">
        {submodules.map(({ path, before, after }) => (
          <li key={path} className="git-row">
            <span className="git-path git-grow" title={path}>
              <TrueText text={path} />
            </span>
            <span className="mono faint">
              {before?.slice(0, SHORT) ?? SAID.isNew} → {after?.slice(0, SHORT) ?? SAID.removed}
            </span>
          </li>
        ))}
      </ul>
      <p className="git-note">{SAID.about}</p>
    </section>
  );
};
