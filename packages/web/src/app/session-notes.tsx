// Notes in place of a conversation or above its composer: a missing session, an ended process, an archived session, and
// a device or session that takes no messages.

import type { Client, Head, SessionSummary, SessionView } from "@quarterdeck/client";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/text-button.tsx";
import { toastError } from "../parts/toast.tsx";
import { archive, resume, takeOver } from "../sessions/session-commands.ts";
import { WORDS as LIST_WORDS } from "../sessions/words.ts";
import { may } from "../store/may.ts";
import { openSurface } from "../store/surfaces.ts";
import { english } from "../words/en/app-notes.ts";
import { inLanguage } from "../words/language.ts";

const WORDS = inLanguage("appNotes", english);

interface NoteProps {
  readonly client: Client;
  readonly session: string;
}

export const SessionFailure = ({ view }: { readonly view: SessionView }) => {
  const { code, message } = view.snapshot.error ?? { code: "", message: "" };
  const unknown = code === "unknown-session";
  return (
    <div className="flow flow-failed" role="alert">
      <h2>{unknown ? WORDS.notFound : WORDS.notShown}</h2>
      <p>{unknown ? WORDS.deleted : message}</p>
      <div className="row">
        <a className="btn btn-plain" href="#/">
          {WORDS.all}
        </a>
        <Button onClick={() => openSurface({ kind: "resume" })}>{WORDS.browse}</Button>
      </div>
    </div>
  );
};

/** How the process ended, and a button to resume it. */
export const ProcessNote = ({ client, session, head }: NoteProps & { readonly head: Head }) => {
  const { code, signal } = head.process ?? {};
  const how = signal != null ? WORDS.bySignal(signal) : code != null ? WORDS.byCode(code) : WORDS.stopped;
  return (
    <div className="deck-note" role="alert">
      <span>
        <b>{how}</b> {WORDS.safe}
      </span>
      {may(client, "sessions/resume") && (
        <Button small onClick={() => void resume(client, session, head.cwd ?? "").catch(toastError)}>
          {LIST_WORDS.resume}
        </Button>
      )}
    </div>
  );
};

/** An archived session is not in the lists, so it says what it is. */
export const ArchivedNote = ({ client, summary }: { readonly client: Client; readonly summary: SessionSummary }) => (
  <div className="deck-note" role="status">
    <span>
      <b>{WORDS.archived}</b> {WORDS.hidden}
    </span>
    {may(client, "sessions/archive") && (
      <Button small onClick={() => void archive(client, summary, false).catch(toastError)}>
        {LIST_WORDS.unarchive}
      </Button>
    )}
  </div>
);

/** A person moved it to a terminal. The command is in the title too, if the line is too short for it. */
export const AwayNote = ({ client, summary }: { readonly client: Client; readonly summary: SessionSummary }) => {
  const command = summary.handedOver?.command ?? "";
  return (
    <div className="deck-note" role="status">
      <span>
        <b>{WORDS.away}</b> {WORDS.awayHow} <CopyButton text={command} />
        <code title={command}>{command}</code>
      </span>
      {may(client, "sessions/resume") && (
        <Button small onClick={() => void resume(client, summary.id, summary.cwd).catch(toastError)}>
          {WORDS.takeBack}
        </Button>
      )}
    </div>
  );
};

export const HeldNote = ({ client, session, cwd }: NoteProps & { readonly cwd: string }) => (
  <div className="deck-note" role="status">
    <span>
      <b>{WORDS.held}</b> {WORDS.follow}
    </span>
    <Button
      small
      disabled={!may(client, "sessions/resume", { takeOver: true })}
      onClick={() => takeOver(client, session, cwd)}
    >
      {LIST_WORDS.take}
    </Button>
  </div>
);

export const RoleNote = ({ client }: { readonly client: Client }) => (
  <div className="deck-note" role="status">
    <span>
      {may(client, "session/respond") ? WORDS.answers : WORDS.readOnly} {WORDS.role}
    </span>
  </div>
);
