import { useState } from "react";
import { NotificationSettings } from "../notify/notification-settings.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Segments } from "../parts/segments.tsx";
import { useClient, useServerInfo } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { changeSettings, useSettings } from "../store/settings.ts";
import { SERVER_HREF } from "../store/route.ts";
import { closeSurface, openSurface, type SettingsTab } from "../store/surfaces.ts";
import { english } from "../words/en/language.ts";
import { chooseLanguage, inLanguage, languageChoice, LANGUAGES } from "../words/language.ts";
import { Devices } from "./devices.tsx";
import "./dialogs.css";

const LANGUAGE_WORDS = inLanguage("language", english);

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
        {tab === "notify" && <NotificationSettings />}
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
        label={LANGUAGE_WORDS.label}
        value={languageChoice}
        choices={{ system: LANGUAGE_WORDS.system, ...LANGUAGES }}
        onChange={chooseLanguage}
      />
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
