// Where a person writes to a session.

import type { Client, SessionView } from "@quarterdeck/client";
import { isRunning, typedText } from "@quarterdeck/client/content";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { modeAfter } from "../words/names.ts";
import type { SessionActions } from "../store/session-actions.ts";
import { later } from "../parts/later.tsx";
import type { MenuHandle } from "../parts/menu.tsx";
import { may } from "../store/may.ts";
import { tellSent } from "../store/sent.ts";
import { readPrompts, useHead } from "../store/session.ts";
import { forgetStop, stopTurn, useStopping } from "./stopping.ts";
import { ComposerBox, type ComposerHandle } from "./composer-box.tsx";
import { outbox } from "./outbox.ts";
import { runOwnCommand } from "./own-command.ts";
import { ModelPicker, ModePicker, setMode } from "./pickers.tsx";
import { QueuePill } from "./queue-pill.tsx";
import { historyOf } from "./recall.ts";
import { SendButtons } from "./send-buttons.tsx";
import { commandChoices, offeredCommands } from "./slash.ts";
import { UnsentPrompts } from "./unsent-prompts.tsx";
import { WORDS } from "./words.ts";

const StopNote = later(async () => (await import("./stop-note.tsx")).StopNote);
const SideQuestion = later(async () => (await import("./side-question.tsx")).SideQuestion);

export interface ComposerProps {
  readonly client: Client;
  readonly view: SessionView;
  readonly actions: SessionActions;
}

export const Composer = memo(({ client, view, actions }: ComposerProps) => {
  const session = view.id;
  const head = useHead(view);
  const models = useRef<MenuHandle>(null);
  const box = useRef<ComposerHandle>(null);
  const [aside, setAside] = useState<string>();
  const files = useMemo(() => ({ session }), [session]);
  const commands = useMemo(() => commandChoices(head.commands), [head.commands]);
  const offered = useMemo(
    () =>
      offeredCommands(commands, (name) =>
        may(client, "session/prompt", { content: `/${name}` }, { commands: head.commands }),
      ),
    [client, commands, head.commands],
  );
  const running = isRunning(head.phase);

  const stopping = useStopping(session);
  useEffect(() => forgetStop, [running, session]);
  const interrupt = (): Promise<void> => stopTurn(client, session);

  const placeholder = running
    ? WORDS.addOrQueue
    : head.suggestion !== undefined
      ? `${head.suggestion}  (Tab)`
      : head.process?.running === false
        ? WORDS.resumes
        : WORDS.write;

  return (
    <div className="composer-area">
      {stopping !== undefined && running && (
        <StopNote client={client} session={session} failed={stopping === "failed"} />
      )}
      <UnsentPrompts session={session} onEdit={(text) => box.current?.write(text)} />
      {aside !== undefined && (
        <SideQuestion key={aside} question={aside} actions={actions} onClose={() => setAside(undefined)} />
      )}
      <ComposerBox
        client={client}
        place={session}
        handle={box}
        label={WORDS.message}
        placeholder={placeholder}
        files={files}
        commands={commands}
        offered={offered}
        isListed={head.commands.length > 0}
        history={() => historyOf(readPrompts(view).map((row) => typedText(row.content)))}
        running={running}
        suggestion={head.suggestion}
        onSend={({ text, ...message }) => {
          outbox.send(client, { session, content: text, ...message });
          tellSent(session);
          return true;
        }}
        onOwn={(command, args) =>
          runOwnCommand(command, args, {
            client,
            session,
            openModels: () => models.current?.open(),
            askAside: setAside,
          })
        }
        onNextMode={() => setMode(client, session, modeAfter(head.mode))}
        onInterrupt={interrupt}
        chips={
          <>
            <ModelPicker client={client} session={session} head={head} handle={models} />
            <ModePicker client={client} session={session} head={head} />
            <QueuePill view={view} actions={actions} />
            <span className="composer-gap" />
          </>
        }
        buttons={({ idle, uploading, send }) => (
          <SendButtons running={running} idle={idle} uploading={uploading} onSend={send} onStop={interrupt} />
        )}
      />
    </div>
  );
});
