// What /help and /keybindings-help open.

import type { SessionView } from "@quarterdeck/client";
import type { ReactNode } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { Button } from "../parts/button.tsx";
import { useSessionView } from "../store/client.tsx";
import { useHead } from "../store/session.ts";
import { openSurface } from "../store/surfaces.ts";
import { commandChoices } from "../composer/slash.ts";
import { useRoute } from "../store/route.ts";
import { MODES } from "../words/names.ts";
import "../sessions/dialogs.css";

const mac = navigator.platform.startsWith("Mac");
const MOD = mac ? "⌘" : "Ctrl";
const ALT = mac ? "⌥" : "Alt";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["Enter", "Send; while it works: steer it"],
  ["Shift Enter", "Break the line"],
  [`${ALT} Enter`, "While it works: send after this turn"],
  [`${MOD} Enter`, "While it works: stop it and send"],
  ["Esc", "Close a menu; deny the focused request; clear what you typed; stop the turn"],
  ["↑ ↓", "In an empty message: what you sent before"],
  ["Shift Tab", "In the message: next mode"],
  ["Tab", "Take the completion or the suggestion"],
  ["@  /", "In the message: files, commands"],
  [`${MOD} K`, "Find in all sessions"],
  [`${MOD} F`, "Find in this conversation"],
  [`${ALT} N`, "New session"],
  [`${ALT} ↑  ${ALT} ↓`, "Session before, session after"],
  ["F6", "Next part of the page"],
  ["/", "To the message, from anywhere"],
  ["?", "These keys"],
];

export const KeysDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" light scrolls onClose={onClose}>
    <table className="keys-table">
      <tbody>
        {KEYS.map(([keys, what]) => (
          <tr key={keys}>
            <th scope="row">
              <kbd>{keys}</kbd>
            </th>
            <td>{what}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Dialog>
);

export const HelpDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const route = useRoute();
  const view = useSessionView(route.screen === "session" ? route.id : undefined);
  return (
    <Dialog
      title="Help"
      size="wide"
      light
      scrolls
      onClose={onClose}
      footer={<Button onClick={() => openSurface({ kind: "keys" })}>Keys</Button>}
    >
      <Part title="How it works">
        <p>
          You write; Claude Code works in the folder and asks before it does what its mode does not allow. What waits
          for you shines in brass, here and in the list of sessions, on every paired device. Whoever answers first
          decides.
        </p>
        <p>
          Closing this page ends nothing. Every message is kept on the machine that runs the server; a link to a row
          finds it again.
        </p>
      </Part>
      <Part title="Modes">
        <Facts facts={MODES.map(({ name, about }) => [name, `${about}.`])} />
      </Part>
      {view !== undefined && <SessionHelp view={view} />}
    </Dialog>
  );
};

const SessionHelp = ({ view }: { readonly view: SessionView }) => {
  const { commands, about, cliVersion } = useHead(view);
  const names = (value: unknown): string =>
    Array.isArray(value) ? value.filter((name) => typeof name === "string").join(", ") : "";
  return (
    <>
      <Part title="Commands">
        <Facts
          facts={commandChoices(commands).map(({ name, hint, description }) => [`/${name} ${hint}`, description])}
        />
      </Part>
      <Part title={`Claude Code ${cliVersion ?? ""}`}>
        <Facts
          facts={[
            ["Tools", names(about["tools"]) || "not said yet"],
            ["Agents", names(about["agentTypes"]) || "not said yet"],
            ["Skills", names(about["skills"]) || "not said yet"],
          ]}
        />
      </Part>
    </>
  );
};

const Facts = ({ facts }: { readonly facts: readonly (readonly [string, string])[] }) => (
  <dl className="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="help-part">
    <h3>{title}</h3>
    {children}
  </section>
);
