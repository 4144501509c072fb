import { generateKeyPairSync, sign } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { challengeText, ROLES } from "@quarterdeck/session/bridge";
import { ServerError } from "../server-error.ts";
import { openAccess } from "./access.ts";
import type { ServerAccess } from "./access.ts";

let folder: string;
let dataDir: string;
let time = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-access-"));
  dataDir = join(folder, "deep", "data");
  time = 1_700_000_000_000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const opened = (): ServerAccess => openAccess({ dataDir, now: () => time });
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const bearer = (access: ServerAccess, token: string) => access.bearer(`Bearer ${token}`, "192.0.2.1");

describe("the secret (S4, S30)", () => {
  it("is made at the first start, private, and stays", () => {
    const first = opened();
    expect([modeOf(dataDir), modeOf(join(dataDir, "secret"))]).toEqual(["700", "600"]);
    expect(Buffer.from(readFileSync(join(dataDir, "secret"), "utf8"), "base64url")).toHaveLength(32);
    expect(opened().serverId).toBe(first.serverId);
    dataDir = join(folder, "other");
    expect(opened().serverId).not.toBe(first.serverId);
  });

  it("makes a folder private that others could read", () => {
    mkdirSync(dataDir, { recursive: true, mode: 0o755 });
    opened();
    expect(modeOf(dataDir)).toBe("700");
  });

  it.each(["secret", "devices.json"])("is refused if others can read it, or if it is a link: %s", (name) => {
    opened().addToken({ role: "view", name: "p" });
    chmodSync(join(dataDir, name), 0o640);
    expect(opened).toThrow(/can be read by others \(mode 640\)/u);
    rmSync(join(dataDir, name));
    writeFileSync(join(folder, "elsewhere"), "x", { mode: 0o600 });
    symlinkSync(join(folder, "elsewhere"), join(dataDir, name));
    expect(opened).toThrow(/is a link/u);
    expect(readFileSync(join(folder, "elsewhere"), "utf8")).toBe("x");
  });

  it.each([
    ["secret", ""],
    ["secret", "c2hvcnQ"],
    ["devices.json", "{"],
    ["devices.json", '{"version":1,"devices":[{"id":"x"}]}'],
    ["devices.json", '{"version":2,"devices":[]}'],
  ])("is not replaced if it is damaged: %s %s", (name, text) => {
    opened();
    writeFileSync(join(dataDir, name), text, { mode: 0o600 });
    expect(opened).toThrow(ServerError);
    expect(opened).toThrow(/is damaged/u);
    expect(readFileSync(join(dataDir, name), "utf8")).toBe(text);
  });

  it("says what to do if the folder cannot be used", () => {
    mkdirSync(join(folder, "deep"));
    writeFileSync(dataDir, "a file");
    expect(opened).toThrow(/--data-dir/u);
  });
});

describe("devices", () => {
  it("[I1] survive a restart, without their tokens", () => {
    const { id, token } = opened().addToken({ role: "operate", name: "  ci \u001b[31m\u202e  " });
    const text = readFileSync(join(dataDir, "devices.json"), "utf8");
    expect([modeOf(join(dataDir, "devices.json")), text.includes(token.split(".")[1]!)]).toEqual(["600", false]);
    const again = opened();
    expect(again.devices()).toEqual([{ id, name: "ci  [31m", kind: "program", role: "operate", createdAt: time }]);
    expect(bearer(again, token)).toEqual({ ok: true, device: { ...again.devices()[0], lastSeenAt: time } });
  });

  it("prove nothing to another server (S43)", () => {
    const { token } = opened().addToken({ role: "admin", name: "p" });
    const devices = readFileSync(join(dataDir, "devices.json"), "utf8");
    rmSync(join(dataDir, "secret"));
    const other = opened();
    expect(readFileSync(join(dataDir, "devices.json"), "utf8")).toBe(devices);
    expect(bearer(other, token)).toMatchObject({ ok: false, code: "unauthenticated" });
  });

  it("[I1] are out at once when they are revoked, also after a restart, and listeners are called", () => {
    const access = opened();
    const { id, token } = access.addToken({ role: "admin", name: "p" });
    const heard: string[] = [];
    const stop = access.onRevoked((gone) => heard.push(gone));
    expect([access.revoke(id), access.revoke(id), access.revoke("this-computer")]).toEqual([true, false, false]);
    expect([heard, access.device(id)]).toEqual([[id], undefined]);
    expect(bearer(access, token).ok).toBe(false);
    expect(bearer(opened(), token).ok).toBe(false);
    stop();
    access.revoke(access.addToken({ role: "view", name: "q" }).id);
    expect(heard).toEqual([id]);
  });

  it("have the role of their record (S7)", () => {
    const access = opened();
    const roles = ROLES.map((role) => access.device(access.addToken({ role, name: role }).id)?.role);
    expect(roles).toEqual([...ROLES]);
    expect([access.device("nobody"), access.device("__proto__")]).toEqual([undefined, undefined]);
  });

  it("[I1] have a last-seen time, which is saved when the server stops", () => {
    const access = opened();
    const { token } = access.addToken({ role: "view", name: "p" });
    time += 100_000;
    bearer(access, token);
    expect(opened().devices()[0]!.lastSeenAt).toBeUndefined();
    access.close();
    expect(opened().devices()[0]!.lastSeenAt).toBe(time);
  });
});

