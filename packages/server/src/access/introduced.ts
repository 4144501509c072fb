// Devices that other machines introduced. They are kept in memory only: a gateway introduces them again when it connects again. A
// device has one id per gateway, because its role depends on the gateway, and one identity over all gateways, which is its key.

import { createHash } from "node:crypto";
import type { Role } from "@quarterdeck/session/bridge";
import { roleThroughFleet } from "@quarterdeck/session/bridge/policy";
import type { Device } from "./contract.ts";

/** What a gateway says about one of its browsers. */
export interface Introduction {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** SPKI, base64url. */
  readonly publicKey: string;
}

interface Guest {
  readonly device: Device;
  readonly publicKey: string;
}

export interface Introduced {
  /** Replaces all devices of the gateway. Devices that are missing now are out at once. */
  set(gateway: string, devices: readonly Introduction[], allowed: Role | undefined, folders?: readonly string[]): void;
  /** The gateway is gone, and its connections with it. It may introduce the same devices again. */
  forget(gateway: string): void;
  /** By the id that the gateway uses. */
  find(gateway: string, id: string): Guest | undefined;
  /** By our id. */
  device(id: string): Device | undefined;
}

export const introducedDevices = (onRevoked: (id: string) => void): Introduced => {
  const gateways = new Map<string, ReadonlyMap<string, Guest>>();
  const byOwnId = new Map<string, Device>();

  return {
    set(gateway, devices, allowed, folders) {
      const before = gateways.get(gateway) ?? new Map<string, Guest>();
      const guests = new Map<string, Guest>();
      for (const { id, name, role: introduced, publicKey } of devices) {
        const role = roleThroughFleet(introduced, allowed);
        if (role === undefined) continue;
        const key = createHash("sha256").update(publicKey).digest("base64url").slice(0, 22);
        const ownId = `fleet.${gateway}.${key}`;
        const createdAt = byOwnId.get(ownId)?.createdAt ?? Date.now();
        const device: Device = {
          id: ownId,
          name: `${name} (${gateway})`,
          kind: "browser",
          role,
          createdAt,
          via: gateway,
          ...(folders !== undefined && { folders }),
          sameAs: `fleet.${key}`,
        };
        guests.set(id, { device, publicKey });
      }
      gateways.set(gateway, guests);
      const kept = new Map([...guests.values()].map(({ device }) => [device.id, device]));
      for (const [id, device] of kept) byOwnId.set(id, device);
      for (const { device } of before.values()) {
        if (kept.has(device.id)) continue;
        byOwnId.delete(device.id);
        onRevoked(device.id);
      }
      if (guests.size === 0) gateways.delete(gateway);
    },
    forget(gateway) {
      for (const { device } of gateways.get(gateway)?.values() ?? []) byOwnId.delete(device.id);
      gateways.delete(gateway);
    },
    find: (gateway, id) => gateways.get(gateway)?.get(id),
    device: (id) => byOwnId.get(id),
  };
};
