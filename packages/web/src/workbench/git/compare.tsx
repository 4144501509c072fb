// Worktrees beside each other: which files each of them changed, and the same file in all of them.

import type { ResultOf } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { grammarOfPath } from "../../content/code/language-names.ts";
import { DiffView } from "../../content/diff/diff-view.tsx";
import { TrueText } from "../../content/text/true-text.tsx";
import { LineCounts } from "../../parts/line-counts.tsx";
import { byKey } from "../../words/by-key.ts";
import type { TabProps } from "../tab.ts";
import type { GitDeck, Worktree } from "./use-git.ts";
import { WORDS } from "./words.ts";

const { compare: SAID } = WORDS;

type Compared = ResultOf<"git/compare">;
type Answer<T> = T | string | undefined;

/** What each of the worktrees answers, by its path. */
const useAnswers = <T,>(
  worktrees: readonly Worktree[],
  key: string,
  ask: (worktree: Worktree) => Promise<T>,
): ReadonlyMap<string, Answer<T>> => {
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer<T>>>(new Map());
  const paths = worktrees.map(({ path }) => path).join("\n");
  useEffect(() => {
    let gone = false;
    const tell = (path: string, answer: T | string): void => {
      if (!gone) setAnswers((before) => new Map(before).set(path, answer));
    };
    for (const worktree of worktrees)
      ask(worktree).then(
        (answer) => tell(worktree.path, answer),
        (error: unknown) => tell(worktree.path, error instanceof Error ? error.message : String(error)),
      );
    return () => {
      gone = true;
    };
    // The key has everything that the question depends on.
  }, [paths, key]); // oxlint-disable-line react/exhaustive-deps -- see above
  return answers;
};

export interface CompareProps {
  readonly deck: GitDeck;
  readonly worktrees: readonly Worktree[];
  readonly place: TabProps["place"];
}

export const Compare = ({ deck, worktrees, place }: CompareProps) => {
  const [file, setFile] = useState<string>();
  const answers = useAnswers<Compared>(worktrees, String(deck.times), ({ path }) =>
    deck.client.call("git/compare", { cwd: path }),
  );
  const compared = worktrees.map(({ path }) => answers.get(path));
  const files = [
    ...new Set(compared.flatMap((one) => (typeof one === "object" ? one.files.map(({ path }) => path) : []))),
  ];
  return (
    <div className="git-compare" role="region" aria-label={SAID.comparison}>
      <div className="git-table" tabIndex={0} role="group" aria-label={SAID.filesOfAll}>
        <table>
          <thead>
            <tr>
              <th scope="col">{SAID.files(files.length)}</th>
              {worktrees.map(({ path, name }, at) => (
                <th key={path} scope="col">
                  {name}
                  <small>{aboutOf(compared[at])}</small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {files.toSorted().map((path) => (
              <tr key={path} className={path === file ? "git-chosen" : ""}>
                <th scope="row">
                  <button
                    type="button"
                    aria-expanded={path === file}
                    onClick={() => setFile(path === file ? undefined : path)}
                  >
                    <TrueText text={path} />
                  </button>
                </th>
                {worktrees.map(({ path: at }, index) => (
                  <td key={at} className="num">
                    {countsOf(compared[index], path)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {file !== undefined && <Sides key={file} deck={deck} worktrees={worktrees} file={file} place={place} />}
    </div>
  );
};

const aboutOf = (one: Answer<Compared>): string => {
  if (one === undefined) return WORDS.reading;
  if (typeof one === "string") return one;
  return SAID.since(one.commits.length, one.base);
};

const countsOf = (one: Answer<Compared>, path: string): React.ReactNode => {
  const found = typeof one === "object" ? one.files.find((file) => file.path === path) : undefined;
  if (found === undefined) return <span className="faint">–</span>;
  if (found.added === undefined) return byKey(WORDS.states, found.status);
  return <LineCounts added={found.added} removed={found.removed} files={1} />;
};

const Sides = ({ deck, worktrees, file, place }: CompareProps & { readonly file: string }) => {
  const answers = useAnswers<ResultOf<"git/diff">>(worktrees, `${deck.times} ${file}`, ({ path }) =>
    deck.client.call("git/diff", { cwd: path, path: file, side: "base" }),
  );
  return (
    <div className={`git-sides ${place === "wide" ? "git-beside" : ""}`}>
      {worktrees.map(({ path, name }) => {
        const diff = answers.get(path);
        return (
          <section key={path} aria-label={SAID.fileIn(file, name)}>
            <h4>{name}</h4>
            {diff === undefined ? (
              <p className="git-note">{WORDS.reading}</p>
            ) : typeof diff === "string" ? (
              <p className="git-note">{diff}</p>
            ) : diff.hunks.length === 0 ? (
              <p className="git-note">{diff.kind === "binary" ? WORDS.binary : SAID.asBase}</p>
            ) : (
              <DiffView hunks={diff.hunks} name={`compare/${path}/${file}`} grammar={grammarOfPath(file)} />
            )}
          </section>
        );
      })}
    </div>
  );
};
