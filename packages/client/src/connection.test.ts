import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connect } from "./connect.ts";
import { callAll } from "./listeners.ts";
import type { Client, ConnectionState, Credentials } from "./contract.ts";
import { ModelServer, ModelSocket, NOTHING, Refused } from "./model-server.fixture.ts";

let server: ModelServer;
let clients: Client[];
const TOKEN: Credentials = { kind: "token", token: "secret" };

beforeEach(() => {
  vi.useFakeTimers();
  server = new ModelServer();
  clients = [];
});
afterEach(() => {
  for (const client of clients) client.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const open = (credentials: Credentials = TOKEN): Client => {
  const client = connect({
    url: "http://127.0.0.1:1",
    credentials,
    client: { name: "test", version: "1" },
    openSocket: server.openSocket,
  });
  clients.push(client);
  return client;
};
const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const STABLE = 5_000;
/** Records how a promise settles. */
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no failure",
    (error: unknown) => error,
  );
const prompt = { session: "a", content: "hello" };

describe("authentication", () => {
  it("[C1] signs the challenge of this server, this origin and this socket, and sends nothing before", async () => {
    const signed: string[] = [];
    const sign = async (text: string): Promise<string> => {
      signed.push(text);
      return "signature";
    };
    const client = open({ kind: "device", id: "phone", sign });
    void client.call("projects/list", {}).catch(() => {});
    server.answers["initialize"] = () => NOTHING;
    await settle(1);
    expect(signed).toEqual(["quarterdeck-bridge-1\ns\nhttp://127.0.0.1:1\nn"]);
    expect(server.headers).toEqual([{ origin: "http://127.0.0.1:1" }]);
    expect(server.socket.said).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          bridge: 1,
          client: { name: "test", version: "1" },
          device: { id: "phone", signature: "signature" },
        },
      },
    ]);
  });

  it("[C1] the token of a program is sent only in the header", async () => {
    const client = open();
    await settle();
    expect(client.state).toMatchObject({ status: "open" });
    expect(client.info).toMatchObject({ device: { role: "admin" } });
    expect(server.headers).toEqual([{ authorization: "Bearer secret" }]);
    expect(JSON.stringify(server.socket.said)).not.toContain("secret");
  });
});

describe("reconnection", () => {
  it("[C2] starts at once after a connection that lasted", async () => {
    const client = open();
    await settle(STABLE);
    server.socket.drop();
    expect(client.state).toMatchObject({ status: "waiting", attempt: 1, retryAt: Date.now() });
    await settle();
    expect(server.sockets).toHaveLength(2);
    expect(client.state.status).toBe("open");
  });

  it("[C2] waits longer after each failure, with jitter down to half", async () => {
    const quick = Array.from({ length: 12 }, () => 1500);
    for (const [chance, delays] of [
      [0, [125, 250, 500, ...quick.map((each) => each / 2), 7500, 7500]],
      [1, [250, 500, 1000, ...quick, 15_000, 15_000]],
    ] as const) {
      vi.spyOn(Math, "random").mockReturnValue(chance);
      server.isDown = true;
      const client = open();
      const waits: number[] = [];
      client.onState((state) => {
        if (state.status === "waiting") waits.push(state.retryAt - Date.now());
      });
      await settle(60_000);
      expect(waits.slice(0, delays.length)).toEqual(delays);
      client.close();
    }
  });

  it("[C2] backs off from a server that accepts and closes at once", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const client = open();
    client.onState(({ status }) => {
      if (status === "open") queueMicrotask(() => server.socket.drop(1011, "broken"));
    });
    await settle(10_000);
    expect(server.sockets.length).toBeLessThan(12);
    expect(client.state).toMatchObject({ status: "waiting", reason: "broken" });
  });

  it("[C2] waits longer after `tooMany`", async () => {
    const client = open();
    await settle(STABLE);
    server.socket.drop(4029, "too many");
    expect(client.state).toMatchObject({ status: "waiting", retryAt: Date.now() + 5_000 });
  });

  it("[C2] gives up an attempt that hangs", async () => {
    server.isSilent = true;
    const client = open();
    await settle(15_000);
    expect(client.state).toMatchObject({ status: "waiting", reason: "The server did not answer in time." });
  });

  it("[C2] an invalid address is a bug, not a failure", () => {
    const options = { credentials: TOKEN, client: { name: "t", version: "1" } };
    expect(() => connect({ ...options, url: "nowhere" })).toThrow("Invalid URL");
  });

  it.each([
    ["the network is back", (window: EventTarget) => window.dispatchEvent(new Event("online"))],
    [
      "the page is seen",
      (_: EventTarget, document: EventTarget) => document.dispatchEvent(new Event("visibilitychange")),
    ],
    ["the program asks", (_: EventTarget, __: EventTarget, client: Client) => client.retryNow()],
  ])("[C3] does not wait when %s", async (_, wake) => {
    const window = new EventTarget();
    const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
    vi.stubGlobal("window", window);
    vi.stubGlobal("document", document);
    server.isDown = true;
    const client = open();
    await settle(20_000);
    expect(client.state.status).toBe("waiting");
    server.isDown = false;
    wake(window, document, client);
    await settle();
    expect(client.state.status).toBe("open");
  });

  it("[C3] an attempt that started on a lost network starts again", async () => {
    server.isSilent = true;
    const client = open();
    await settle(4_000);
    server.isSilent = false;
    client.retryNow();
    await settle();
    expect(client.state.status).toBe("open");
    expect(server.sockets.map(({ readyState }) => readyState)).toEqual([3, 1]);
  });
});

