// Web Push: the encryption of a message for one browser (RFC 8291, aes128gcm of RFC 8188) and the signature that names the sender (VAPID,
// RFC 8292). Pure: keys and bytes in, bytes and headers out. The push service sees neither the text nor its length.

import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
} from "node:crypto";
import type { KeyObject } from "node:crypto";

/** What a browser gives for a subscription, in base64url: its public key (65 bytes) and a shared secret (16 bytes). */
export interface SubscriptionKeys {
  readonly p256dh: string;
  readonly auth: string;
}

export interface VapidKeys {
  /** Uncompressed point of P-256, base64url. Browsers get it as `applicationServerKey`. */
  readonly publicKey: string;
  /** The private scalar, base64url. */
  readonly privateKey: string;
}

const CURVE = "prime256v1";
const RECORD_BYTES = 4096;
const TAG_BYTES = 16;
/** Salt, record size, length of the key id, and the key of the sender. */
const HEADER_BYTES = 16 + 4 + 1 + 65;
/** Push services accept 4096 bytes. */
export const MOST_PLAIN_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - 1;
/** Messages are padded to a multiple of this, so that their length says little. */
const BLOCK_BYTES = 1024;
const TOKEN_SECONDS = 12 * 60 * 60;
/** Push services want an address of the sender. Ours has none, and names nobody. */
const SUBJECT = "mailto:nobody@example.com";

/** For tests with the vector of the RFC. */
export interface FixedParts {
  readonly salt: Buffer;
  readonly senderPrivate: Buffer;
  readonly pad?: boolean;
}

/** Returns the body of the request. Throws if the keys are not points and secrets, or if the text is too long. */
export const encrypt = (plain: Buffer, keys: SubscriptionKeys, fixed?: FixedParts): Buffer => {
  if (plain.length > MOST_PLAIN_BYTES) throw new RangeError("The message is too long for Web Push.");
  const receiver = Buffer.from(keys.p256dh, "base64url");
  const secret = Buffer.from(keys.auth, "base64url");
  const sender = createECDH(CURVE);
  if (fixed === undefined) sender.generateKeys();
  else sender.setPrivateKey(fixed.senderPrivate);
  const senderPublic = sender.getPublicKey();
  const salt = fixed?.salt ?? randomBytes(16);

  const info = Buffer.concat([Buffer.from("WebPush: info\0"), receiver, senderPublic]);
  const input = derive(sender.computeSecret(receiver), secret, info, 32);
  const key = derive(input, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(input, salt, Buffer.from("Content-Encoding: nonce\0"), 12);

  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  // 2 marks the last record. Zeros follow it as padding.
  const padding = Buffer.alloc(fixed?.pad === false ? 0 : paddingFor(plain.length));
  const record = Buffer.concat([cipher.update(plain), cipher.update(Buffer.from([2])), cipher.update(padding)]);
  const sealed = Buffer.concat([record, cipher.final(), cipher.getAuthTag()]);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(RECORD_BYTES, 0);
  header.writeUInt8(senderPublic.length, 4);
  return Buffer.concat([salt, header, senderPublic, sealed]);
};

const paddingFor = (length: number): number => {
  const blocks = Math.ceil((length + 1) / BLOCK_BYTES) * BLOCK_BYTES;
  return Math.min(blocks - 1, MOST_PLAIN_BYTES) - length;
};

const derive = (key: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", key, salt, info, length));

/** Whether these can be the keys of a browser: a point of the curve, and a secret of 16 bytes. */
export const areSubscriptionKeys = ({ p256dh, auth }: SubscriptionKeys): boolean => {
  if (!/^[\w-]{87}$/u.test(p256dh) || !/^[\w-]{22}$/u.test(auth)) return false;
  try {
    const probe = createECDH(CURVE);
    probe.generateKeys();
    probe.computeSecret(Buffer.from(p256dh, "base64url"));
    return true;
  } catch {
    // Not a point of the curve.
    return false;
  }
};

export const newVapidKeys = (): VapidKeys => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: CURVE });
  const { x, y, d } = privateKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")]);
  return { publicKey: point.toString("base64url"), privateKey: d! };
};

/** Throws if the two keys do not belong together. */
export const signingKeyOf = ({ publicKey, privateKey }: VapidKeys): KeyObject => {
  const pair = createECDH(CURVE);
  pair.setPrivateKey(Buffer.from(privateKey, "base64url"));
  const point = pair.getPublicKey();
  if (point.toString("base64url") !== publicKey) throw new Error("The keys do not belong together.");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  return createPrivateKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: x!, y: y!, d: privateKey } });
};

/** The `Authorization` header for one push service. It is valid for twelve hours, and for this service only. */
export const vapidHeader = (endpoint: URL, publicKey: string, key: KeyObject, now: number): string => {
  const claims = { aud: endpoint.origin, exp: Math.floor(now / 1000) + TOKEN_SECONDS, sub: SUBJECT };
  const said = [{ typ: "JWT", alg: "ES256" }, claims].map((part) => textOf(part)).join(".");
  const signature = sign("sha256", Buffer.from(said), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
  return `vapid t=${said}.${signature}, k=${publicKey}`;
};

const textOf = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
