import type { ResultOf } from "@quarterdeck/client";
import { needs } from "@quarterdeck/client/policy";
import { useState } from "react";
import { TrueText } from "../../content/text/true-text.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { may } from "../../store/may.ts";
import { afterConfirm } from "../../store/surfaces.ts";
import type { GitDeck, GitTree } from "./use-git.ts";
import { WORDS } from "./words.ts";

const { remote: SAID } = WORDS;

type Remote = ResultOf<"git/remote">;

export const Publish = ({ deck, tree }: { readonly deck: GitDeck; readonly tree: GitTree }) => {
  const { client, session } = deck;
  const [remote, setRemote] = useState<Remote>();
  const [asking, setAsking] = useState(false);
  const [request, setRequest] = useState(false);
  const look = async (): Promise<void> => {
    setAsking(true);
    try {
      setRemote(await client.call("git/remote", { session }));
    } catch (error) {
      toastError(error);
    } finally {
      setAsking(false);
    }
  };
  const push = (url: string, head: string): void => {
    const text = SAID.pushes(tree.branch ?? SAID.theBranch, remote?.commits.length ?? 0, url);
    const run = async (): Promise<void> => {
      const done = await deck.change("git/push", { url, head });
      if (done !== undefined) toast(done.words, { tone: "good" });
      await look();
    };
    afterConfirm(needs("git/push"), { title: SAID.pushTitle, text, action: SAID.push, run: () => void run() });
  };
  return (
    <section className="git-section" aria-label={SAID.remote}>
      <h3>
        {SAID.remote}
        <Button small tone="quiet" busy={asking} onClick={() => void look()}>
          {remote === undefined ? SAID.look : SAID.lookAgain}
        </Button>
      </h3>
      {remote !== undefined && (
        <>
          {remote.url !== undefined && (
            <p className="mono git-url">
              {remote.remote}: <TrueText text={remote.url} />
            </p>
          )}
          {remote.obstacle !== undefined && <p className="git-note">{remote.obstacle}</p>}
          {remote.commits.length > 0 && (
            <ul className="git-commits" aria-label={SAID.lacks}>
              {remote.commits.slice(0, 10).map(({ id, subject }) => (
                <li key={id}>
                  <code>{id.slice(0, 8)}</code> <TrueText text={subject} />
                </li>
              ))}
              {remote.commits.length > 10 && <li className="faint">{WORDS.more(remote.commits.length - 10)}</li>}
            </ul>
          )}
          <div className="git-buttons">
            {remote.url !== undefined && remote.obstacle === undefined && tree.head !== undefined && (
              <Button
                small
                disabled={deck.busy || remote.commits.length === 0 || !may(client, "git/push")}
                tip={may(client, "git/push") ? undefined : SAID.onlyAdmin}
                onClick={() => push(remote.url!, tree.head!)}
              >
                {remote.commits.length === 0 ? SAID.nothing : SAID.pushCommits(remote.commits.length)}
              </Button>
            )}
            {remote.pullRequest !== undefined && may(client, "git/pullRequest") && (
              <Button
                small
                disabled={remote.pullRequest.obstacle !== undefined}
                tip={remote.pullRequest.obstacle}
                onClick={() => setRequest(true)}
              >
                {SAID.pullRequest}
              </Button>
            )}
          </div>
          {remote.url !== undefined && remote.pullRequest === undefined && <p className="git-note">{SAID.installGh}</p>}
        </>
      )}
      {request && remote?.pullRequest !== undefined && (
        <PullRequest deck={deck} about={remote.pullRequest} url={remote.url ?? ""} onClose={() => setRequest(false)} />
      )}
    </section>
  );
};

interface PullRequestProps {
  readonly deck: GitDeck;
  readonly about: NonNullable<Remote["pullRequest"]>;
  readonly url: string;
  readonly onClose: () => void;
}

const PullRequest = ({ deck, about, url, onClose }: PullRequestProps) => {
  const [title, setTitle] = useState(about.title);
  const [base, setBase] = useState(about.base);
  const [body, setBody] = useState("");
  const [draft, setDraft] = useState(false);
  const create = async (): Promise<void> => {
    const made = await deck.change("git/pullRequest", { title: title.trim(), body, base: base.trim(), draft });
    if (made === undefined) return;
    onClose();
    const action = { label: SAID.open, run: () => void window.open(made.url, "_blank", "noopener,noreferrer") };
    toast(SAID.created(made.url), { tone: "good", action });
  };
  return (
    <Dialog
      title={SAID.createTitle}
      about={<code>{url}</code>}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button
            tone="main"
            busy={deck.busy}
            disabled={title.trim() === "" || base.trim() === ""}
            onClick={() => void create()}
          >
            {SAID.create}
          </Button>
        </>
      }
    >
      <div className="git-form">
        <label className="field">
          <span>{SAID.title}</span>
          <input
            className="input"
            data-autofocus
            value={title}
            maxLength={300}
            onChange={(e) => setTitle(e.target.value)}
          />
        </label>
        <label className="field">
          <span>{SAID.into}</span>
          <input className="input mono" value={base} maxLength={200} onChange={(e) => setBase(e.target.value)} />
        </label>
        <label className="field">
          <span>{SAID.description}</span>
          <textarea className="input" rows={6} value={body} onChange={(e) => setBody(e.target.value)} />
        </label>
        <label className="git-check">
          <input type="checkbox" checked={draft} onChange={(e) => setDraft(e.target.checked)} /> {SAID.draft}
        </label>
      </div>
    </Dialog>
  );
};
