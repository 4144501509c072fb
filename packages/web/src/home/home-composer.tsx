// The composer of a session that does not exist yet. Its first message starts it.

import { BridgeError } from "@quarterdeck/client";
import { useEffect, useMemo, useRef, useState } from "react";
import { ComposerBox, type ComposerHandle, type ComposedMessage } from "../composer/composer-box.tsx";
import { historyOf } from "../composer/recall.ts";
import { commandChoices, offeredCommands, type OwnCommand } from "../composer/slash.ts";
import { Button } from "../parts/button.tsx";
import type { MenuHandle } from "../parts/menu.tsx";
import { keepForm } from "../sessions/last-start.ts";
import { startParams, type StartForm } from "../sessions/start-settings.ts";
import { useClient } from "../store/client.tsx";
import { askBriefs } from "../store/ask-briefs.ts";
import { may } from "../store/may.ts";
import { go, hrefOf, rulesHref } from "../store/route.ts";
import { openSurface } from "../store/surfaces.ts";
import { modeAfter } from "../words/names.ts";
import { FolderDialog, StartChips, type Project } from "./start-chips.tsx";
import { rememberStart, startedTexts } from "./started.ts";
import { useKnownHead } from "./use-known-head.ts";
import { WORDS } from "./words.ts";

export interface HomeComposerProps {
  readonly form: StartForm;
  readonly projects: readonly Project[];
  readonly onChange: (patch: Partial<StartForm>) => void;
}

/** Commands of the page that make sense without a session. */
const HERE: ReadonlySet<OwnCommand> = new Set<OwnCommand>([
  "model",
  "fast",
  "config",
  "help",
  "keybindings-help",
  "permissions",
  "resume",
]);

const BEGINS = ["new", "continue", "pr"] as const;

export const HomeComposer = ({ form, projects, onChange }: HomeComposerProps) => {
  const client = useClient();
  const box = useRef<ComposerHandle>(null);
  const models = useRef<MenuHandle>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [browsing, setBrowsing] = useState(false);
  const cwd = form.cwd.trim();
  const known = useKnownHead(cwd);
  const listed = known?.commands;
  const files = useMemo(() => (cwd === "" ? undefined : { cwd }), [cwd]);
  const commands = useMemo(
    () => commandChoices(listed ?? []).filter(({ own }) => own === undefined || HERE.has(own)),
    [listed],
  );
  const offered = useMemo(
    () =>
      offeredCommands(commands, (name) =>
        may(client, "sessions/start", { prompt: `/${name}` }, { commands: listed ?? [] }),
      ),
    [client, commands, listed],
  );
  useEffect(() => {
    if (cwd !== "") askBriefs(client, [cwd]);
  }, [client, cwd]);

  const start = async (message: ComposedMessage, isWithout = false): Promise<boolean> => {
    if (cwd === "") {
      setBrowsing(true);
      return false;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      const { session } = await client.command("sessions/start", {
        ...startParams({ ...form, prompt: message.text }, isWithout),
        ...(message.uploads.length > 0 && { uploads: [...message.uploads] }),
      });
      keepForm(form);
      rememberStart(message.text);
      // Before the page leaves: what is left in the box would be kept as unsent.
      box.current?.empty();
      go(hrefOf(session.id));
      return true;
    } catch (error) {
      if (error instanceof BridgeError && error.code === "folder-untrusted") {
        const folder = typeof error.data["folder"] === "string" ? error.data["folder"] : cwd;
        openSurface({
          kind: "trust",
          cwd: folder,
          sends: true,
          then: (choice) => void start(message, choice === "without-settings"),
        });
      } else setProblem(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      setBusy(false);
    }
  };

  const own = (command: OwnCommand): void => {
    if (command === "model" || command === "fast") models.current?.open();
    else if (command === "config") openSurface({ kind: "settings" });
    else if (command === "help") openSurface({ kind: "help" });
    else if (command === "keybindings-help") openSurface({ kind: "keys" });
    else if (command === "resume") openSurface({ kind: "resume" });
    else if (command === "permissions") go(rulesHref(cwd === "" ? {} : { cwd }));
  };

  /** The whole form, with what is here already. */
  const more = (worktree: boolean): void => {
    const { text, uploads } = box.current?.read() ?? { text: "", uploads: [] };
    openSurface({
      kind: "start",
      ...(cwd !== "" && { cwd }),
      ...(text !== "" && { prompt: text }),
      uploads,
      worktree,
      onStarted: () => {
        rememberStart(text);
        box.current?.empty();
      },
    });
  };

  return (
    <div className="home-start">
      <ComposerBox
        client={client}
        place="home"
        handle={box}
        label={WORDS.ask}
        placeholder={WORDS.ask}
        files={files}
        commands={commands}
        offered={offered}
        isListed={(listed?.length ?? 0) > 0}
        history={() => historyOf(startedTexts())}
        onSend={(message) => start(message)}
        onOwn={own}
        onNextMode={() => onChange({ mode: modeAfter(form.mode === "" ? "default" : form.mode) })}
        chips={
          <div className="home-chips">
            <StartChips
              form={form}
              known={known}
              projects={projects}
              models={models}
              onChange={onChange}
              onBrowse={() => setBrowsing(true)}
            />
          </div>
        }
        buttons={({ idle, uploading }) => (
          <Button tone="main" type="submit" icon="send" busy={busy || uploading} disabled={idle} tip={WORDS.startTip}>
            <span className="send-word">{uploading ? WORDS.uploading : WORDS.startButton}</span>
          </Button>
        )}
      />
      {problem !== undefined && (
        <p className="home-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="home-from">
        <div className="segments" role="radiogroup" aria-label={WORDS.startFrom}>
          {BEGINS.map((begin) => (
            <label key={begin}>
              <input
                type="radio"
                name="home-begin"
                checked={form.begin === begin}
                onChange={() => onChange({ begin })}
              />
              {WORDS.begins[begin]}
            </label>
          ))}
        </div>
        {form.begin === "pr" && (
          <input
            className="input home-pr"
            aria-label={WORDS.pr}
            placeholder="#123"
            value={form.pr}
            onChange={(event) => onChange({ pr: event.target.value })}
          />
        )}
        <span className="home-links">
          <button type="button" className="text-button" onClick={() => more(true)}>
            {WORDS.inTree}
          </button>
          <button type="button" className="text-button" aria-label={WORDS.moreLabel} onClick={() => more(false)}>
            {WORDS.more}
          </button>
        </span>
      </div>
      {browsing && (
        <FolderDialog cwd={cwd} onClose={() => setBrowsing(false)} onChoose={(path) => onChange({ cwd: path })} />
      )}
    </div>
  );
};
