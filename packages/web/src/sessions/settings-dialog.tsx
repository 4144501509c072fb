import { useState } from "react";
import { NotificationSettings } from "../notify/notification-settings.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Segments } from "../parts/segments.tsx";
import { useClient, useServerInfo } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { changeSettings, useSettings } from "../store/settings.ts";
import { SERVER_HREF } from "../store/route.ts";
import { closeSurface, openSurface, type SettingsDialogTab } from "../store/surfaces.ts";
import { english } from "../words/en/language.ts";
import { chooseLanguage, inLanguage, languageChoice, LANGUAGES } from "../words/language.ts";
import { Devices } from "./devices.tsx";
import { WORDS } from "./dialog-words.ts";
import "./dialogs.css";

const LANGUAGE_WORDS = inLanguage("language", english);

const TABS: readonly (readonly [SettingsDialogTab, string])[] = [
  ["look", WORDS.look],
  ["notify", WORDS.notify],
  ["devices", WORDS.devices],
  ["about", WORDS.about],
];

export const SettingsDialog = ({
  tab: first,
  onClose,
}: {
  readonly tab: SettingsDialogTab;
  readonly onClose: () => void;
}) => {
  const [tab, setTab] = useState(first);
  return (
    <Dialog title={WORDS.settings} size="middle" light onClose={onClose}>
      <div className="tabs" role="tablist" aria-label={WORDS.settings}>
        {TABS.map(([id, name]) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={tab === id}
            aria-controls="settings-panel"
            tabIndex={tab === id ? 0 : -1}
            data-autofocus={id === first || undefined}
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
        label={WORDS.theme}
        value={settings.theme}
        choices={WORDS.themes}
        onChange={(theme) => changeSettings({ theme })}
      />
      <Segments
        label={WORDS.density}
        value={settings.density}
        choices={WORDS.densities}
        onChange={(density) => changeSettings({ density })}
      />
      <Segments
        label={WORDS.size}
        value={settings.size}
        choices={WORDS.sizes}
        onChange={(size) => changeSettings({ size })}
      />
      <Segments
        label={WORDS.enter}
        about={settings.enter === "sends" ? WORDS.enterSends : WORDS.enterBreaks}
        value={settings.enter}
        choices={WORDS.enters}
        onChange={(enter) => changeSettings({ enter })}
      />
      <p className="settings-note">{WORDS.here}</p>
    </>
  );
};

const About = () => {
  const client = useClient();
  const info = useServerInfo();
  if (info === undefined) return null;
  const { server, agent, machine, device } = info;
  const rows: readonly (readonly [string, string])[] = [
    ["Quarterdeck", WORDS.serverOn(server.version, machine.hostname, machine.platform)],
    [WORDS.agent, agent.kind === "demo" ? WORDS.demo : `Claude Code ${agent.version ?? WORDS.noVersion}`],
    [WORDS.program, agent.path ?? WORDS.builtIn],
    [WORDS.thisDevice, WORDS.device(device.name, WORDS.roles[device.role])],
    [WORDS.folders, machine.roots.join(", ")],
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
          {WORDS.help}
        </Button>
        {may(client, "server/settings") && (
          <a className="btn btn-plain btn-small" href={SERVER_HREF} onClick={closeSurface}>
            {WORDS.server}
          </a>
        )}
        <Button small onClick={() => openSurface({ kind: "keys" })}>
          {WORDS.keys}
        </Button>
      </div>
    </>
  );
};
