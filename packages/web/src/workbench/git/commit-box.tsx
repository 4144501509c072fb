import type { SessionView } from "@quarterdeck/client";
import { useId, useState } from "react";
import { isKey } from "../../keys/key-table.ts";
import { Button } from "../../parts/button.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { may } from "../../store/may.ts";
import { useHead } from "../../store/session.ts";
import type { GitDeck, GitTree } from "./use-git.ts";
import { WORDS } from "./words.ts";

export interface CommitBoxProps {
  readonly deck: GitDeck;
  readonly tree: GitTree;
  readonly view: SessionView;
  readonly enabled: boolean;
}

const { commit: SAID } = WORDS;

const QUESTION = `Propose a git commit message for the staged changes that are listed below. Answer with the message alone: a subject of at most 72 characters, and a body only if it is needed. Do not run anything.`;

/** A message may come in a code block. */
export const messageIn = (answer: string): string => {
  const fenced = /^```[\w-]*\n([\s\S]*?)\n?```\s*$/mu.exec(answer)?.[1];
  return (fenced ?? answer).trim();
};

const MOST_NAMED = 100;

export const CommitBox = ({ deck, tree, view, enabled }: CommitBoxProps) => {
  const { client, session } = deck;
  const box = useId();
  const [message, setMessage] = useState("");
  const [asking, setAsking] = useState(false);
  const live = useHead(view).process?.running === true;
  const count = tree.staged.length;
  const commit = async (): Promise<void> => {
    const made = await deck.change("git/commit", { message, stagedId: tree.stagedId });
    if (made === undefined) return;
    setMessage("");
    const action = { label: WORDS.undo, run: () => void deck.undo(made.undo.id) };
    toast(SAID.committed(made.commit.slice(0, 8)), { tone: "good", action });
  };
  const ask = async (): Promise<void> => {
    setAsking(true);
    try {
      const files = tree.staged.slice(0, MOST_NAMED).map(({ path, status }) => `${status} ${path}`);
      const request = { subtype: "side_question", question: `${QUESTION}\n\n${files.join("\n")}` };
      const { response } = await client.command("session/request", { session, request });
      const text = (response as { response?: unknown } | null)?.response;
      if (typeof text === "string" && text.trim() !== "") setMessage(messageIn(text));
      else toast(SAID.noAnswer);
    } catch (error) {
      toastError(error);
    } finally {
      setAsking(false);
    }
  };
  return (
    <section className="git-section git-commit" aria-label={SAID.commit}>
      <label htmlFor={box}>{SAID.message}</label>
      <textarea
        id={box}
        className="input"
        rows={message.includes("\n") ? 5 : 2}
        value={message}
        placeholder={count === 0 ? SAID.stageFirst : SAID.whatChanges}
        onChange={(event) => setMessage(event.target.value)}
        onKeyDown={(event) => {
          if (!isKey("form.submit", event)) return;
          event.preventDefault();
          if (enabled && count > 0 && message.trim() !== "") void commit();
        }}
      />
      <div className="git-buttons">
        {may(client, "session/request", { request: { subtype: "side_question" } }) && (
          <Button
            small
            busy={asking}
            disabled={count === 0 || !live}
            tip={live ? SAID.asksBeside : SAID.resumeToAsk}
            onClick={() => void ask()}
          >
            {asking ? SAID.asking : SAID.ask}
          </Button>
        )}
        <span className="git-grow faint">{SAID.noHooks}</span>
        <Button
          tone="main"
          small
          disabled={!enabled || count === 0 || message.trim() === ""}
          onClick={() => void commit()}
        >
          {count === 0 ? SAID.commit : SAID.files(count)}
        </Button>
      </div>
    </section>
  );
};
