// The paired devices: a list of them, a link that pairs one more, and how a phone can reach this server.

import type { DeviceRecord, ResultOf } from "@quarterdeck/client";
import { useCallback, useEffect, useState } from "react";
import { formatAgo, formatSpan } from "../words/format.ts";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { useClient, useServerInfo } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { useNow } from "../store/now.ts";
import { fill } from "../parts/fill.tsx";
import { WORDS } from "./device-words.ts";
import { QrCode } from "./qr-code.tsx";
import { isReachable } from "./reachable.ts";
import { ServerReach } from "./reach.tsx";

const ROLES = WORDS.roles;
type Role = keyof typeof ROLES;
type Link = ResultOf<"devices/pair">;

export const Devices = () => {
  const client = useClient();
  const info = useServerInfo();
  const now = useNow();
  const [devices, setDevices] = useState<readonly DeviceRecord[]>();
  const [problem, setProblem] = useState<string>();
  const load = useCallback(() => {
    client
      .call("devices/list", {})
      .then((found) => setDevices(found.devices))
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [client]);
  useEffect(load, [load]);
  if (info === undefined || !may(client, "devices/list"))
    return <p className="settings-note">{WORDS.ownRole(ROLES[info?.device.role ?? "view"])}</p>;

  const revoke = async (device: DeviceRecord): Promise<void> => {
    await client.command("devices/revoke", { id: device.id });
    toast(WORDS.revoked(device.name));
    load();
  };
  return (
    <>
      <PairAnother onPaired={load} />
      <ServerReach />
      {problem !== undefined && <p role="alert">{problem}</p>}
      <ul className="devices" aria-label={WORDS.devices}>
        {devices?.map((device) => (
          <li key={device.id}>
            <span>
              <b>{device.name}</b> {device.id === info.device.id && <Badge>{WORDS.thisDevice}</Badge>}{" "}
              {device.connected > 0 && <Badge tone="go">{WORDS.connected}</Badge>}
              <small>
                {device.kind === "program" ? WORDS.program : WORDS.browser} · {ROLES[device.role]} ·{" "}
                {device.lastSeenAt === undefined ? WORDS.neverActive : WORDS.active(formatAgo(device.lastSeenAt, now))}
              </small>
            </span>
            <Revoke
              device={device}
              own={device.id === info.device.id}
              onRevoke={() => void revoke(device).catch(toastError)}
            />
          </li>
        ))}
      </ul>
    </>
  );
};

/** Two presses, so that no stray one locks anybody out. */
const Revoke = ({
  device,
  own,
  onRevoke,
}: {
  readonly device: DeviceRecord;
  readonly own: boolean;
  readonly onRevoke: () => void;
}) => {
  const [sure, setSure] = useState(false);
  const words = sure ? (own ? WORDS.lockOut : WORDS.confirm) : WORDS.revoke;
  return (
    <Button
      small
      tone="danger"
      aria-label={WORDS.label(words, device.name)}
      onBlur={() => setSure(false)}
      onClick={() => (sure ? onRevoke() : setSure(true))}
    >
      {words}
    </Button>
  );
};

const PairAnother = ({ onPaired }: { readonly onPaired: () => void }) => {
  const client = useClient();
  const now = useNow();
  const [role, setRole] = useState<Role>("operate");
  const [link, setLink] = useState<Link>();
  const [busy, setBusy] = useState(false);
  const gone = link !== undefined && link.expiresAt <= now;
  useEffect(() => {
    // Only the list shows that the link was used.
    if (link === undefined || gone) return undefined;
    const timer = setInterval(onPaired, 3000);
    return () => clearInterval(timer);
  }, [link, gone, onPaired]);

  const make = async (): Promise<void> => {
    setBusy(true);
    try {
      setLink(await client.command("devices/pair", { role }));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="pair">
      <div className="pair-row">
        <label className="field">
          <span>{WORDS.newRole}</span>
          <select className="input" value={role} onChange={(event) => setRole(event.target.value as Role)}>
            {Object.entries(ROLES).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Button tone={link === undefined ? "main" : "plain"} busy={busy} onClick={() => void make().catch(toastError)}>
          {link === undefined ? WORDS.create : WORDS.another}
        </Button>
      </div>
      {link !== undefined && !gone && (
        <div className="pair-link">
          {isReachable(link.link) && <QrCode text={link.link} />}
          <div>
            <p>{isReachable(link.link) ? WORDS.openLink : WORDS.onlyHere}</p>
            {!isReachable(link.link) && (
              <p className="settings-note">
                {fill(WORDS.forPhone, {
                  serve: <code>tailscale serve --bg {location.port || "7433"}</code>,
                  restart: <code>npx quarterdeck serve --behind-proxy --allow-host NAME.ts.net</code>,
                  help: <code>npx quarterdeck serve --help</code>,
                })}
              </p>
            )}
            <input
              className="input mono"
              readOnly
              aria-label={WORDS.pairingLink}
              value={link.link}
              onFocus={(event) => event.target.select()}
            />
            <div className="row">
              <Button
                small
                onClick={() =>
                  void navigator.clipboard
                    .writeText(link.link)
                    .then(() => toast(WORDS.copied))
                    .catch(toastError)
                }
              >
                {WORDS.copy}
              </Button>
              <span className="num settings-note">{WORDS.expires(formatSpan(link.expiresAt - now))}</span>
            </div>
          </div>
        </div>
      )}
      {gone && <p className="settings-note">{WORDS.expired}</p>}
    </section>
  );
};
