// Adds, edits or removes an MCP server. Before anything is saved, it shows what changes in which file.

import type { ResultOf } from "@quarterdeck/client";
import { useState } from "react";
import { DiffView } from "../../content/diff/diff-view.tsx";
import { ChoicesProvider, KeptChoices } from "../../content/kept-choices.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Segments } from "../../parts/segments.tsx";
import { toast } from "../../parts/toast.tsx";
import { useClient } from "../../store/client.tsx";
import { changeOf, type Change, type McpScope, type ServerForm } from "./server-config.ts";
import { WORDS } from "./words.ts";
import { fill } from "../../parts/fill.tsx";

type Preview = ResultOf<"mcp/preview">;

export interface ServerDialogProps {
  readonly session: string;
  readonly kind: "add" | "edit" | "remove";
  readonly begin: ServerForm;
  readonly isLive: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

const { dialog: SAID } = WORDS;
const SCOPES: Readonly<Record<McpScope, string>> = SAID.scopes;

export const ServerDialog = ({ session, kind, begin, isLive, onClose, onSaved }: ServerDialogProps) => {
  const client = useClient();
  const [form, setForm] = useState(begin);
  const [seen, setSeen] = useState<{ readonly change: Change; readonly preview: Preview }>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [choices] = useState(() => new KeptChoices());
  const set = (patch: Partial<ServerForm>): void => {
    setForm((before) => ({ ...before, ...patch }));
    setSeen(undefined);
    setProblem(undefined);
  };
  const text = (key: "name" | "command" | "args" | "url" | "values") => ({
    className: "input mono",
    spellCheck: false,
    value: form[key],
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => set({ [key]: event.target.value }),
  });
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setSeen(undefined);
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  const look = (): Promise<void> =>
    run(async () => {
      const change = kind === "remove" ? { scope: begin.scope, name: begin.name, config: null } : changeOf(form);
      if (typeof change === "string") throw new Error(change);
      setSeen({ change, preview: await client.call("mcp/preview", { session, ...change }) });
    });
  const save = (): Promise<void> =>
    run(async () => {
      if (seen === undefined) return;
      const { change, preview } = seen;
      const saved = await client.command("mcp/save", { session, ...change, hash: preview.hash });
      const failed = saved.errors[change.name];
      toast(
        failed !== undefined
          ? SAID.notStarted(change.name, failed)
          : saved.holdsAfterRestart
            ? SAID.afterRestart
            : SAID.untilEnd,
      );
      onSaved();
      onClose();
    });
  return (
    <Dialog
      title={SAID.titles[kind]}
      size="middle"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{SAID.cancel}</Button>
          {seen === undefined ? (
            <Button tone="main" busy={busy} onClick={() => void look()}>
              {SAID.look}
            </Button>
          ) : (
            <Button tone={kind === "remove" ? "danger" : "main"} busy={busy} onClick={() => void save()}>
              {kind === "remove" ? SAID.remove : SAID.save}
            </Button>
          )}
        </>
      }
    >
      {kind === "remove" ? (
        <p>{fill(SAID.removes(SCOPES[begin.scope]), { server: <b>{begin.name}</b> })}</p>
      ) : (
        <div className="mcp-form">
          <label className="field">
            <span>{SAID.name}</span>
            <input {...text("name")} disabled={kind === "edit"} data-autofocus />
          </label>
          <label className="field">
            <span>{SAID.where}</span>
            <select
              className="input"
              value={form.scope}
              disabled={kind === "edit"}
              onChange={(event) => set({ scope: event.target.value as McpScope })}
            >
              {(Object.entries(SCOPES) as [McpScope, string][]).map(([scope, words]) => (
                <option key={scope} value={scope} disabled={scope === "session" && !isLive}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <Segments label={SAID.kind} value={form.type} choices={SAID.kinds} onChange={(type) => set({ type })} />
          {form.type === "stdio" ? (
            <>
              <label className="field">
                <span>{SAID.program}</span>
                <input {...text("command")} placeholder="npx" />
              </label>
              <label className="field">
                <span>{SAID.args}</span>
                <textarea {...text("args")} rows={3} />
              </label>
            </>
          ) : (
            <label className="field">
              <span>{SAID.address}</span>
              <input {...text("url")} placeholder="https://" />
            </label>
          )}
          <label className="field">
            <span>{form.type === "stdio" ? SAID.variables : SAID.headers}</span>
            <textarea {...text("values")} rows={2} />
            <small>{SAID.hidden}</small>
          </label>
          <p className="panel-note">{SAID.rights}</p>
        </div>
      )}
      {problem !== undefined && <p role="alert">{problem}</p>}
      {seen !== undefined && (
        <section aria-label={SAID.whatChanges} className="mcp-change">
          <h3>
            {seen.preview.path ?? SAID.thisSession}
            {seen.preview.creates && SAID.newFile}
          </h3>
          {seen.preview.hunks.length === 0 ? (
            <p>{SAID.onlyHidden}</p>
          ) : (
            <ChoicesProvider value={choices}>
              <DiffView hunks={seen.preview.hunks} name="servers.json" />
            </ChoicesProvider>
          )}
        </section>
      )}
    </Dialog>
  );
};