describe("silence", () => {
  it("[C4] pings a silent server, and keeps a socket that answers", async () => {
    const client = open();
    await settle(60_000);
    expect(server.sockets).toHaveLength(1);
    expect(server.socket.calls("ping").length).toBeGreaterThan(3);
    expect(client.state).toMatchObject({ status: "open", latencyMs: 0 });
  });

  it("[C4] gives up a half-open socket within twenty seconds", async () => {
    const client = open();
    await settle(STABLE);
    server.isSilent = true;
    const states: ConnectionState[] = [];
    client.onState((state) => states.push(state));
    await settle(20_000);
    expect(states[0]).toMatchObject({ status: "waiting", reason: "The server has gone silent." });
  });

  it("[C4] a server without `ping` counts as alive", async () => {
    server.answers["ping"] = () => {
      throw new Refused("unknown-method", "There is no method ping.");
    };
    open();
    await settle(60_000);
    expect(server.sockets).toHaveLength(1);
  });

  it("[C4] pings again first if a timer is late because this machine slept", async () => {
    const client = open();
    await settle(STABLE);
    server.answers["ping"] = () => NOTHING;
    await settle(4_000); // pinged, not answered yet
    expect(server.socket.calls("ping")).toHaveLength(1);
    vi.setSystemTime(Date.now() + 3_600_000);
    await settle(7_000);
    expect(client.state.status).toBe("open");
    server.socket.tell({ method: "server/notice", params: { level: "info", code: "version", text: "" } });
    await settle(7_000);
    expect(server.sockets).toHaveLength(1);
  });

  it("[C4] a frame that is not JSON closes the socket", async () => {
    const client = open();
    await settle();
    server.socket.dispatchEvent(new MessageEvent("message", { data: "<html>" }));
    expect(client.state).toMatchObject({ status: "waiting", reason: "The server sent text that is not JSON." });
  });
});

