// Starts a session: its folder, its first prompt and its settings. If the folder is not trusted yet, it asks about that first.

import { BridgeError } from "@quarterdeck/client";
import { useRef, useState } from "react";
import { go, hrefOf } from "../store/route.ts";
import { MODE_LIST, modelName } from "../words/names.ts";
import { isKey } from "../keys/key-table.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { toastError } from "../parts/toast.tsx";
import { useClient } from "../store/client.tsx";
import { fleetOf } from "../store/fleet.ts";
import { may } from "../store/may.ts";
import { openSurface } from "../store/surfaces.ts";
import { FolderPicker } from "./folder-picker.tsx";
import { EFFORTS, initialForm, keepForm } from "./last-start.ts";
import { startParams, type StartForm, type StartSettings } from "./start-settings.ts";
import { useStartDefaults } from "./start-defaults.ts";
import { WORDS } from "./start-words.ts";
import { TrustDialog } from "./trust-dialog.tsx";
import { WorktreeFields } from "./worktree-fields.tsx";
import "./dialogs.css";

export interface StartDialogProps {
  readonly cwd?: string;
  readonly prompt?: string;
  /** Proposes a new worktree. */
  readonly worktree?: boolean;
  /** Files that go with the message, by the ids of their uploads. */
  readonly uploads?: readonly string[];
  readonly onStarted?: () => void;
  readonly onClose: () => void;
}

const EFFORT_WORDS: Readonly<Record<string, string>> = WORDS.efforts;
const MODELS = ["", "opus", "sonnet", "haiku"];

