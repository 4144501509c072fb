import { useState } from "react";
import { notify as showNotification } from "../parts/notify.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Segments } from "../parts/segments.tsx";
import { useClient, useServerInfo } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { changeSettings, useSettings } from "../store/settings.ts";
import { SERVER_HREF } from "../store/route.ts";
import { closeSurface, openSurface, type SettingsTab } from "../store/surfaces.ts";
import { Devices } from "./devices.tsx";
import "./dialogs.css";

const TABS: readonly (readonly [SettingsTab, string])[] = [
  ["look", "Appearance"],
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
        choices={{ system: "System", dark: "Dark", light: "Light" }}
        onChange={(theme) => changeSettings({ theme })}
      />
      <Segments
        label="Density"
        value={settings.density}
        choices={{ comfortable: "Comfortable", compact: "Compact" }}
        onChange={(density) => changeSettings({ density })}
      />
      <Segments
        label="Text size"
        value={settings.size}
        choices={{ small: "Small", normal: "Normal", large: "Large", larger: "Larger" }}
        onChange={(size) => changeSettings({ size })}
      />
      <Segments
        label="Enter key"
        about={settings.enter === "sends" ? "Shift+Enter adds a new line" : "Ctrl+Enter sends"}
        value={settings.enter}
        choices={{ sends: "Send", breaks: "New line" }}
        onChange={(enter) => changeSettings({ enter })}
      />
      <p className="settings-note">
        These settings apply to this browser. Animations follow your reduced-motion setting.
      </p>
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
        choices={{ off: "Never", waiting: "When Claude needs me", all: "Also when a turn ends" }}
        onChange={(next) => void choose(next)}
      />
      {notify !== "off" && (
        <p className="settings-note" role="status">
          {!able
            ? "Notifications aren't available. Some browsers allow them only over HTTPS or on localhost. The number in the tab title still works."
            : permission === "granted"
              ? "Allowed. You get notifications while a Quarterdeck tab is open in this browser."
              : permission === "denied"
                ? "Your browser blocks notifications from this page. Allow them in the browser's site settings."
                : "The browser hasn't asked for permission yet."}
        </p>
      )}
      {notify !== "off" && able && permission === "granted" && (
        <Button small onClick={() => showNotification("Quarterdeck", { body: "This is how a request looks." })}>
          Send a test
        </Button>
      )}
    </>
  );
};

const About = () => {
  const client = useClient();
  const info = useServerInfo();
  if (info === undefined) return null;
  const { server, agent, machine, device } = info;
  const rows: readonly (readonly [string, string])[] = [
    ["Quarterdeck", `${server.version} on ${machine.hostname} (${machine.platform})`],
    ["Agent", agent.kind === "demo" ? "Demo mode" : `Claude Code ${agent.version ?? "(unknown version)"}`],
    ["Program", agent.path ?? "Built in"],
    ["This device", `${device.name} (role: ${device.role})`],
    ["Folders", machine.roots.join(", ")],
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
        {may(client, "server/settings") && (
          <a className="btn btn-plain btn-small" href={SERVER_HREF} onClick={closeSurface}>
            Server settings
          </a>
        )}
        <Button small onClick={() => openSurface({ kind: "keys" })}>
          Keyboard shortcuts
        </Button>
      </div>
    </>
  );
};