describe("refused", () => {
  it.each([
    ["unauthenticated", 4001],
    ["revoked", 4003],
  ])("[C5] %s: makes no further attempts and fails every call", async (code, closed) => {
    const client = open();
    await settle();
    server.answers["session/prompt"] = () => NOTHING;
    const failure = failureOf(client.command("session/prompt", prompt));
    server.socket.drop(closed, "Out.");
    expect(await failure).toMatchObject({ code });
    expect(client.state).toEqual({ status: "refused", code, reason: "Out." });
    await expect(client.call("projects/list", {})).rejects.toMatchObject({ code, message: "Out." });
    await settle(60_000);
    expect(server.sockets).toHaveLength(1);
    client.retryNow();
    await settle();
    expect(client.state.status).toBe("open");
  });

  it.each([
    ["unauthenticated", "unauthenticated"],
    ["unsupported", "version"],
  ] as const)("[C5] `initialize` answered with %s", async (answer, code) => {
    server.answers["initialize"] = () => {
      throw new Refused(answer, "No.");
    };
    const client = open();
    await settle();
    expect(client.state).toEqual({ status: "refused", code, reason: "No." });
  });

  it("[C5] an invalid token is a refusal, as `ws` reports it", async () => {
    const client = connect({
      url: "http://127.0.0.1:1",
      credentials: TOKEN,
      client: { name: "test", version: "1" },
      openSocket: () => {
        const socket = new ModelSocket(server);
        queueMicrotask(() => {
          socket.dispatchEvent(Object.assign(new Event("error"), { message: "Unexpected server response: 401" }));
          socket.drop();
        });
        return socket as unknown as WebSocket;
      },
    });
    clients.push(client);
    await settle(1);
    expect(client.state).toMatchObject({ status: "refused", code: "unauthenticated" });
  });

  it("[C5] retries after it was too slow to authenticate", async () => {
    server.answers["initialize"] = () => NOTHING;
    const client = open();
    await settle(1);
    server.socket.drop(4001, "too slow");
    expect(client.state).toMatchObject({ status: "waiting", reason: "too slow" });
    delete server.answers["initialize"];
    await settle(1_000);
    expect(client.state.status).toBe("open");
  });

  it("[C5] too many attempts are not a refusal", async () => {
    server.answers["initialize"] = (_, socket) => {
      setTimeout(() => socket.drop(4001, "Not let in."));
      throw new Refused("limit", "Wait a minute.");
    };
    const client = open();
    await settle();
    expect(client.state).toMatchObject({ status: "waiting", reason: "Wait a minute." });
  });
});

