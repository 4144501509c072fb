// `quarterdeck devices`: lists and changes who may connect. It asks a running server, so that a revoked device is out
// at once. Without a server it changes the records on disk, under the lock of the data directory.

import { renderUnicodeCompact } from "uqr";
import { openSqliteStore, StoreError } from "@quarterdeck/host";
import { BridgeError } from "@quarterdeck/client";
import { ROLES } from "@quarterdeck/session/bridge";
import type { DeviceRecord, Role } from "@quarterdeck/session/bridge";
import { openAccess } from "@quarterdeck/server";
import { cellWidthOf, clip, jsonText } from "../terminal/terminal.ts";
import type { Paint } from "../terminal/terminal.ts";
import { oneLine } from "../terminal/tool-lines.ts";
import { UsageError, UserError } from "../user-error.ts";
import { connectLocally, needServer } from "./local-client.ts";

export interface DevicesOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly paint: Paint;
}

/** The operations, for both cases. */
interface Desk {
  list(): Promise<readonly DeviceRecord[]>;
  addToken(wanted: {
    readonly role: Role;
    readonly name: string;
  }): Promise<{ readonly id: string; readonly token: string }>;
  revoke(id: string): Promise<void>;
  close(): Promise<void>;
}

export const listDevices = (options: DevicesOptions): Promise<void> =>
  atDesk(options, async (desk) => {
    const devices = await desk.list();
    if (options.json) options.write(`${jsonText(devices, 2)}\n`);
    else options.write(devices.length === 0 ? "No device has been paired yet.\n" : tableOf(devices, options.paint));
  });

export const addDevice = (options: DevicesOptions & { readonly name: string; readonly role: Role }): Promise<void> =>
  atDesk(options, async (desk) => {
    const { name, role } = options;
    const { id, token } = await desk.addToken({ name, role });
    if (options.json) return options.write(`${jsonText({ id, token, role, name })}\n`);
    options.write(`${token}\n`);
    options.write(
      options.paint(
        "dim",
        `This token is shown only once. Send it as "Authorization: Bearer …". Its role is ${options.role}, its id ${id}.\n`,
      ),
    );
  });

export const revokeDevice = (options: DevicesOptions & { readonly wanted: string }): Promise<void> =>
  atDesk(options, async (desk) => {
    const found = (await desk.list()).filter(({ id, name }) => id === options.wanted || name === options.wanted);
    if (found.length > 1) throw new UserError(`${options.wanted} matches ${String(found.length)} devices. Use the id.`);
    const [device] = found;
    if (device === undefined)
      throw new UserError(`Device ${options.wanted} does not exist. \`quarterdeck devices list\` shows all devices.`);
    await desk.revoke(device.id);
    const { id, name } = device;
    options.write(options.json ? `${jsonText({ id, name, revoked: true })}\n` : `Revoked ${name} (${id}).\n`);
  });

export const inviteDevice = async (
  options: DevicesOptions & { readonly role: Role; readonly name?: string; readonly qr: boolean },
): Promise<void> => {
  const client = await needServer(options);
  try {
    const { role, name, write, paint } = options;
    const { link, expiresAt } = await client.command("devices/pair", { role, ...(name !== undefined && { name }) });
    if (options.json) return write(`${jsonText({ link, role, expiresAt })}\n`);
    if (options.qr) write(`${renderUnicodeCompact(link, { border: 2 })}\n\n`);
    write(
      `${paint("bold", link)}\n${paint("dim", `Works once, within two minutes. The browser that opens it gets the role ${role}.\n`)}`,
    );
    if (/^https?:\/\/(?:127\.|\[::1\])/u.test(link)) {
      write(
        paint(
          "dim",
          "This address works on this machine only. For a phone, it needs HTTPS: `npx quarterdeck serve --help` lists the ways.\n",
        ),
      );
    }
  } finally {
    client.close();
  }
};

export const roleOf = (text: string | undefined, otherwise: Role): Role => {
  const role = ROLES.find((known) => known === (text ?? otherwise));
  if (role === undefined) throw new UsageError(`--role must be one of ${ROLES.join(", ")}.`);
  return role;
};

const atDesk = async (options: DevicesOptions, work: (desk: Desk) => Promise<void>): Promise<void> => {
  const desk = (await runningDesk(options)) ?? (await lockedDesk(options.dataDir));
  try {
    await work(desk);
  } catch (error) {
    throw error instanceof BridgeError ? new UserError(error.message) : error;
  } finally {
    await desk.close();
  }
};

const runningDesk = async (options: DevicesOptions): Promise<Desk | undefined> => {
  const client = await connectLocally(options);
  if (client === undefined) return undefined;
  return {
    list: async () => (await client.call("devices/list", {})).devices,
    addToken: ({ role, name }) => client.command("devices/addToken", { role, name }),
    revoke: async (id) => void (await client.command("devices/revoke", { id })),
    close: async () => client.close(),
  };
};

const lockedDesk = async (dataDir: string): Promise<Desk> => {
  const store = await openSqliteStore(dataDir).catch((error: unknown) => {
    if (error instanceof StoreError) throw new UserError(`${error.message} Use --data-dir to choose another folder.`);
    throw error;
  });
  const access = openAccess({ dataDir });
  return {
    list: async () => access.devices().map((device) => ({ ...device, connected: 0 })),
    addToken: async (wanted) => access.addToken(wanted),
    revoke: async (id) => void access.revoke(id),
    close: () => store.close(),
  };
};

const tableOf = (devices: readonly DeviceRecord[], paint: Paint): string => {
  const rows = devices.map(({ id, name, kind, role, lastSeenAt, connected }) => [
    clip(oneLine(name), 30),
    role,
    kind,
    connected > 0
      ? "here now"
      : lastSeenAt === undefined
        ? "never"
        : new Date(lastSeenAt).toISOString().slice(0, 16).replace("T", " "),
    id,
  ]);
  const all = [["name", "role", "kind", "last seen", "id"], ...rows];
  const widths = all[0]!.map((_, at) => Math.max(...all.map((row) => cellWidthOf(row[at]!))));
  return all
    .map((row, at) => {
      const line = row
        .map((cell, column) => cell + " ".repeat(widths[column]! - cellWidthOf(cell)))
        .join("  ")
        .trimEnd();
      return `${at === 0 ? paint("dim", line) : line}\n`;
    })
    .join("");
};
