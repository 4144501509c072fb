// An export as a person wants it: format, contents, and which secrets leave this machine.

import type { Client, ParamsOf, ResultOf } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Segments } from "../parts/segments.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { useClient } from "../store/client.tsx";
import { plural } from "../words/format.ts";
import { withoutMarkup } from "../words/session-words.ts";
import "./export.css";

type Wanted = Extract<ParamsOf<"tickets/create">, { kind: "export" }>;
type Part = NonNullable<Wanted["without"]>[number];
type Secrets = ResultOf<"session/secrets">;
type Finding = Secrets["findings"][number];

const FORMATS = { html: "Web page", markdown: "Markdown", ndjson: "JSON lines" } as const;
type Format = keyof typeof FORMATS;
const ABOUT: Readonly<Record<Format, string>> = {
  html: "One file with the conversation, diffs and a time line to play. It needs no network.",
  markdown: "Text for a document, an issue or a chat.",
  ndjson: "Every event of the log, one JSON object per line.",
};

const PARTS: Readonly<Record<Part, string>> = {
  thinking: "Thinking",
  tools: "Tool calls and diffs",
  results: "Results of tools",
  agents: "Subagents",
  notes: "Notes",
};

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
    toast(`Exporting “${title}”.`);
    onClose();
  };
  return (
    <Dialog
      title="Export session"
      about={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
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
            Download
          </Button>
        </>
      }
    >
      <div className="export">
        <Segments label="Format" about={ABOUT[format]} value={format} choices={FORMATS} onChange={setFormat} />
        {format !== "ndjson" && (
          <fieldset>
            <legend className="label">Include</legend>
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
          <legend className="label">Secrets</legend>
          <label className="export-all">
            <input type="checkbox" checked={redacts} onChange={() => setRedacts(!redacts)} />
            Remove what looks like a key, a token or a password
          </label>
          {problem !== undefined && (
            <p role="alert" className="export-problem">
              The list cannot be shown: {problem}
            </p>
          )}
          {problem === undefined && (
            <p className="export-count" role="status">
              {statusOf(secrets, kept, redacts)}
            </p>
          )}
          {redacts && secrets !== undefined && secrets.findings.length > 0 && (
            <ul className="export-secrets" aria-label="Secrets to remove">
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
          {plural(finding.count, "row")}
          {isKept && " · stays in the file"}
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
  if (secrets === undefined) return "Looking for secrets…";
  const found = secrets.findings.length;
  if (found === 0) return "Nothing found. Read the file before you share it: not every secret looks like one.";
  const more = secrets.complete ? "" : " or more";
  if (!redacts) return `${plural(found, "secret")}${more} found. All stay in the file.`;
  return `${plural(found - kept.size, "secret")}${more} will be removed${kept.size > 0 ? `, ${kept.size} will stay` : ""}.`;
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
