// Who may come in: a list, a link for one more, and the door for the rest.

import type { DeviceRecord, ResultOf } from "@quarterdeck/client";
import { useCallback, useEffect, useState } from "react";
import { formatAge, formatSpan } from "../app/format.ts";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { useClient, useServerInfo } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { useNow } from "../store/now.ts";
import { QrCode } from "../pairing/qr-code.tsx";

const ROLES = {
  view: "read",
  answer: "read and answer requests",
  operate: "read, answer and write",
  admin: "do everything",
} as const;
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
    return (
      <p className="settings-note">
        This device may {ROLES[info?.device.role ?? "view"]}. Devices are an admin's to see and to change.
      </p>
    );

  const revoke = async (device: DeviceRecord): Promise<void> => {
    await client.command("devices/revoke", { id: device.id });
    toast(`“${device.name}” has no access any more.`);
    load();
  };
  return (
    <>
      <PairAnother onPaired={load} />
      {problem !== undefined && <p role="alert">{problem}</p>}
      <ul className="devices" aria-label="Devices">
        {devices?.map((device) => (
          <li key={device.id}>
            <span>
              <b>{device.name}</b> {device.id === info.device.id && <Badge>this one</Badge>}{" "}
              {device.connected > 0 && <Badge tone="go">connected</Badge>}
              <small>
                {device.kind === "program" ? "program" : "browser"}, may {ROLES[device.role]} ·{" "}
                {device.lastSeenAt === undefined ? "never seen" : `seen ${formatAge(device.lastSeenAt, now)}`}
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
  const words = sure ? (own ? "Really lock this one out?" : "Really?") : "Revoke";
  return (
    <Button
      small
      tone="danger"
      aria-label={`${words}: the access of ${device.name}`}
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
    // The list tells when it was used; nothing else would.
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
          <span>Another device may</span>
          <select className="input" value={role} onChange={(event) => setRole(event.target.value as Role)}>
            {Object.entries(ROLES).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Button tone={link === undefined ? "main" : "plain"} busy={busy} onClick={() => void make().catch(toastError)}>
          {link === undefined ? "Make a link" : "Make another"}
        </Button>
      </div>
      {link !== undefined && !gone && (
        <div className="pair-link">
          <QrCode text={link.link} />
          <div>
            <p>Open it on the other device. It works once.</p>
            <input
              className="input mono"
              readOnly
              aria-label="Pairing link"
              value={link.link}
              onFocus={(event) => event.target.select()}
            />
            <div className="row">
              <Button
                small
                onClick={() =>
                  void navigator.clipboard
                    .writeText(link.link)
                    .then(() => toast("Link copied."))
                    .catch(toastError)
                }
              >
                Copy
              </Button>
              <span className="num settings-note">gone in {formatSpan(link.expiresAt - now)}</span>
            </div>
          </div>
        </div>
      )}
      {gone && <p className="settings-note">That link has expired.</p>}
    </section>
  );
};
