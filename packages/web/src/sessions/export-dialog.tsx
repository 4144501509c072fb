// An export as a person wants it: format, contents, and which secrets leave this machine.

import type { Client, ParamsOf, ResultOf } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Segments } from "../parts/segments.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { useClient } from "../store/client.tsx";
import { withoutMarkup } from "../words/session-words.ts";
import { WORDS } from "./dialog-words.ts";
import "./export.css";

type Wanted = Extract<ParamsOf<"tickets/create">, { kind: "export" }>;
type Part = NonNullable<Wanted["without"]>[number];
type Secrets = ResultOf<"session/secrets">;
type Finding = Secrets["findings"][number];

type Format = keyof typeof WORDS.formats;
const PARTS: Readonly<Record<Part, string>> = WORDS.parts;

export const ExportDialog = ({
  session,
  title,
  onClose,
}: {
  readonly session: string;
  readonly title: string;
  readonly onClose: () => void;
}) => {
  const client = useClient();
  const [format, setFormat] = useState<Format>("html");
  const [without, setWithout] = useState<ReadonlySet<Part>>(new Set());
  const [redacts, setRedacts] = useState(true);
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const { secrets, problem } = useSecrets(client, session);

  const download = async (): Promise<void> => {
    const { url } = await client.call("tickets/create", {
      kind: "export",
      session,
      format,
      ...(format !== "ndjson" && without.size > 0 && { without: [...without] }),
      ...(redacts && { redact: { keep: [...kept] } }),
    });
    const link = document.createElement("a");
    link.href = url;
    link.download = "";
    link.click();
    toast(WORDS.exporting(title));
    onClose();
  };
  return (
    <Dialog
      title={WORDS.exportTitle}
      about={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button
            tone="main"
            busy={busy}
            data-autofocus
            onClick={() => {
              setBusy(true);
              download()
                .catch(toastError)
                .finally(() => setBusy(false));
            }}
          >
            {WORDS.download}
          </Button>
        </>
      }
    >
      <div className="export">
        <Segments
          label={WORDS.format}
          about={WORDS.formatAbout[format]}
          value={format}
          choices={WORDS.formats}
          onChange={setFormat}
        />
        {format !== "ndjson" && (
          <fieldset>
            <legend className="label">{WORDS.include}</legend>
            <div className="export-parts">
              {(Object.entries(PARTS) as [Part, string][]).map(([part, words]) => (
                <label key={part}>
                  <input
                    type="checkbox"
                    checked={!without.has(part)}
                    onChange={() => setWithout(toggled(without, part))}
                  />
                  {words}
                </label>
              ))}
            </div>
          </fieldset>
        )}
        <fieldset>
          <legend className="label">{WORDS.secrets}</legend>
          <label className="export-all">
            <input type="checkbox" checked={redacts} onChange={() => setRedacts(!redacts)} />
            {WORDS.redact}
          </label>
          {problem !== undefined && (
            <p role="alert" className="export-problem">
              {WORDS.listProblem(problem)}
            </p>
          )}
          {problem === undefined && (
            <p className="export-count" role="status">
              {statusOf(secrets, kept, redacts)}
            </p>
          )}
          {redacts && secrets !== undefined && secrets.findings.length > 0 && (
            <ul className="export-secrets" aria-label={WORDS.toRemove}>
              {secrets.findings.map((finding) => (
                <Row
                  key={finding.id}
                  finding={finding}
                  isKept={kept.has(finding.id)}
                  onToggle={() => setKept(toggled(kept, finding.id))}
                />
              ))}
            </ul>
          )}
        </fieldset>
      </div>
    </Dialog>
  );
};

const Row = ({
  finding,
  isKept,
  onToggle,
}: {
  readonly finding: Finding;
  readonly isKept: boolean;
  readonly onToggle: () => void;
}) => (
  <li className={isKept ? "export-kept" : ""}>
    <label>
      <input type="checkbox" checked={!isKept} onChange={onToggle} />
      <span>
        <b>{finding.kind}</b> <code>{finding.shown}</code>
        <small>
          {WORDS.rows(finding.count)}
          {isKept && ` · ${WORDS.stays}`}
        </small>
        <q>{withoutMarkup(finding.excerpt)}</q>
      </span>
    </label>
  </li>
);

const toggled = <T,>(set: ReadonlySet<T>, value: T): ReadonlySet<T> => {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
};

const statusOf = (secrets: Secrets | undefined, kept: ReadonlySet<string>, redacts: boolean): string => {
  if (secrets === undefined) return WORDS.looking;
  const found = secrets.findings.length;
  if (found === 0) return WORDS.nothing;
  if (!redacts) return WORDS.allStay(found, !secrets.complete);
  return WORDS.removed(found - kept.size, !secrets.complete, kept.size);
};

const useSecrets = (client: Client, session: string) => {
  const [state, setState] = useState<{ readonly secrets?: Secrets; readonly problem?: string }>({});
  useEffect(() => {
    const stop = new AbortController();
    client.call("session/secrets", { session }, { signal: stop.signal }).then(
      (secrets) => !stop.signal.aborted && setState({ secrets }),
      (error: unknown) =>
        !stop.signal.aborted && setState({ problem: error instanceof Error ? error.message : String(error) }),
    );
    return () => stop.abort();
  }, [client, session]);
  return state;
};
