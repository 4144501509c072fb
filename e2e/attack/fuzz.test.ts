// Hostile request lines, headers and first frames, sent to both ports. The same seed gives the same bytes. Afterwards the server is
// still the same process, and its log has no bug.

import { describe, expect, it } from "vitest";
import { Bench } from "../bridge/bench.ts";
import { RawClient } from "../bridge/raw-client.ts";
import { App } from "../ccpocket/app.ts";
import { seeded } from "@quarterdeck/test-kit/seeded";
import { bridgePort, CCPOCKET, ccpocketPort, closed, frame, KEY, rawSocket, upgradeHead } from "./ports.ts";

const shared = Bench.shared(CCPOCKET);

class Dice {
  readonly #next: () => number;
  constructor(seed: number) {
    this.#next = seeded(seed);
  }
  below(most: number): number {
    return Math.floor(this.#next() * most);
  }
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
  chance(share: number): boolean {
    return this.#next() < share;
  }
  bytes(most: number): Buffer {
    return Buffer.from(Array.from({ length: this.below(most) }, () => this.below(256)));
  }
}

const METHODS = [
  "GET",
  "POST",
  "PUT",
  "HEAD",
  "OPTIONS",
  "CONNECT",
  "TRACE",
  "PRI",
  "get",
  "",
  "G\0T",
  "X".repeat(300),
];
const TARGETS = [
  ...[
    "/",
    "//",
    "///",
    "//evil.example",
    "//@",
    "//:0",
    "//[",
    "//[::1",
    "//%",
    "/\\",
    "\\\\",
    "*",
    "",
    "?",
    "#",
    "/?",
    "/#",
  ],
  ...[
    "/%",
    "/%zz",
    "/%00",
    "/%c0%af",
    "/%ff%fe",
    "/..%2f..%2fetc/passwd",
    "/.",
    "/..",
    "/bridge",
    "/bridge/",
    "//bridge",
  ],
  ...[
    "/health",
    "/healthz",
    "/metrics",
    "/pair",
    "/t/",
    `/t/${"a".repeat(43)}`,
    "/?token=",
    "/?token=a.b",
    "//?token=a.b",
  ],
  ...["/?token=%", "/?token=%00", "/?token=%0d%0aX:1", "/?token=a&token=b", "/?%74oken=x", "/?__proto__=1", "?token=x"],
  ...[
    "http://127.0.0.1/",
    "http://",
    "http:",
    "http://[",
    "https://evil.example:99999/",
    "file:///etc/passwd",
    "javascript:1",
  ],
  ...[
    "127.0.0.1:80",
    "evil.example:443",
    ":::",
    "[::1]:1",
    "/\u00ff",
    `/${"a".repeat(15_000)}`,
    "/\u0001",
    "/ /",
    "/\t",
  ],
];
const VERSIONS = ["HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9.9", "http/1.1", "", "HTTP/1.1 x", "RTSP/1.0"];
const HEADERS = [
  ...[
    "Upgrade: websocket",
    "Upgrade: h2c",
    "Upgrade: websocket, websocket",
    "Upgrade:",
    "Connection: Upgrade",
    "Connection: close",
  ],
  ...[
    "Connection: keep-alive, Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Version: 8",
    "Sec-WebSocket-Version: x",
  ],
  ...[`Sec-WebSocket-Key: ${KEY}`, "Sec-WebSocket-Key: short", "Sec-WebSocket-Key:", "Sec-WebSocket-Protocol: a, b"],
  ...["Sec-WebSocket-Protocol: ,", "Sec-WebSocket-Extensions: permessage-deflate", "Sec-WebSocket-Extensions: ;;=,"],
  ...[
    "Content-Length: 0",
    "Content-Length: -1",
    "Content-Length: 99999999999999999999",
    "Content-Length: 5",
    "Content-Length: 1x",
  ],
  ...[
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: identity",
    "Expect: 100-continue",
  ],
  ...[
    "Expect: nonsense",
    "Host: evil.example",
    "Host:",
    "Host: a, b",
    "Host: [",
    "Origin: null",
    "Origin: http://127.0.0.1",
  ],
  ...[
    "Origin: //",
    "Authorization: Bearer a.b",
    "Authorization:",
    "Authorization: Bearer",
    "Authorization: Basic Og==",
  ],
  ...[
    "X-Forwarded-For: , ,",
    "X-Forwarded-Host: x",
    "X-Forwarded-Proto: https",
    "Forwarded: for=_",
    "Cookie: a=b; ;;=",
    "Range: bytes=0-",
  ],
  ...[
    "If-None-Match: *",
    'If-None-Match: "',
    "Accept-Encoding: br;q=x, *;q=0, ,",
    "Sec-Fetch-Site: cross-site",
    "__proto__: 1",
  ],
  ...[
    "constructor: 1",
    " folded",
    ": empty",
    "no colon",
    "Bad Name: x",
    "X: \u0000",
    "X: \u00ff\u0080",
    `X: ${"y".repeat(17_000)}`,
  ],
];
const BODIES = [
  "",
  "{}",
  "0\r\n\r\n",
  "ffffffffff\r\n",
  "5\r\nabcde\r\n0\r\n\r\n",
  "-1\r\n",
  '{"code":',
  "\0\0\0",
  "[".repeat(3000),
];

const requestBytes = (dice: Dice, port: number): Buffer => {
  const lines = [[dice.pick(METHODS), dice.pick(TARGETS), dice.pick(VERSIONS)].join(" ")];
  if (dice.chance(0.6)) lines[0] = `GET ${dice.pick(TARGETS)} HTTP/1.1`;
  if (dice.chance(0.8)) lines.push(`Host: 127.0.0.1:${String(port)}`);
  if (dice.chance(0.5)) lines.push("Upgrade: websocket", "Connection: Upgrade");
  if (dice.chance(0.4)) lines.push("Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${KEY}`);
  if (dice.chance(0.3)) lines.push(`Origin: http://127.0.0.1:${String(port)}`);
  for (let more = dice.below(5); more > 0; more--) lines.push(dice.pick(HEADERS));
  if (dice.chance(0.01)) for (let more = 0; more < 2500; more++) lines.push(`A${String(more)}: b`);
  const text = `${lines.join("\r\n")}\r\n\r\n${dice.pick(BODIES)}`;
  const bytes = Buffer.concat([Buffer.from(text, "latin1"), dice.chance(0.3) ? frameBytes(dice) : dice.bytes(40)]);
  // A changed byte, or a missing end.
  if (dice.chance(0.2)) bytes[dice.below(Math.min(200, bytes.length))] = dice.below(256);
  return dice.chance(0.1) ? bytes.subarray(0, dice.below(bytes.length)) : bytes;
};

const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"bridge":1,"client":{"name":"x","version":"1"}}}';
const TEXTS = [
  ...[
    "",
    "{",
    "null",
    "[]",
    "1",
    '"x"',
    "{}",
    INITIALIZE,
    INITIALIZE.replace("1}}", '1},"role":"admin"}'),
    `[${INITIALIZE}]`,
  ],
  ...[
    '{"jsonrpc":"2.0","method":"session/ack","params":{}}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"type":"list_sessions"}',
  ],
  ...[
    '{"type":"__proto__"}',
    '{"type":{"toString":1}}',
    '{"__proto__":{"type":"start"}}',
    '{"type":"start","projectPath":"//"}',
  ],
  ...[
    "[".repeat(4000),
    `${"[".repeat(2000)}${"]".repeat(2000)}`,
    `{"a":${'{"a":'.repeat(700)}`,
    "\ud800",
    "1e999",
    "x".repeat(5000),
  ],
  ...[
    `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"device":{"id":"__proto__","signature":"${"A".repeat(86)}"}}}`,
  ],
  ...[INITIALIZE.replace('"x"', `"${"x".repeat(3900)}"`), INITIALIZE.replace('"x"', '"\\u0000\\ud800"')],
];

