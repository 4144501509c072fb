import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { areSubscriptionKeys, encrypt, MOST_PLAIN_BYTES, newVapidKeys, signingKeyOf, vapidHeader } from "./web-push.ts";

// The example of RFC 8291, section 5 and appendix A.
const RFC = {
  plain: "When I grow up, I want to be a watermelon",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  receiverPublic: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  receiverPrivate: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  senderPrivate: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  body:
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95" +
    "bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

/** A browser's side, written from the RFC without our code. */
const decrypt = (body: Buffer, privateKey: Buffer, auth: Buffer): Buffer => {
  const [salt, idLength] = [body.subarray(0, 16), body.readUInt8(20)];
  const senderPublic = body.subarray(21, 21 + idLength);
  const own = createECDH("prime256v1");
  own.setPrivateKey(privateKey);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), own.getPublicKey(), senderPublic]);
  const input = Buffer.from(hkdfSync("sha256", own.computeSecret(senderPublic), auth, info, 32));
  const key = Buffer.from(hkdfSync("sha256", input, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16));
  const nonce = Buffer.from(hkdfSync("sha256", input, salt, Buffer.from("Content-Encoding: nonce\0"), 12));
  const sealed = body.subarray(21 + idLength);
  const decipher = createDecipheriv("aes-128-gcm", key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const record = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  const end = record.findLastIndex((byte) => byte !== 0);
  expect(record[end]).toBe(2);
  return record.subarray(0, end);
};

describe("[A6] the encryption of Web Push", () => {
  it("gives the bytes of the example in RFC 8291", () => {
    const keys = { p256dh: RFC.receiverPublic, auth: RFC.auth };
    const fixed = {
      salt: Buffer.from(RFC.salt, "base64url"),
      senderPrivate: Buffer.from(RFC.senderPrivate, "base64url"),
      pad: false,
    };
    expect(encrypt(Buffer.from(RFC.plain), keys, fixed).toString("base64url")).toBe(RFC.body);
  });

  it("gives what the browser decrypts, with new keys each time and a length that says little", () => {
    const browser = createECDH("prime256v1");
    browser.generateKeys();
    const auth = randomBytes(16);
    const keys = { p256dh: browser.getPublicKey().toString("base64url"), auth: auth.toString("base64url") };
    const texts = ["", "a", "x".repeat(1023), "x".repeat(1024), "ä".repeat(900), "x".repeat(MOST_PLAIN_BYTES)];
    const bodies = texts.map((text) => encrypt(Buffer.from(text), keys));
    expect(bodies.map((body) => decrypt(body, browser.getPrivateKey(), auth).toString())).toEqual(texts);
    expect(bodies.map(({ length }) => length)).toEqual([1126, 1126, 1126, 2150, 2150, 4096]);
    expect(new Set(bodies.map((body) => body.subarray(0, 86).toString("hex"))).size).toBe(texts.length);
    expect(() => encrypt(Buffer.alloc(MOST_PLAIN_BYTES + 1), keys)).toThrow("too long");
  });

  it("refuses keys that are not points of the curve, and invalid secrets (S76)", () => {
    const { receiverPublic: p256dh, auth } = RFC;
    expect(areSubscriptionKeys({ p256dh, auth })).toBe(true);
    const off = Buffer.from(p256dh, "base64url");
    off[64] = off[64]! ^ 1;
    const bad = [
      off.toString("base64url"),
      Buffer.alloc(65, 4).toString("base64url"),
      p256dh.slice(1),
      `${p256dh}A`,
      "",
    ];
    expect(bad.map((one) => areSubscriptionKeys({ p256dh: one, auth }))).toEqual(bad.map(() => false));
    expect(areSubscriptionKeys({ p256dh, auth: auth.slice(1) })).toBe(false);
  });
});

describe("[A6] the signature of the sender", () => {
  it("is a token of ES256 for the push service's origin, which its key verifies", () => {
    const keys = newVapidKeys();
    const now = 1_800_000_000_000;
    const header = vapidHeader(
      new URL("https://push.example.net:444/send/abc?x=1"),
      keys.publicKey,
      signingKeyOf(keys),
      now,
    );
    const [, head, claims, signature, k] = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/u.exec(header)!;
    expect(k).toBe(keys.publicKey);
    const decoded = [head, claims].map((part) => JSON.parse(Buffer.from(part!, "base64url").toString()) as unknown);
    expect(decoded).toEqual([
      { typ: "JWT", alg: "ES256" },
      { aud: "https://push.example.net:444", exp: 1_800_000_000 + 43_200, sub: "mailto:nobody@example.com" },
    ]);
    const point = Buffer.from(keys.publicKey, "base64url");
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
    const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: x!, y: y! } });
    const check = (said: string): boolean =>
      verify("sha256", Buffer.from(said), { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature!, "base64url"));
    expect(check(`${head}.${claims}`)).toBe(true);
    expect(check(`${head}.${claims}x`)).toBe(false);
    expect(() => signingKeyOf({ ...keys, publicKey: newVapidKeys().publicKey })).toThrow("belong together");
  });
});
