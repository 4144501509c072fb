import { describe, expect, it } from "vitest";
import { doorsFor, refuseOpenDoors } from "./doors.ts";
import type { DoorOptions } from "./doors.ts";

const options = (given: Partial<DoorOptions>): DoorOptions => ({
  host: "127.0.0.1",
  isTls: false,
  allowHosts: [],
  ...given,
});
const PROXY = { proxies: ["127.0.0.1"] };
const NAMED = { allowHosts: ["deck.example.com"] };

describe("how the server may be started (S6)", () => {
  const refused = (given: Partial<DoorOptions>): string => {
    try {
      refuseOpenDoors(options(given));
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ["this machine", {}],
    ["this machine, by IPv6", { host: "::1" }],
    ["this machine, by name", { host: "localhost" }],
    ["this machine, for a tunnel", NAMED],
    ["every address with TLS and a name", { host: "0.0.0.0", isTls: true, ...NAMED }],
    ["one address with TLS", { host: "192.168.1.5", isTls: true }],
    ["this machine behind a proxy", { ...PROXY, ...NAMED }],
    ["every address behind a proxy", { host: "0.0.0.0", ...PROXY, ...NAMED }],
  ])("allows %s", (_, given) => {
    expect(refused(given)).toBe("");
  });

  it.each([
    ["every address without TLS", { host: "0.0.0.0" }, /Without TLS/u],
    ["every address without TLS, by IPv6", { host: "::" }, /Without TLS/u],
    ["one address without TLS", { host: "192.168.1.5" }, /--tls-cert.*--behind-proxy/u],
    ["one address without TLS, with a name", { host: "192.168.1.5", ...NAMED }, /Without TLS/u],
    ["a name that only looks like this machine", { host: "127.evil.com" }, /Without TLS/u],
    ["every address without a name", { host: "0.0.0.0", isTls: true }, /use --allow-host/u],
    ["a proxy without a name", PROXY, /needs --allow-host/u],
    ["a wildcard", { allowHosts: ["*"] }, /Wildcards are not supported/u],
    ["a wildcard in a name", { allowHosts: ["*.example.com"] }, /Wildcards are not supported/u],
    ["an address with a scheme", { allowHosts: ["https://deck.example.com"] }, /address bar/u],
    ["a name with capitals", { allowHosts: ["Deck.example.com"] }, /address bar/u],
    ["a name with a dot at its end", { allowHosts: ["deck.example.com."] }, /address bar/u],
  ])("refuses %s", (_, given, message) => {
    expect(refused(given)).toMatch(message);
  });
});

describe("[I3] the names of a server", () => {
  const names = (given: Partial<DoorOptions>, port = 7433) => {
    const { hosts, origins, aliases, linkOrigin } = doorsFor(options(given), port);
    return { hosts: [...hosts], origins: [...origins], aliases: [...aliases], linkOrigin };
  };

  it("are this machine's address only", () => {
    expect(names({})).toEqual({
      hosts: ["127.0.0.1:7433"],
      origins: ["http://127.0.0.1:7433"],
      aliases: ["localhost:7433"],
      linkOrigin: "http://127.0.0.1:7433",
    });
    expect(names({ host: "::1" }).origins).toEqual(["http://[::1]:7433"]);
    expect(names({}, 80).origins).toEqual(["http://127.0.0.1"]);
  });

  it("are those of the proxy, with HTTPS", () => {
    expect(
      names({ ...PROXY, allowHosts: ["deck.example.com", "deck.example.com:8443", "deck.example.com:443"] }),
    ).toEqual({
      hosts: ["127.0.0.1:7433", "deck.example.com", "deck.example.com:8443"],
      origins: ["http://127.0.0.1:7433", "https://deck.example.com", "https://deck.example.com:8443"],
      aliases: ["localhost:7433"],
      linkOrigin: "https://deck.example.com",
    });
  });

  it("are those of the certificate, with the port", () => {
    expect(names({ host: "0.0.0.0", isTls: true, ...NAMED })).toEqual({
      hosts: ["127.0.0.1:7433", "deck.example.com:7433"],
      origins: ["https://deck.example.com:7433"],
      aliases: [],
      linkOrigin: "https://deck.example.com:7433",
    });
    expect(names({ host: "192.168.1.5", isTls: true }, 443).origins).toEqual(["https://192.168.1.5"]);
  });

  it("are those of a tunnel, as the user wrote them", () => {
    expect(names({ allowHosts: ["localhost:8000"] })).toMatchObject({
      origins: ["http://127.0.0.1:7433", "http://localhost:8000"],
      linkOrigin: "http://localhost:8000",
    });
    expect(names({ allowHosts: ["localhost"] })).toMatchObject({
      hosts: ["127.0.0.1:7433", "localhost:7433"],
      aliases: [],
    });
  });
});