const frameBytes = (dice: Dice): Buffer => {
  const payload = dice.chance(0.7) ? Buffer.from(dice.pick(TEXTS)) : dice.bytes(300);
  const kind = dice.below(14);
  switch (kind) {
    case 0:
      return frame(payload, { masked: false });
    case 1:
      return frame(payload, { reserved: dice.pick([0x10, 0x20, 0x40, 0x70]) });
    case 2:
      return frame(payload, { opcode: dice.below(16) });
    case 3:
      return Buffer.concat([frame(payload, { final: false }), frame(payload, { opcode: dice.pick([0, 1, 9]) })]);
    case 4:
      // A control frame that is too long, or claims to be.
      return frame(Buffer.alloc(126), { opcode: dice.pick([8, 9, 10]) });
    case 5:
      return frame(Buffer.from([0xc3, 0x28, 0xff]), {});
    case 6: {
      const code = Buffer.alloc(2);
      code.writeUInt16BE(dice.pick([0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535]));
      return frame(Buffer.concat([code, dice.bytes(20)]), { opcode: 8 });
    }
    case 7:
      return frame(Buffer.alloc(1), { opcode: 8 });
    case 8:
      // The header announces far more than is sent.
      return frame(payload, { length: dice.pick([4097, 70_000, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER]) });
    case 9:
      return Buffer.concat(Array.from({ length: 20 }, () => frame("", { opcode: dice.pick([9, 10]) })));
    case 10:
      return Buffer.concat(
        Array.from({ length: 50 }, (_, at) => frame("", { opcode: at === 0 ? 1 : 0, final: false })),
      );
    case 11:
      return dice.bytes(200);
    default:
      return Buffer.concat([frame(payload), frame(dice.pick(TEXTS))]);
  }
};

