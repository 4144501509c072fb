import type { ResultOf } from "@quarterdeck/client";
import { useEffect, useId, useState } from "react";
import { useClient } from "../store/client.tsx";
import { WORDS } from "./start-words.ts";

export interface WorktreeFieldsProps {
  readonly cwd: string;
  /** Selected by default. */
  readonly wanted: boolean;
  readonly name: string;
  readonly base: string;
  readonly onChange: (name: string, base: string) => void;
}

type Offer = Pick<ResultOf<"git/worktrees">, "proposal" | "branches">;

/** Whether the session gets a worktree of its own, with the name and the base that the server proposes. */
export const WorktreeFields = ({ cwd, wanted, name, base, onChange }: WorktreeFieldsProps) => {
  const client = useClient();
  const list = useId();
  const [on, setOn] = useState(wanted);
  const [offer, setOffer] = useState<Offer | "none">();
  useEffect(() => {
    setOffer(undefined);
    onChange("", "");
    if (!on || cwd === "") return undefined;
    let gone = false;
    const tell = (next: Offer | "none"): void => {
      if (gone) return;
      setOffer(next);
      if (next !== "none" && next.proposal !== undefined) onChange(next.proposal.name, next.proposal.base);
    };
    client.call("git/worktrees", { cwd }).then(
      (found) => tell(found.proposal === undefined ? "none" : found),
      () => tell("none"),
    );
    return () => {
      gone = true;
    };
    // Another folder has other names. `onChange` is new with each render.
  }, [client, cwd, on]); // oxlint-disable-line react/exhaustive-deps -- see above
  return (
    <div className="start-tree">
      <label className="start-check">
        <input type="checkbox" checked={on} onChange={(event) => setOn(event.target.checked)} />
        {WORDS.inTree}
      </label>
      {on && offer === "none" && (
        <p className="note" role="status">
          {WORDS.noGit}
        </p>
      )}
      {on && offer !== "none" && (
        <div className="start-pair">
          <label className="field">
            <span>{WORDS.treeName}</span>
            <input
              className="input mono"
              value={name}
              maxLength={60}
              spellCheck={false}
              onChange={(event) => onChange(event.target.value, base)}
            />
          </label>
          <label className="field">
            <span>{WORDS.treeFrom}</span>
            <input
              className="input mono"
              value={base}
              list={list}
              maxLength={200}
              spellCheck={false}
              onChange={(event) => onChange(name, event.target.value)}
            />
            <datalist id={list}>
              {offer?.branches.map((branch) => (
                <option key={branch} value={branch} />
              ))}
            </datalist>
          </label>
        </div>
      )}
    </div>
  );
};
