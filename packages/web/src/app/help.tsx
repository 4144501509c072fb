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
import { TABS } from "../workbench/tabs.ts";
import "../sessions/dialogs.css";

const mac = navigator.platform.startsWith("Mac");
const MOD = mac ? "⌘" : "Ctrl";
const ALT = mac ? "⌥" : "Alt";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["Enter", "Send. While Claude works: add to this turn"],
  ["Shift Enter", "New line"],
  [`${ALT} Enter`, "While Claude works: queue for later"],
  [`${MOD} Enter`, "While Claude works: stop and send"],
  ["Esc", "Close a menu, deny the focused request, clear the message, or stop the turn"],
  ["↑ ↓", "In an empty message: previous messages"],
  ["Shift Tab", "In the message: next permission mode"],
  ["Tab", "Accept the completion or suggestion"],
  ["@  /", "In the message: mention a file, run a command"],
  [`${MOD} K`, "Search all sessions"],
  [`${MOD} F`, "Find in this conversation"],
  [`${ALT} N`, "New session"],
  [`${ALT} ↑  ${ALT} ↓`, "Previous session, next session"],
  ["F6", "Next part of the page"],
  ...TABS.map(({ key, title }) => [`G  ${key}`, `Workbench: ${title}`] as const),
  ["J  K", "Changes: next or previous hunk. With Shift: file"],
  ["V  C  U", "Changes: viewed, comment, unified or side by side"],
  ["/", "Focus the message field"],
  ["?", "Show keyboard shortcuts"],
];

export const KeysDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" light scrolls onClose={onClose}>
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
      footer={<Button onClick={() => openSurface({ kind: "keys" })}>Keyboard shortcuts</Button>}
    >
      <Part title="How it works">
        <p>
          You send a message. Claude Code works in the folder and asks before it does anything that its permission mode
          does not allow. Requests appear in gold, here and in the list of sessions, on every paired device. The first
          answer counts.
        </p>
        <p>
          Sessions keep running when you close this page. Every message is stored on the machine that runs the server,
          and you can link to each one.
        </p>
      </Part>
      <Part title="Permission modes">
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
            ["Tools", names(about["tools"]) || "not known yet"],
            ["Agents", names(about["agentTypes"]) || "not known yet"],
            ["Skills", names(about["skills"]) || "not known yet"],
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
