// The device key of a browser. It is created here, cannot be exported, and is stored in IndexedDB for one server. The page can
// only request signatures.

import { inBrowserStore } from "./browser-store.ts";
import { BridgeError } from "./bridge-error.ts";
import type { DeviceCredentials } from "./contract.ts";

const STORE = ["quarterdeck", "devices"] as const;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };

interface StoredDevice {
  /** Absent during pairing. */
  readonly id?: string;
  readonly keys: CryptoKeyPair;
}

/** Creates a key and registers it with the code of a pairing link. */
export const pairDevice = async (options: { url: string; code: string; name: string }): Promise<DeviceCredentials> => {
  const keys = await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]);
  const publicKey = base64url(await crypto.subtle.exportKey("spki", keys.publicKey));
  // The code works once, so test first whether the key can be stored.
  await put(options.url, { keys });
  const response = await fetch(new URL("/pair", options.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: options.code, name: options.name, publicKey }),
  });
  const answer = (await response.json().catch(() => ({}))) as {
    device?: { id: string };
    error?: { code: string; message: string };
  };
  if (answer.device === undefined) {
    await forgetDevice(options.url);
    const { code = "internal", message = `The server answered ${response.status}.` } = answer.error ?? {};
    throw new BridgeError(code, message);
  }
  await put(options.url, { id: answer.device.id, keys });
  return credentialsOf(answer.device.id, keys);
};

export const loadDevice = async (url: string): Promise<DeviceCredentials | undefined> => {
  const stored = await inBrowserStore<StoredDevice | undefined>(STORE, "readonly", (store) => store.get(keyOf(url)));
  return stored?.id === undefined ? undefined : credentialsOf(stored.id, stored.keys);
};

export const forgetDevice = async (url: string): Promise<void> => {
  await inBrowserStore(STORE, "readwrite", (store) => store.delete(keyOf(url)));
};

const credentialsOf = (id: string, { privateKey }: CryptoKeyPair): DeviceCredentials => ({
  kind: "device",
  id,
  sign: async (text) =>
    base64url(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, new TextEncoder().encode(text))),
});

const keyOf = (url: string): string => new URL(url).origin;
const put = (url: string, device: StoredDevice): Promise<unknown> =>
  inBrowserStore(STORE, "readwrite", (store) => store.put(device, keyOf(url)));

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
