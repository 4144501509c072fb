// Settings of the server, for an admin: devices, folders, trust, limits, budgets, retention, and the names of variables.

import type { ResultOf } from "@quarterdeck/client";
import { needs } from "@quarterdeck/client/policy";
import { useCallback, useEffect, useState, type ReactNode } from "react";
import { AmountField } from "../budget/amount-field.tsx";
import { useBudget } from "../budget/budget.ts";
import { Targets } from "../notify/targets.tsx";
import { Button } from "../parts/button.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { Devices } from "../sessions/devices.tsx";
import { useClient, useServerInfo } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { useNow } from "../store/now.ts";
import { afterConfirm } from "../store/surfaces.ts";
import { formatAgo, formatBytes, formatCost, plural, shortPath } from "../words/format.ts";
import { RetentionForm } from "./retention-form.tsx";
import "../sessions/dialogs.css";
import "./server.css";

type ServerSettings = ResultOf<"server/settings">;

export const ServerPage = ({ menu }: { readonly menu: ReactNode }) => {
  const client = useClient();
  const mayLook = may(client, "server/settings");
  const [settings, setSettings] = useState<ServerSettings>();
  const [problem, setProblem] = useState<string>();
  const load = useCallback(() => {
    if (!mayLook) return;
    client.call("server/settings", {}).then(
      (found) => {
        setSettings(found);
        setProblem(undefined);
      },
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  }, [client, mayLook]);
  useEffect(load, [load]);
  return (
    <>
      <header className="head">
        {menu}
        <h1>Server settings</h1>
      </header>
      <div className="server-page" tabIndex={0} role="region" aria-label="Server settings">
        <div className="server-in">
          {!mayLook && <p>Only an admin device can see the settings of the server.</p>}
          {problem !== undefined && <p role="alert">{problem}</p>}
          {mayLook && settings === undefined && problem === undefined && <p role="status">Loading…</p>}
          {settings !== undefined && (
            <>
              <About settings={settings} />
              <section>
                <h2>Devices</h2>
                <Devices />
              </section>
              <Targets />
              <Trusted settings={settings} onChange={load} />
              <Budgets />
              <RetentionForm settings={settings} onChange={load} />
              <section>
                <h2>
                  Environment of sessions <span className="num">{settings.environment.length}</span>
                </h2>
                <p className="server-note">
                  Sessions get these variables: those of the server's own start, without its secrets. Values are never
                  shown. `quarterdeck env` and settings files of Claude Code may add others for a folder.
                </p>
                <ul className="server-names">
                  {settings.environment.map((name) => (
                    <li key={name}>{name}</li>
                  ))}
                </ul>
              </section>
            </>
          )}
        </div>
      </div>
    </>
  );
};

const About = ({ settings }: { readonly settings: ServerSettings }) => {
  const home = useServerInfo()?.machine.home;
  const { limits, stored } = settings;
  const rows: readonly (readonly [string, string])[] = [
    ["Folders that devices see", settings.roots.map((root) => shortPath(root, home)).join(", ")],
    [
      "Data",
      `${shortPath(settings.dataDir, home)} · ${plural(stored.sessions, "session")}, ${formatBytes(stored.bytes)}`,
    ],
    ["Claude Code's settings", shortPath(settings.configDir, home)],
    [
      "Running processes",
      `${limits.live}${limits.sessions === undefined ? "" : ` of ${limits.sessions} at most`}${limits.waiting > 0 ? `, ${limits.waiting} waiting` : ""}`,
    ],
    ["Largest upload", formatBytes(limits.uploadBytes)],
    ["Largest message", formatBytes(limits.frameBytes)],
    ["Version", settings.version],
  ];
  return (
    <section>
      <h2>Folders and limits</h2>
      <dl className="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="server-note">
        Folders and limits are set when the server starts: <code>--root</code>, <code>--max-sessions</code>, or the
        configuration file.
      </p>
    </section>
  );
};

const Trusted = ({ settings, onChange }: { readonly settings: ServerSettings; readonly onChange: () => void }) => {
  const client = useClient();
  const now = useNow();
  const home = useServerInfo()?.machine.home;
  const revoke = (folder: string): void =>
    afterConfirm(needs("server/revokeTrust"), {
      title: "Revoke trust?",
      text: `Sessions in ${shortPath(folder, home)} stop loading its hooks, servers and settings. Before the next prompt there, somebody must review the folder again.`,
      action: "Revoke",
      tone: "danger",
      run: () =>
        void client
          .command("server/revokeTrust", { folder })
          .then(() => {
            toast("Trust revoked.");
            onChange();
          })
          .catch(toastError),
    });
  return (
    <section>
      <h2>
        Trusted folders <span className="num">{settings.trusted.length}</span>
      </h2>
      {settings.trusted.length === 0 && <p className="server-note">No folder is trusted yet.</p>}
      <ul className="server-rows" aria-label="Trusted folders">
        {settings.trusted.map(({ folder, at, files, exists }) => (
          <li key={folder}>
            <span>
              <code>{shortPath(folder, home)}</code>
              <small>
                {at === undefined
                  ? "trusted by an older version, so nobody knows when"
                  : `trusted ${formatAgo(at, now)}`}
                {" · "}
                {files.length === 0
                  ? "nothing of its own to run"
                  : files.map((file) => shortFile(file, folder)).join(", ")}
                {!exists && " · the folder is gone"}
              </small>
            </span>
            <Button small tone="danger" aria-label={`Revoke: ${folder}`} onClick={() => revoke(folder)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
};

const shortFile = (file: string, folder: string): string =>
  file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;

const Budgets = () => {
  const client = useClient();
  const { budget, problem, reload } = useBudget(client, undefined);
  return (
    <section>
      <h2>Budgets</h2>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {budget !== undefined && (
        <>
          <p className="server-note">
            Spent today: <b className="num">{formatCost(budget.spentTodayUsd)}</b>. At 80 % sessions say so. At 100 %
            turns are stopped, and prompts are refused until the budget is raised or the day ends.
          </p>
          <AmountField
            label="All sessions, per day ($)"
            value={budget.dayUsd}
            onSave={(dayUsd) => client.command("budgets/set", { dayUsd }).then(reload)}
          />
          <AmountField
            label="Each session ($)"
            value={budget.eachUsd}
            onSave={(eachUsd) => client.command("budgets/set", { eachUsd }).then(reload)}
          />
        </>
      )}
    </section>
  );
};