describe("[I1] the local token", () => {
  it("has the role admin, is in no list and no file, and ends with the process", () => {
    const access = opened();
    const token = access.localToken();
    expect(bearer(access, token)).toMatchObject({ ok: true, device: { id: "this-computer", role: "admin" } });
    expect([access.devices(), access.device("this-computer")?.role]).toEqual([[], "admin"]);
    access.close();
    expect(bearer(opened(), token).ok).toBe(false);
  });

  it("does not exist before it was made", () => {
    const access = opened();
    for (const token of ["this-computer.", "this-computer.a", "."]) expect(bearer(access, token).ok).toBe(false);
  });
});

describe("[I2] failures", () => {
  it("are counted by address, and an IPv6 network counts as one", () => {
    const access = opened();
    const codes = (remote: string) => {
      const outcome = access.bearer("Bearer a.b", remote);
      return outcome.ok ? "in" : outcome.code;
    };
    const six = Array.from({ length: 6 }, (_, n) => codes(`2001:db8:0:1::${String(n + 1)}`));
    expect(six).toEqual([...Array.from({ length: 5 }, () => "unauthenticated"), "limit"]);
    expect([codes("2001:db8:0:2::1"), codes("192.0.2.9")]).toEqual(["unauthenticated", "unauthenticated"]);
    time += 60_000;
    expect(codes("2001:db8:0:1::1")).toBe("unauthenticated");
  });

  it("never lock out a valid credential", () => {
    const access = opened();
    const { token } = access.addToken({ role: "view", name: "p" });
    for (let n = 0; n < 100; n++) access.bearer("Bearer a.b", "192.0.2.1");
    expect(bearer(access, token).ok).toBe(true);
  });
});

describe("a valid credential (S41)", () => {
  it("[S41] is never refused because of failures at the same address: token, signature or code", async () => {
    const access = opened();
    access.openDoors({ hosts: new Set(), origins: new Set(), aliases: new Set(), linkOrigin: "http://127.0.0.1:1" });
    const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const publicKey = keys.publicKey.export({ format: "der", type: "spki" }).toString("base64url");
    const { token } = access.addToken({ role: "view", name: "p" });
    const remote = "127.0.0.1";
    const { code } = access.pair({ role: "view" });
    const fail = () => {
      for (let n = 0; n < 50; n++) {
        access.bearer("Bearer a.b", remote);
        access.authenticate({ id: "nobody", signature: "", nonce: "n", origin: "o", remote });
        access.redeem({ code: "guess", name: "", publicKey, remote });
      }
    };
    fail();
    expect(access.bearer("Bearer a.b", remote)).toMatchObject({ ok: false, code: "limit" });
    expect(access.bearer(`Bearer ${token}`, remote).ok).toBe(true);
    const paired = access.redeem({ code, name: "a browser", publicKey, remote });
    if (!paired.ok) throw new Error(paired.message);
    fail();
    const text = challengeText({ serverId: access.serverId, origin: "o", nonce: "n" });
    const signature = sign("sha256", Buffer.from(text), { key: keys.privateKey, dsaEncoding: "ieee-p1363" });
    const claim = { id: paired.device.id, signature: signature.toString("base64url"), nonce: "n", origin: "o", remote };
    expect(access.authenticate(claim).ok).toBe(true);
  });
});

describe("[I2] pairing codes", () => {
  it("are random, limited in number, and need an address", () => {
    const access = opened();
    expect(() => access.pair({ role: "view" })).toThrow(/does not listen/u);
    access.openDoors({ hosts: new Set(), origins: new Set(), aliases: new Set(), linkOrigin: "http://127.0.0.1:1" });
    const codes = Array.from({ length: 50 }, () => access.pair({ role: "view" }).code);
    expect([new Set(codes).size, Buffer.from(codes[0]!, "base64url").length]).toEqual([50, 16]);
    const redeem = (code: string) => access.redeem({ code, name: "", publicKey: P256, remote: "192.0.2.1" });
    expect([redeem(codes[0]!).ok, redeem(codes[29]!).ok, redeem(codes[30]!).ok, redeem(codes[49]!).ok]).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

/** A public key, as a browser exports it. */
const P256 =
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li_hp_m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q";
