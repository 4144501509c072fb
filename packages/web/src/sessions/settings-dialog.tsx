import { useState } from "react";
import { notify as showNotification } from "../parts/notify.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Segments } from "../parts/segments.tsx";
import { useServerInfo } from "../store/client.tsx";
import { changeSettings, useSettings } from "../store/settings.ts";
import { openSurface, type SettingsTab } from "../store/surfaces.ts";
import { Devices } from "./devices.tsx";
import "./dialogs.css";

const TABS: readonly (readonly [SettingsTab, string])[] = [
  ["look", "Look"],
  ["notify", "Notifications"],
  ["devices", "Devices"],
  ["about", "About"],
];

export const SettingsDialog = ({
  tab: first,
  onClose,
}: {
  readonly tab: SettingsTab;
  readonly onClose: () => void;
}) => {
  const [tab, setTab] = useState(first);
  return (
    <Dialog title="Settings" size="middle" light onClose={onClose}>
      <div className="tabs" role="tablist" aria-label="Settings">
        {TABS.map(([id, name]) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={tab === id}
            aria-controls="settings-panel"
            tabIndex={tab === id ? 0 : -1}
            onClick={() => setTab(id)}
            onKeyDown={(event) => {
              const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
              if (step === 0) return;
              const next = TABS[(TABS.findIndex(([other]) => other === tab) + step + TABS.length) % TABS.length]![0];
              setTab(next);
              document.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="settings-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} className="settings" tabIndex={0}>
        {tab === "look" && <Look />}
        {tab === "notify" && <Notifications />}
        {tab === "devices" && <Devices />}
        {tab === "about" && <About />}
      </div>
    </Dialog>
  );
};

const Look = () => {
  const settings = useSettings();
  return (
    <>
      <Segments
        label="Theme"
        value={settings.theme}
        choices={{ system: "As the system", dark: "Dark", light: "Light" }}
        onChange={(theme) => changeSettings({ theme })}
      />
      <Segments
        label="Density"
        value={settings.density}
        choices={{ comfortable: "Comfortable", compact: "Compact" }}
        onChange={(density) => changeSettings({ density })}
      />
      <Segments
        label="Size of text"
        value={settings.size}
        choices={{ small: "Small", normal: "Normal", large: "Large", larger: "Larger" }}
        onChange={(size) => changeSettings({ size })}
      />
      <Segments
        label="Enter"
        about={settings.enter === "sends" ? "Shift+Enter breaks the line" : "Ctrl+Enter sends"}
        value={settings.enter}
        choices={{ sends: "Sends", breaks: "Breaks the line" }}
        onChange={(enter) => changeSettings({ enter })}
      />
      <p className="settings-note">These hold for this browser. Motion follows the system's wish for less of it.</p>
    </>
  );
};

const Notifications = () => {
  const { notify } = useSettings();
  const able = "Notification" in window;
  const [permission, setPermission] = useState(able ? Notification.permission : "denied");
  const choose = async (next: typeof notify): Promise<void> => {
    changeSettings({ notify: next });
    if (next !== "off" && able && Notification.permission === "default")
      setPermission(await Notification.requestPermission());
  };
  return (
    <>
      <Segments
        label="Notify me"
        value={notify}
        choices={{ off: "Never", waiting: "When something waits", all: "Also when a turn ends" }}
        onChange={(next) => void choose(next)}
      />
      {notify !== "off" && (
        <p className="settings-note" role="status">
          {!able
            ? "This browser has no notifications, or allows them only over HTTPS and on localhost. The title's number works everywhere."
            : permission === "granted"
              ? "Allowed. They come while a tab of Quarterdeck is open somewhere in this browser."
              : permission === "denied"
                ? "The browser blocks them for this address. Allow them in its settings for this page."
                : "The browser has not been asked yet."}
        </p>
      )}
      {notify !== "off" && able && permission === "granted" && (
        <Button
          small
          onClick={() =>
            showNotification("Quarterdeck", { body: "This is how it looks when something waits for you." })
          }
        >
          Show one
        </Button>
      )}
    </>
  );
};

const About = () => {
  const info = useServerInfo();
  if (info === undefined) return null;
  const { server, agent, machine, device } = info;
  const rows: readonly (readonly [string, string])[] = [
    ["Quarterdeck", `${server.version} on ${machine.hostname} (${machine.platform})`],
    [
      "Agent",
      agent.kind === "demo" ? "demo agent, no Claude Code" : `Claude Code ${agent.version ?? "of unknown version"}`,
    ],
    ["Its program", agent.path ?? "built in"],
    ["This device", `${device.name}, may ${device.role === "admin" ? "do everything" : device.role}`],
    ["Folders it may see", machine.roots.join(", ")],
  ];
  return (
    <>
      <dl className="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div className="row">
        <Button small onClick={() => openSurface({ kind: "help" })}>
          Help
        </Button>
        <Button small onClick={() => openSurface({ kind: "keys" })}>
          Keys
        </Button>
      </div>
    </>
  );
};