const AT_ONCE = 100;
/** Long enough for an answer, short enough for thousands of tries. Then the client closes the connection. */
const PATIENCE_MS = 100;

const attack = async (port: number, cases: readonly (() => Buffer[])[]): Promise<void> => {
  const waiting = [...cases];
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const socket = await rawSocket(port);
      socket.resume();
      for (const chunk of next()) socket.write(chunk);
      socket.setTimeout(PATIENCE_MS, () => socket.destroy());
      await closed(socket);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
};

/** The answers to a good client of each kind, whether the process is the same, and the bugs in its log. */
const stateOf = async (bench: Bench) => {
  const client = await RawClient.open(bench.server);
  const pinged: unknown = await client.call("ping");
  await client.drop();
  const app = new App(ccpocketPort(bench), bench.server.token);
  const { type } = await app.hearType("session_list");
  app.close();
  const bugs = bench.server.output().match(/"event":"(?:listener|frame|call|request|ccpocket) failed".*/gu);
  // Signal 0 checks that the process exists.
  return { pinged, told: type as unknown, isThere: process.kill(bench.server.pid, 0), bugs };
};
const WELL = { pinged: {}, told: "session_list", isThere: true, bugs: null };

describe("a request line", () => {
  it("[S48] of `GET //` with an upgrade closes only its own connection, at both ports", async () => {
    const bench = await shared();
    for (const port of [bridgePort(bench), ccpocketPort(bench)]) {
      const targets = TARGETS.filter((target) => target.length < 100);
      await attack(
        port,
        targets.map((path) => () => [Buffer.from(upgradeHead(port, { path }), "latin1")]),
      );
    }
    expect(await stateOf(bench)).toEqual(WELL);
  });
});

describe("a fuzz", () => {
  it("[S48] of request lines and headers leaves both ports as they were", async () => {
    const bench = await shared();
    for (const [at, port] of [bridgePort(bench), ccpocketPort(bench)].entries()) {
      const dice = new Dice(48 + at);
      const cases = Array.from({ length: 1500 }, () => {
        const bytes = requestBytes(dice, port);
        const cut = dice.below(bytes.length);
        return () => (cut % 3 === 0 ? [bytes.subarray(0, cut), bytes.subarray(cut)] : [bytes]);
      });
      await attack(port, cases);
    }
    expect(await stateOf(bench)).toEqual(WELL);
  });

  it("[S48] of first frames leaves both ports as they were: during the handshake, without and with a credential", async () => {
    const bench = await shared();
    const { token, url } = bench.server;
    for (const [at, port] of [bridgePort(bench), ccpocketPort(bench)].entries()) {
      const dice = new Dice(39 + at);
      const bearer = { Authorization: `Bearer ${token}` };
      const heads =
        at === 0
          ? [upgradeHead(port, { headers: { Origin: url } }), upgradeHead(port, { headers: bearer })]
          : [upgradeHead(port, { path: `/?token=${token}` }), upgradeHead(port, { path: "/?token=a.b" })];
      const cases = Array.from({ length: 1000 }, () => {
        const head = Buffer.from(dice.pick(heads));
        const frames = Array.from({ length: 1 + dice.below(3) }, () => frameBytes(dice));
        const early = dice.chance(0.5);
        return () => (early ? [Buffer.concat([head, ...frames])] : [head, ...frames]);
      });
      await attack(port, cases);
    }
    expect(await stateOf(bench)).toEqual(WELL);
  });
});