export const StartDialog = ({ cwd, prompt, worktree = false, uploads = [], onStarted, onClose }: StartDialogProps) => {
  const client = useClient();
  const fleet = fleetOf(client);
  const there = fleet?.isHome === false ? fleet.machine : undefined;
  const maySet = (settings: StartSettings): boolean => may(client, "sessions/start", { settings });
  const mayLoadPlugins = maySet({ pluginDir: [] });
  const mayAllowTools = maySet({ allowedTools: [] });
  const mayAllowBypass = maySet({ allowDangerouslySkipPermissions: true });
  const [form, setForm] = useState(() => initialForm(cwd, prompt, client.info?.machine.roots ?? [], there));
  const touched = useRef(new Set<string>());
  // What was chosen last time holds where the project has no default. What was chosen in this form always holds.
  const first = useRef(form);
  useStartDefaults(client, form.cwd, first.current, (defaults) =>
    setForm((before) => ({
      ...before,
      ...Object.fromEntries(Object.entries(defaults).filter(([key]) => !touched.current.has(key))),
    })),
  );
  const [busy, setBusy] = useState(false);
  /** The folder that is not trusted: the worktree, if there is one. */
  const [asking, setAsking] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const set = <K extends keyof StartForm>(key: K, value: StartForm[K]): void => {
    touched.current.add(key);
    setForm((before) => ({ ...before, [key]: value }));
  };
  const text = (key: keyof StartForm) => ({
    className: "input",
    value: form[key],
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
      set(key, event.target.value as never),
  });

  const start = async (withoutFolderSettings: boolean): Promise<void> => {
    const { session } = await client.command("sessions/start", {
      ...startParams(form, withoutFolderSettings),
      ...(uploads.length > 0 && { uploads: [...uploads] }),
    });
    keepForm(form, there);
    onStarted?.();
    onClose();
    go(hrefOf(session.id));
  };
  const submit = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await start(false);
    } catch (error) {
      setBusy(false);
      if (error instanceof BridgeError && error.code === "folder-untrusted")
        setAsking(typeof error.data["folder"] === "string" ? error.data["folder"] : form.cwd.trim());
      else setProblem(error instanceof Error ? error.message : String(error));
    }
  };

  return (
    <Dialog
      title={WORDS.title}
      size="wide"
      onClose={onClose}
      footer={
        <>
          {problem !== undefined && (
            <span className="note start-problem" role="alert">
              {problem}
            </span>
          )}
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button tone="main" type="submit" form="start" busy={busy} disabled={form.cwd.trim() === ""}>
            {WORDS.start}
          </Button>
        </>
      }
    >
      <form
        id="start"
        className="start"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {fleet !== undefined && uploads.length === 0 && (
          <fleet.Choice
            onChange={(machine) =>
              openSurface({ kind: "start", machine, prompt: form.prompt, ...(onStarted && { onStarted }) })
            }
          />
        )}
        <FolderPicker value={form.cwd} onChange={(path) => set("cwd", path)} />
        <div className="start-what">
          <label className="field">
            <span>{WORDS.message}</span>
            <textarea
              {...text("prompt")}
              rows={5}
              data-autofocus
              placeholder={WORDS.ask}
              onKeyDown={(event) => {
                if (!isKey("form.submit", event)) return;
                event.preventDefault();
                event.currentTarget.form?.requestSubmit();
              }}
            />
          </label>
          {uploads.length > 0 && <p className="note">{WORDS.attached(uploads.length)}</p>}
          <div className="start-pair">
            <label className="field">
              <span>{WORDS.model}</span>
              <select {...text("model")}>
                {MODELS.map((model) => (
                  <option key={model} value={model}>
                    {model === "" ? WORDS.default : modelName(model)}
                  </option>
                ))}
                {!MODELS.includes(form.model) && <option value={form.model}>{form.model}</option>}
              </select>
            </label>
            <label className="field">
              <span>{WORDS.mode}</span>
              <select {...text("mode")}>
                <option value="">{WORDS.default}</option>
                {MODE_LIST.map(({ mode, name, about }) => (
                  <option key={mode} value={mode} disabled={!maySet({ permissionMode: mode })} title={about}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <label className="field">
              <span>{WORDS.effort}</span>
              <select {...text("effort")}>
                {EFFORTS.map((effort) => (
                  <option key={effort} value={effort}>
                    {effort === "" ? WORDS.default : (EFFORT_WORDS[effort] ?? effort)}
                  </option>
                ))}
              </select>
            </label>
          </div>
          <fieldset>
            <legend className="label">{WORDS.from}</legend>
            <div className="segments">
              {(["new", "continue", "pr"] as const).map((value) => (
                <label key={value}>
                  <input
                    type="radio"
                    name="begin"
                    checked={form.begin === value}
                    onChange={() => set("begin", value)}
                  />
                  {WORDS.begins[value]}
                </label>
              ))}
            </div>
          </fieldset>
          {form.begin !== "continue" && (
            <WorktreeFields
              cwd={form.cwd.trim()}
              wanted={worktree}
              name={form.worktree}
              base={form.base}
              onChange={(name, base) => setForm((before) => ({ ...before, worktree: name, base }))}
            />
          )}
          {form.begin === "pr" && (
            <label className="field">
              <span>{WORDS.pr}</span>
              <input {...text("pr")} placeholder="#123" />
            </label>
          )}
          <details className="start-more">
            <summary>{WORDS.more}</summary>
            <div className="start-grid">
              <label className="field">
                <span>{WORDS.name}</span>
                <input {...text("title")} maxLength={200} />
              </label>
              <label className="field">
                <span>{WORDS.maxTurns}</span>
                <input {...text("maxTurns")} inputMode="numeric" />
              </label>
              <label className="field">
                <span>{WORDS.maxCost}</span>
                <input {...text("maxBudgetUsd")} inputMode="decimal" />
              </label>
              <label className="field start-full">
                <span>{WORDS.folders}</span>
                <textarea {...text("addDir")} rows={2} spellCheck={false} />
              </label>
              <label className="field start-full">
                <span>{WORDS.append}</span>
                <textarea {...text("appendSystemPrompt")} rows={2} />
              </label>
              <label className="field">
                <span>{WORDS.tools}</span>
                <input {...text("tools")} placeholder={WORDS.toolsDefault} spellCheck={false} />
              </label>
              <label className="field">
                <span>{mayAllowTools ? WORDS.allowed : WORDS.allowedAdmin}</span>
                <input
                  {...text("allowedTools")}
                  disabled={!mayAllowTools}
                  placeholder="Bash(npm test *), Edit(/src/**)"
                  spellCheck={false}
                />
              </label>
              <label className="field">
                <span>{WORDS.disallowed}</span>
                <input {...text("disallowedTools")} placeholder="WebFetch, Bash(rm *)" spellCheck={false} />
              </label>
              <label className="field">
                <span>{WORDS.agent}</span>
                <input {...text("agent")} spellCheck={false} />
              </label>
              <label className="field">
                <span>{WORDS.fallback}</span>
                <input {...text("fallbackModel")} spellCheck={false} />
              </label>
              <label className="field start-full">
                <span>{mayLoadPlugins ? WORDS.plugins : WORDS.pluginsAdmin}</span>
                <textarea {...text("pluginDir")} rows={2} disabled={!mayLoadPlugins} spellCheck={false} />
              </label>
              {mayAllowBypass && (
                <label className="start-full start-check">
                  <input
                    type="checkbox"
                    checked={form.bypass !== ""}
                    onChange={(event) => set("bypass", event.target.checked ? "yes" : "")}
                  />
                  <span>
                    {WORDS.bypass}
                    <small>{WORDS.bypassOff}</small>
                  </span>
                </label>
              )}
              {maySet({ debugFile: "x" }) && (
                <label className="field start-full">
                  <span>{WORDS.debug}</span>
                  <input {...text("debugFile")} spellCheck={false} />
                </label>
              )}
            </div>
          </details>
        </div>
      </form>
      {asking !== undefined && (
        <TrustDialog
          cwd={asking}
          onClose={() => setAsking(undefined)}
          then={(choice) => void start(choice === "without-settings").catch(toastError)}
        />
      )}
    </Dialog>
  );
};
