// Who may connect. Only this file decides which hosts and origins a request may name, what proves a device, what the device
// may do, and how often an address may fail. `through-proxy.ts` reads what a proxy says about a request. No cookie and no
// address gives access. A browser signs a challenge with a key that it cannot export, and a program sends a token in
// its `Authorization` header. Both exist only because an admin created them. This file knows nothing of HTTP, sockets
// and files.

import { createHmac, createPublicKey, randomBytes, timingSafeEqual, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { BlockList } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { challengeText } from "@quarterdeck/session/bridge";
import type { Role } from "@quarterdeck/session/bridge";
import type { Access, Admission, Device } from "./contract.ts";
import { ServerError } from "../server-error.ts";
import { countedAttempts } from "./attempts.ts";
import { publicDevice, readDevices, writeDevices } from "./device-file.ts";
import type { StoredDevice } from "./device-file.ts";
import { introducedDevices } from "./introduced.ts";
import type { Introduced, Introduction } from "./introduced.ts";
import { makePrivateFolder, readPrivateFile, writePrivateFile } from "./private-file.ts";
import { blockListOf, plainAddress, throughProxy } from "./through-proxy.ts";
import type { Arrived } from "./through-proxy.ts";

/** Names under which the server can be reached, once it listens. */
export interface Doors {
  /** Allowed `Host` headers, exactly as a client sends them. */
  readonly hosts: ReadonlySet<string>;
  /** Allowed `Origin` headers, exactly as a browser sends them. */
  readonly origins: ReadonlySet<string>;
  /** Other names of this machine. A request for the page under such a name is redirected to `linkOrigin`. */
  readonly aliases: ReadonlySet<string>;
  /** The start of a pairing link. */
  readonly linkOrigin: string;
  /** Addresses of proxies whose forwarded headers are believed. Only with `--behind-proxy`. */
  readonly proxies?: readonly string[];
  /** Through a gateway, which would see the token. */
  readonly refusesTokens?: true;
}

/** What a route needs, in addition to an allowed host and origin. */
export type AccessNeed =
  /** The page, and answers that reveal nothing. */
  | "nothing"
  /** A pairing code or a ticket, which the route itself checks. */
  | "code"
  /** A bearer token. */
  | "token"
  /** A bearer token, or an allowed origin. Its page then answers the challenge. */
  | "challenge";

/** The parts of a request that matter here. */
export interface Asking extends Arrived {
  readonly method: string;
  readonly isUpgrade: boolean;
  /** Address of the TCP connection. */
  readonly address: string;
}

export type EntryAnswer =
  | {
      readonly ok: true;
      /** Client address for rate limits and logs. */
      readonly remote: string;
      readonly origin: string | undefined;
      /** The program behind a valid token. */
      readonly device: Device | undefined;
      /** The name in the request. The page's policy uses it. */
      readonly host: string;
      readonly isSecure: boolean;
    }
  | { readonly ok: false; readonly status: 308; readonly location: string; readonly remote: string }
  | { readonly ok: false; readonly status: 401 | 403 | 429; readonly message: string; readonly remote: string };

export type Enter = (asking: Asking, need: AccessNeed) => EntryAnswer;

export interface ServerAccess extends Access {
  /** Called once, when the port is known. Before that, every request is refused. */
  openDoors(doors: Doors): void;
  readonly enter: Enter;
  /** The same decision for another port with other names. */
  enterAt(doors: Doors): Enter;
  /** The data that a page posts to `/pair`. An invalid key does not use up the code. */
  redeem(claim: {
    readonly code: string;
    readonly name: string;
    readonly publicKey: string;
    readonly remote: string;
  }): Admission | { readonly ok: false; readonly code: "bad-request"; readonly message: string };
  /**
   * Token for the commands on this machine. It gives access to a user who can read the data directory, and ends with
   * the process.
   */
  localToken(): string;
  /** Devices that gateways introduced. */
  readonly introduced: Introduced;
  /** What this server tells other machines about its own browsers. */
  introductions(): { readonly origins: readonly string[]; readonly devices: readonly Introduction[] };
  /** Called when a device was added or removed. */
  onDevices(listener: () => void): () => void;
  close(): void;
}

export interface AccessOptions {
  readonly dataDir: string;
  readonly now?: () => number;
}

const SECRET_FILE = "secret";
const DEVICES_FILE = "devices.json";
export const LOCAL_DEVICE = "this-computer";
const CODE_MS = 2 * 60_000;
const MOST_CODES = 20;
const MOST_DEVICES = 1000;
/** `lastSeenAt` is written at most once per this time, not at each request. */
const SEEN_MS = 60_000;
const FAILURES_A_MINUTE = 5;

interface PairingCode {
  readonly role: Role;
  readonly name: string | undefined;
  readonly expiresAt: number;
}

export const openAccess = ({ dataDir, now = Date.now }: AccessOptions): ServerAccess => {
  makePrivateFolder(dataDir);
  const secret = readOrMakeSecret(join(dataDir, SECRET_FILE));
  const path = join(dataDir, DEVICES_FILE);
  const devices = new Map(readDevices(path).map((device) => [device.id, device]));
  const hashOf = (text: string): Buffer => createHmac("sha256", secret).update(text).digest();
  const serverId = hashOf("server-id").toString("base64url").slice(0, 22);
  const codes = new Map<string, PairingCode>();
  const failures = countedAttempts(FAILURES_A_MINUTE, 60_000, now);
  const revoked = new Set<(id: string) => void>();
  const introduced = introducedDevices((id) => {
    for (const listener of revoked) listener(id);
  });
  const changed = new Set<() => void>();
  const local: StoredDevice & { kind: "program" } = {
    id: LOCAL_DEVICE,
    // Another device reads it, perhaps in a fleet: "this computer" would be wrong there.
    name: hostname(),
    kind: "program",
    role: "admin",
    createdAt: now(),
    tokenHash: "",
  };
  let doors: (Doors & { readonly enter: Enter }) | undefined;
  let unsaved = false;

  const save = (): void => {
    writeDevices(path, [...devices.values()]);
    unsaved = false;
  };
  const keep = (device: StoredDevice): void => {
    if (devices.size >= MOST_DEVICES)
      throw new ServerError("Too many devices. Revoke some with `npx quarterdeck devices revoke`.");
    devices.set(device.id, device);
    try {
      save();
    } catch (error) {
      devices.delete(device.id);
      throw error;
    }
    for (const listener of changed) listener();
  };
  const stored = (id: string): StoredDevice | undefined => (id === LOCAL_DEVICE ? local : devices.get(id));

  const admitted = (device: StoredDevice): Admission => {
    const at = now();
    if (device.id !== LOCAL_DEVICE && at - (device.lastSeenAt ?? 0) > SEEN_MS) {
      devices.set(device.id, { ...device, lastSeenAt: at });
      unsaved = true;
    }
    return { ok: true, device: publicDevice({ ...device, lastSeenAt: at }) };
  };
  /** The only place that counts failures. A valid credential never gets here. */
  const refused = (remote: string, message: string): Admission =>
    failures.take(remote)
      ? { ok: false, code: "unauthenticated", message }
      : { ok: false, code: "limit", message: "Too many failed attempts from this address. Wait a minute." };

  const enterBy = (at: Doors, proxies: BlockList | undefined, asking: Asking, need: AccessNeed): EntryAnswer => {
    const address = plainAddress(asking.address);
    const seen = throughProxy(asking, address, at.hosts, proxies);
    if (!seen.ok) return { ok: false, status: 403, message: seen.message, remote: address };
    const { host, isSecure, remote } = seen;
    const forbidden = (message: string): EntryAnswer => ({ ok: false, status: 403, message, remote });

    const isRead = !asking.isUpgrade && (asking.method === "GET" || asking.method === "HEAD");
    if (host !== undefined && at.aliases.has(host) && isRead && need === "nothing") {
      return { ok: false, status: 308, location: at.linkOrigin, remote };
    }
    if (host === undefined || !at.hosts.has(host)) {
      return forbidden("This name is not one of this server's. Allow it with --allow-host.");
    }
    const origin = asking.header("origin");
    if (origin !== undefined && !at.origins.has(origin))
      return forbidden("Pages of other sites cannot use this server.");
    if (isForeignFetch(asking, isRead)) return forbidden("Pages of other sites cannot use this server.");

    const authorization = asking.header("authorization");
    if (authorization !== undefined && at.refusesTokens === true)
      return forbidden("A token does not work through another machine, because that machine would see it.");
    const mustHaveToken = need === "token" || (origin === undefined && !isRead);
    if (authorization === undefined) {
      if (!mustHaveToken) return { ok: true, remote, origin, device: undefined, host, isSecure };
      return need === "token" || need === "challenge"
        ? { ok: false, status: 401, message: "This needs a token in the Authorization header.", remote }
        : forbidden("This needs the Origin of the page, or a token in the Authorization header.");
    }
    const admission = access.bearer(authorization, remote);
    if (admission.ok) return { ok: true, remote, origin, device: admission.device, host, isSecure };
    return { ok: false, status: admission.code === "limit" ? 429 : 401, message: admission.message, remote };
  };

  const access: ServerAccess = {
    serverId,

    challenge: () => randomBytes(32).toString("base64url"),

    authenticate({ id, signature, nonce, origin, remote, via }) {
      const text = Buffer.from(challengeText({ serverId, origin: origin ?? "", nonce }), "utf8");
      if (via !== undefined) {
        const guest = introduced.find(via, id);
        if (origin === undefined || guest === undefined || !signatureFits(guest.publicKey, text, signature))
          return refused(remote, "The other machine did not introduce this device, or its signature does not match.");
        return { ok: true, device: guest.device };
      }
      const device = devices.get(id);
      if (origin === undefined || device?.kind !== "browser") {
        return refused(remote, "This device is not known here. Pair it with a new link.");
      }
      const isSigned = signatureFits(device.publicKey, text, signature);
      return isSigned ? admitted(device) : refused(remote, "The signature does not match. Pair this device again.");
    },

    bearer(header, remote) {
      const token = /^Bearer ([\w-]{1,100})\.([\w-]{1,200})$/iu.exec(header ?? "");
      const device = token === null ? undefined : stored(token[1]!);
      // Always hashed, so that an unknown id takes as long as a known one.
      const given = hashOf(`token\n${token?.[1] ?? ""}\n${token?.[2] ?? ""}`);
      const kept = device?.kind === "program" ? Buffer.from(device.tokenHash, "base64url") : Buffer.alloc(0);
      const isRight = kept.length === given.length && timingSafeEqual(kept, given);
      return isRight && device !== undefined ? admitted(device) : refused(remote, "This token is not known here.");
    },

    device(id) {
      const device = stored(id);
      return device === undefined ? introduced.device(id) : publicDevice(device);
    },
    devices: () => [...devices.values()].map(publicDevice),

    pair({ role, name }) {
      if (doors === undefined) throw new Error("A link needs an address: the server does not listen yet.");
      for (const [hash, { expiresAt }] of codes) if (expiresAt <= now()) codes.delete(hash);
      if (codes.size >= MOST_CODES) codes.delete(codes.keys().next().value!);
      const code = randomBytes(16).toString("base64url");
      const expiresAt = now() + CODE_MS;
      codes.set(hashOf(`code\n${code}`).toString("base64url"), { role, name: cleanName(name), expiresAt });
      return { link: `${doors.linkOrigin}/#pair=${code}`, code, expiresAt };
    },

    linkOrigin: () => doors?.linkOrigin ?? "",

    redeem({ code, name, publicKey, remote }) {
      if (publicKeyOf(publicKey) === undefined) {
        return { ok: false, code: "bad-request", message: "The device key must be ECDSA P-256, as SPKI in base64url." };
      }
      const hash = hashOf(`code\n${code}`).toString("base64url");
      const wanted = codes.get(hash);
      codes.delete(hash);
      if (wanted === undefined || wanted.expiresAt <= now()) {
        return refused(
          remote,
          "This link was used already or is too old. Ask for a new one: `npx quarterdeck devices pair`.",
        );
      }
      const device: StoredDevice = {
        id: randomBytes(12).toString("base64url"),
        name: wanted.name ?? cleanName(name) ?? "A browser",
        kind: "browser",
        role: wanted.role,
        createdAt: now(),
        publicKey,
      };
      keep(device);
      return admitted(device);
    },

    addToken({ role, name }) {
      const id = randomBytes(9).toString("base64url");
      const { token, tokenHash } = newToken(id, hashOf);
      keep({ id, name: cleanName(name) ?? "A program", kind: "program", role, createdAt: now(), tokenHash });
      return { id, token };
    },

    revoke(id) {
      const device = devices.get(id);
      if (device === undefined) return false;
      devices.delete(id);
      // Removed from memory first, then reported, then saved: a full disk must not keep a device in.
      for (const listener of revoked) listener(id);
      for (const listener of changed) listener();
      save();
      return true;
    },
    onRevoked(listener) {
      revoked.add(listener);
      return () => revoked.delete(listener);
    },

    introduced,
    introductions: () => ({
      origins: [...(doors?.origins ?? [])],
      devices: [...devices.values()].flatMap((device) =>
        device.kind === "browser"
          ? [{ id: device.id, name: device.name, role: device.role, publicKey: device.publicKey }]
          : [],
      ),
    }),
    onDevices(listener) {
      changed.add(listener);
      return () => changed.delete(listener);
    },

    localToken() {
      const { token, tokenHash } = newToken(LOCAL_DEVICE, hashOf);
      local.tokenHash = tokenHash;
      return token;
    },

    openDoors(opened) {
      doors = { ...opened, enter: access.enterAt(opened) };
    },

    enter(asking, need) {
      const remote = plainAddress(asking.address);
      return doors?.enter(asking, need) ?? { ok: false, status: 403, message: "Not ready yet.", remote };
    },

    enterAt(at) {
      const proxies = at.proxies && blockListOf(at.proxies);
      return (asking, need) => enterBy(at, proxies, asking, need);
    },

    close() {
      if (unsaved) save();
    },
  };
  return access;
};

const readOrMakeSecret = (path: string): Buffer => {
  const known = readPrivateFile(path);
  if (known !== undefined) {
    const secret = Buffer.from(known.trim(), "base64url");
    if (secret.length === 32) return secret;
    throw new ServerError(
      `${path} is damaged. Restore it, or remove it together with ${DEVICES_FILE} and pair your devices again.`,
    );
  }
  const secret = randomBytes(32);
  writePrivateFile(path, `${secret.toString("base64url")}\n`);
  return secret;
};

const newToken = (id: string, hashOf: (text: string) => Buffer) => {
  const secret = randomBytes(32).toString("base64url");
  return { token: `${id}.${secret}`, tokenHash: hashOf(`token\n${id}\n${secret}`).toString("base64url") };
};

const publicKeyOf = (encoded: string): KeyObject | undefined => {
  if (encoded.length > 500 || !/^[\w-]+$/u.test(encoded)) return undefined;
  try {
    const key = createPublicKey({ key: Buffer.from(encoded, "base64url"), format: "der", type: "spki" });
    const isP256 = key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1";
    return isP256 ? key : undefined;
  } catch {
    // Not a valid key.
    return undefined;
  }
};

const signatureFits = (publicKey: string, text: Buffer, signature: string): boolean => {
  const key = publicKeyOf(publicKey);
  const bytes = Buffer.from(signature, "base64url");
  return key !== undefined && bytes.length === 64 && verify("sha256", text, { key, dsaEncoding: "ieee-p1363" }, bytes);
};

/** People see this name: one line, without control and bidirectional characters. */
const cleanName = (name: string | undefined): string | undefined => {
  const clean = name
    ?.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ")
    .trim()
    .slice(0, 100);
  return clean === "" ? undefined : clean;
};

/** Browsers send where a request comes from even without an Origin. Following a link to the page is harmless. */
const isForeignFetch = (asking: Asking, isRead: boolean): boolean => {
  const site = asking.header("sec-fetch-site");
  if (site === undefined || site === "same-origin" || site === "none") return false;
  return !(isRead && asking.header("sec-fetch-mode") === "navigate" && asking.header("sec-fetch-dest") === "document");
};
