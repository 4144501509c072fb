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
import { fill } from "../parts/fill.tsx";
import { formatAgo, formatBytes, formatCost, shortPath } from "../words/format.ts";
import { RetentionForm } from "./retention-form.tsx";
import { VariablesForm } from "./variables-form.tsx";
import { WORDS } from "./words.ts";
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
        <h1>{WORDS.title}</h1>
      </header>
      <div className="server-page" tabIndex={0} role="region" aria-label={WORDS.title}>
        <div className="server-in">
          {!mayLook && <p>{WORDS.onlyAdmin}</p>}
          {problem !== undefined && <p role="alert">{problem}</p>}
          {mayLook && settings === undefined && problem === undefined && <p role="status">{WORDS.loading}</p>}
          {settings !== undefined && (
            <>
              <About settings={settings} />
              <section>
                <h2>{WORDS.devices}</h2>
                <Devices />
              </section>
              <Targets />
              <Trusted settings={settings} onChange={load} />
              <Budgets />
              <RetentionForm settings={settings} onChange={load} />
              <section>
                <h2>
                  {WORDS.environment} <span className="num">{settings.environment.length}</span>
                </h2>
                <p className="server-note">{WORDS.environmentAbout}</p>
                <ul className="server-names">
                  {settings.environment.map((name) => (
                    <li key={name}>{name}</li>
                  ))}
                </ul>
              </section>
              <VariablesForm settings={settings} onChange={load} />
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
    [WORDS.seen, settings.roots.map((root) => shortPath(root, home)).join(", ")],
    [WORDS.data, WORDS.stored(shortPath(settings.dataDir, home), stored.sessions, formatBytes(stored.bytes))],
    [WORDS.config, shortPath(settings.configDir, home)],
    [
      WORDS.processes,
      `${limits.sessions === undefined ? limits.live : WORDS.most(String(limits.live), limits.sessions)}${limits.waiting > 0 ? WORDS.waiting(limits.waiting) : ""}`,
    ],
    [WORDS.upload, formatBytes(limits.uploadBytes)],
    [WORDS.message, formatBytes(limits.frameBytes)],
    [WORDS.version, settings.version],
  ];
  return (
    <section>
      <h2>{WORDS.limits}</h2>
      <dl className="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="server-note">
        {fill(WORDS.limitsAbout, { root: <code>--root</code>, most: <code>--max-sessions</code> })}
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
      title: WORDS.revokeAsk,
      text: WORDS.revokeAbout(shortPath(folder, home)),
      action: WORDS.revoke,
      tone: "danger",
      run: () =>
        void client
          .command("server/revokeTrust", { folder })
          .then(() => {
            toast(WORDS.revoked);
            onChange();
          })
          .catch(toastError),
    });
  return (
    <section>
      <h2>
        {WORDS.trusted} <span className="num">{settings.trusted.length}</span>
      </h2>
      {settings.trusted.length === 0 && <p className="server-note">{WORDS.noneTrusted}</p>}
      <ul className="server-rows" aria-label={WORDS.trusted}>
        {settings.trusted.map(({ folder, at, files, exists }) => (
          <li key={folder}>
            <span>
              <code>{shortPath(folder, home)}</code>
              <small>
                {at === undefined ? WORDS.trustedUnknown : WORDS.trustedAgo(formatAgo(at, now))}
                {" · "}
                {files.length === 0 ? WORDS.nothingToRun : files.map((file) => shortFile(file, folder)).join(", ")}
                {!exists && ` · ${WORDS.gone}`}
              </small>
            </span>
            <Button small tone="danger" aria-label={WORDS.revokeLabel(folder)} onClick={() => revoke(folder)}>
              {WORDS.revoke}
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
      <h2>{WORDS.budgets}</h2>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {budget !== undefined && (
        <>
          <p className="server-note">
            {fill(WORDS.spent, { cost: <b className="num">{formatCost(budget.spentTodayUsd)}</b> })}
          </p>
          <AmountField
            label={WORDS.perDay}
            value={budget.dayUsd}
            onSave={(dayUsd) => client.command("budgets/set", { dayUsd }).then(reload)}
          />
          <AmountField
            label={WORDS.each}
            value={budget.eachUsd}
            onSave={(eachUsd) => client.command("budgets/set", { eachUsd }).then(reload)}
          />
        </>
      )}
    </section>
  );
};