describe("closed", () => {
  it("[C6] leaves nothing behind", async () => {
    const client = open();
    await settle();
    client.sessions.subscribe(() => {});
    server.apply("a");
    client.session("a");
    server.answers["session/prompt"] = () => NOTHING;
    const failure = failureOf(client.command("session/prompt", prompt));
    await settle(10);
    client.close();
    expect(await failure).toMatchObject({ code: "closed" });
    expect(client.state).toEqual({ status: "closed" });
    expect(server.socket.readyState).toBe(3);
    await expect(client.call("projects/list", {})).rejects.toMatchObject({ code: "closed" });
    client.retryNow();
    await settle(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(server.sockets).toHaveLength(1);
  });
});

describe("calls", () => {
  it("[K1] wait for the connection", async () => {
    server.isDown = true;
    const client = open();
    const listed = client.call("sessions/list", {});
    await settle(100);
    server.isDown = false;
    await settle(1_000);
    await expect(listed).resolves.toEqual({ sessions: [], total: 0 });
  });

  it("[K2] unanswered commands are sent again, in order, with their ids, and run once", async () => {
    const client = open();
    await settle(STABLE);
    server.holds = true; // done, but the answers are lost
    const first = client.command("session/prompt", { ...prompt, content: "first" });
    const second = client.command("session/prompt", { ...prompt, content: "second" });
    await settle();
    expect([...server.done.values()]).toEqual(["first", "second"]);
    server.holds = false;
    server.socket.drop();
    const third = client.command("session/prompt", { ...prompt, content: "third" });
    await settle();
    const answers = await Promise.all([first, second, third]);
    expect([...server.done.values()]).toEqual(["first", "second", "third"]);
    expect([...server.done.keys()]).toEqual(answers.map(({ uuid }) => uuid));
    expect(server.sockets[0]!.calls("session/prompt").map(({ params }) => params)).toEqual(
      server.socket
        .calls("session/prompt")
        .slice(0, 2)
        .map(({ params }) => params),
    );
  });

  it("[K2] subscriptions are sent before waiting calls", async () => {
    server.apply("a");
    const client = open();
    client.session("a");
    await settle(STABLE);
    server.answers["sessions/list"] = () => NOTHING;
    void client.call("sessions/list", {}).catch(() => {});
    await settle();
    server.socket.drop();
    await settle();
    expect(server.socket.said.map(({ method }) => method)).toEqual([
      "initialize",
      "session/subscribe",
      "sessions/list",
    ]);
  });

  it("[K2] a command keeps an id that it was given", async () => {
    const client = open();
    const commandId = "00000000-0000-4000-8000-000000000000";
    await settle();
    await expect(client.command("session/prompt", { ...prompt, commandId })).resolves.toMatchObject({
      uuid: commandId,
    });
  });

  it("[K3] a refusal has code, message and data", async () => {
    server.answers["session/prompt"] = () => {
      throw new Refused("session-held", "A terminal has it.", { pid: 7 });
    };
    const client = open();
    await expect(client.command("session/prompt", prompt)).rejects.toMatchObject({
      name: "BridgeError",
      code: "session-held",
      message: "A terminal has it.",
      data: { pid: 7 },
    });
  });

  it("[K3] after `shutting-down` the next server gets the call", async () => {
    const client = open();
    await settle(STABLE);
    server.answers["session/prompt"] = () => {
      throw new Refused("shutting-down", "Bye.");
    };
    const sent = client.command("session/prompt", prompt);
    await settle();
    delete server.answers["session/prompt"];
    server.socket.drop(4012, "Bye.");
    await settle(1_000);
    await expect(sent).resolves.toMatchObject({ uuid: [...server.done.keys()][0] });
  });

  it("[K4] an aborted call is forgotten", async () => {
    const client = open();
    await settle(STABLE);
    server.holds = true;
    const stop = new AbortController();
    const failure = failureOf(client.call("sessions/list", {}, { signal: stop.signal }));
    await settle();
    stop.abort(new Error("enough"));
    expect(await failure).toEqual(new Error("enough"));
    server.holds = false;
    server.socket.deliver();
    await settle();
    server.socket.drop();
    await settle();
    expect(server.socket.calls("sessions/list")).toEqual([]);
    await expect(client.call("sessions/list", {}, { signal: stop.signal })).rejects.toThrow("enough");
  });

  it("[K5] a call that is too long is not sent", async () => {
    const client = open();
    // Before the limit is known, and after.
    const early = failureOf(client.command("session/prompt", { ...prompt, content: "é".repeat(50_000) }));
    await settle();
    expect(await early).toMatchObject({ code: "too-large", data: { limit: 100_000 } });
    await expect(client.command("session/prompt", { ...prompt, content: "é".repeat(50_000) })).rejects.toMatchObject({
      code: "too-large",
    });
    await client.command("session/prompt", { ...prompt, content: "é".repeat(49_000) });
    expect(server.socket.calls("session/prompt")).toHaveLength(1);
    expect(server.sockets).toHaveLength(1);
  });
});

describe("listeners", () => {
  it("[L1] a listener that throws does not affect others", async () => {
    const reported = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const client = open();
    const heard: string[] = [];
    client.onNotice(() => {
      throw new Error("a bug of the page");
    });
    client.onNotice(({ text }) => heard.push(text));
    await settle();
    server.socket.dispatchEvent(
      new MessageEvent("message", {
        data: JSON.stringify({ method: "server/notice", params: { level: "info", code: "version", text: "hello" } }),
      }),
    );
    expect(heard).toEqual(["hello"]);
    expect(client.state.status).toBe("open");
    expect(reported.mock.calls).toEqual([[new Error("a bug of the page")]]);
    reported.mockRestore();
  });

  it("[S48] the error of a listener is reported and does not end the process", () => {
    const [reported, heard]: unknown[][] = [[], []];
    const bug = new Error("a bug");
    const throwing = (): void => {
      throw bug;
    };
    callAll((error) => reported!.push(error), [throwing, () => heard!.push("told")]);
    expect([reported, heard]).toEqual([[bug], ["told"]]);
  });
});
