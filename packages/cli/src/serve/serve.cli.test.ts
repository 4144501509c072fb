import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request as plainRequest } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { IncomingMessage } from "node:http";
import { connect as connectTcp, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "@quarterdeck/client";
import {
  connectAt,
  opened,
  pairAndConnect,
  removeScratch,
  runQuarterdeck,
  scratchHome,
  spawnQuarterdeck,
  startQuarterdeck,
  until,
} from "./serve.fixture.ts";
import type { Scratch, Server } from "./serve.fixture.ts";
import { programWords } from "@quarterdeck/test-kit/programs";
import { IS_WHOLE } from "@quarterdeck/test-kit/how-much";

let scratch: Scratch;
const servers: Server[] = [];
const clients: Client[] = [];

beforeEach(() => {
  scratch = scratchHome();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const server of servers.splice(0)) {
    server.kill("SIGKILL");
    await server.exit;
  }
  removeScratch(scratch);
});

const start = async (args: readonly string[] = [], extra = {}): Promise<Server> => {
  const server = await startQuarterdeck(scratch, args, extra);
  servers.push(server);
  return server;
};
const comeIn = async (link: string, wire = {}): Promise<Client> => {
  const client = await pairAndConnect(link, wire);
  clients.push(client);
  await opened(client);
  return client;
};
const harbour = (): string => `${scratch.dataDir}-demo/harbour`;
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("quarterdeck serve", () => {
  it("prints a link that gives access, says that it runs in demo mode, and keeps its secrets", async () => {
    const server = await start();
    expect(server.stdout()).toContain("demo mode: a script answers instead of a model");
    expect(server.stdout()).toContain("No `claude` on the PATH. Install Claude Code");
    const client = await comeIn(server.link);
    expect(client.info).toMatchObject({
      device: { name: "A browser", role: "admin" },
      agent: { kind: "demo" },
      machine: { roots: [harbour()] },
    });
    expect([
      modeOf(scratch.dataDir),
      ...readdirSync(scratch.dataDir).map((name) => modeOf(join(scratch.dataDir, name))),
    ]).toEqual([
      "700",
      ...readdirSync(scratch.dataDir).map((name) => (/^(?:blobs|uploads)$/u.test(name) ? "700" : "600")),
    ]);
    const page = await fetch(`${server.url}/`);
    expect([page.status, page.headers.get("content-security-policy")]).toEqual([
      200,
      expect.stringContaining("default-src 'none'; script-src 'self';"),
    ]);
    const secret = readFileSync(join(scratch.dataDir, "secret"), "utf8").trim();
    const { token } = JSON.parse(readFileSync(join(scratch.dataDir, "server.json"), "utf8")) as { token: string };
    const code = server.link.split("=")[1]!;
    for (const hidden of [secret, token, code]) expect(server.stderr()).not.toContain(hidden);
    // Each line of the log is JSON.
    const events = server
      .stderr()
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { event: string }).event);
    expect(events).toContain("server started");
  });

  it("runs a session with the person's variables and those of its folder, and nothing of ours (S23)", async () => {
    const mine = { DATABASE_URL: "postgres://here", QUARTERDECK_LOG: "json", CLAUDECODE: "1" };
    const server = await start([], { env: mine });
    const client = await comeIn(server.link);
    // The server reads the file at each start of a session.
    await runQuarterdeck(scratch, ["env", "set", "HARBOUR_TOKEN=a=b", "--folder", harbour()]);
    const { token } = await client.command("devices/addToken", { role: "view", name: "p" });
    const { session } = await client.command("sessions/start", { cwd: harbour() });
    const view = client.session(session.id);
    await client.command("session/prompt", { session: session.id, content: "tour 1" });
    await new Promise<void>((resolve) => {
      const stop = view.subscribe(() => {
        if (!view.snapshot.rows.some(({ kind }) => kind === "turn")) return;
        stop();
        resolve();
      });
    });
    expect(view.snapshot.rows.some((row) => row.kind === "text" && row.text.includes("Welcome aboard"))).toBe(true);
    if (process.platform !== "linux") return;
    const children = readFileSync(`/proc/${String(server.pid)}/task/${String(server.pid)}/children`, "utf8")
      .trim()
      .split(" ");
    expect(children).toHaveLength(1);
    const secret = readFileSync(join(scratch.dataDir, "secret"), "utf8").trim();
    const local = (JSON.parse(readFileSync(join(scratch.dataDir, "server.json"), "utf8")) as { token: string }).token;
    const [environ, cmdline] = ["environ", "cmdline"].map((file) =>
      readFileSync(`/proc/${children[0]!}/${file}`, "utf8"),
    );
    const variables = environ!.split("\0");
    expect(variables).toEqual(expect.arrayContaining(["DATABASE_URL=postgres://here", "HARBOUR_TOKEN=a=b"]));
    expect(variables.filter((text) => /^(?:QUARTERDECK_LOG|CLAUDECODE)=/u.test(text))).toEqual([]);
    for (const hidden of [secret, local, token])
      expect([environ!.includes(hidden), cmdline!.includes(hidden)]).toEqual([false, false]);
    const held = readdirSync(`/proc/${children[0]!}/fd`).map((fd) => readlink(`/proc/${children[0]!}/fd/${fd}`));
    expect(
      held.filter((path) => path.startsWith(scratch.dataDir) && !path.startsWith(`${scratch.dataDir}-demo`)),
    ).toEqual([]);
  });

  it("stops on request: clients are notified, the turn ends, the folder is free again", async () => {
    const server = await start(["--finish-turns", "60"]);
    const client = await comeIn(server.link);
    const notices: string[] = [];
    client.onNotice(({ code }) => notices.push(code));
    const { session } = await client.command("sessions/start", { cwd: harbour() });
    const view = client.session(session.id);
    const running = new Promise<void>((resolve) =>
      view.subscribe(() => ["thinking", "streaming"].includes(view.snapshot.head.phase) && resolve()),
    );
    await client.command("session/prompt", { session: session.id, content: "tour 10" });
    await running;
    const turn = new Promise<boolean>((resolve) =>
      view.subscribe(() => {
        const row = view.snapshot.rows.find(({ kind }) => kind === "turn");
        if (row?.kind === "turn") resolve(row.ok);
      }),
    );
    server.kill("SIGTERM");
    await server.said(/SIGTERM: one turn is running\. Waiting up to 60 s/u);
    // New work is refused. The client keeps it for the next server.
    const later = client
      .command("session/prompt", { session: session.id, content: "more" })
      .catch((error: unknown) => (error as { code: string }).code);
    expect([await turn, await server.exit]).toEqual([true, 0]);
    client.close();
    expect(await later).toBe("closed");
    expect(notices).toContain("shutting-down");
    expect(existsSync(join(scratch.dataDir, "server.json"))).toBe(false);
    const again = await start();
    again.kill("SIGINT");
    expect(await again.exit).toBe(0);
  });

  it("stops at once on a second signal", { tags: "long" }, async () => {
    const server = await start(["--finish-turns", "600"]);
    const client = await comeIn(server.link);
    const { session } = await client.command("sessions/start", { cwd: harbour() });
    const view = client.session(session.id);
    const running = new Promise<void>((resolve) =>
      view.subscribe(() => ["thinking", "streaming"].includes(view.snapshot.head.phase) && resolve()),
    );
    await client.command("session/prompt", { session: session.id, content: "tour 10" });
    await running;
    server.kill("SIGINT");
    await server.said(/again to stop now/u);
    server.kill("SIGINT");
    await server.said(/Stopping now/u);
    expect(await server.exit).toBe(0);
  });
});

describe("quarterdeck devices, with a running server", () => {
  it("lists, adds, and revokes: a revoked device is out at once", async () => {
    const server = await start();
    const browser = await comeIn(server.link);
    const pair = await runQuarterdeck(scratch, ["devices", "pair", "--role", "view", "--name", "Tablet"]);
    const second = await comeIn(/\S+#pair=\S+/u.exec(pair.stdout)![0]);
    expect(second.info!.device).toMatchObject({ name: "Tablet", role: "view" });
    const added = await runQuarterdeck(scratch, ["devices", "add", "my", "script", "--role", "answer"]);
    const program = connectAt(server.url, { kind: "token", token: added.stdout.split("\n")[0]! });
    clients.push(program);
    await opened(program);
    const { stdout } = await runQuarterdeck(scratch, ["devices", "list", "--json"]);
    const listed = JSON.parse(stdout) as { name: string; role: string; connected: number }[];
    expect(listed.map(({ name, role, connected }) => [name, role, connected])).toEqual([
      ["A browser", "admin", 1],
      ["Tablet", "view", 1],
      ["my script", "answer", 1],
    ]);
    const refused = [second, program].map((client) => until(client, ({ status }) => status === "refused"));
    expect((await runQuarterdeck(scratch, ["devices", "revoke", "Tablet"])).code).toBe(0);
    expect((await runQuarterdeck(scratch, ["devices", "revoke", "my script"])).code).toBe(0);
    expect(await Promise.all(refused)).toMatchObject([{ code: "revoked" }, { code: "revoked" }]);
    expect(browser.state.status).toBe("open");
    expect(await runQuarterdeck(scratch, ["devices", "revoke", "Tablet"])).toMatchObject({
      code: 1,
      stderr: "quarterdeck: Device Tablet does not exist. `quarterdeck devices list` shows all devices.\n",
    });
  });

  it("changes the records without a server, and says that a link needs one", { tags: "long" }, async () => {
    const added = await runQuarterdeck(scratch, ["devices", "add", "ci"]);
    expect(added.code).toBe(0);
    expect((await runQuarterdeck(scratch, ["devices"])).stdout).toMatch(/^name +role .*\nci +operate +program +never/u);
    expect(await runQuarterdeck(scratch, ["devices", "pair"])).toMatchObject({
      code: 1,
      stderr: "quarterdeck: No server is running. Start one with `quarterdeck serve`.\n",
    });
    const server = await start();
    const program = connectAt(server.url, { kind: "token", token: added.stdout.split("\n")[0]! });
    clients.push(program);
    await opened(program);
    expect(program.info!.device).toMatchObject({ name: "ci", role: "operate" });
  });
});

describe("an error at the start says what happened and what to do", () => {
  const failing = async (args: readonly string[], extra = {}): Promise<string> => {
    const { code, stdout, stderr } = await runQuarterdeck(scratch, ["serve", "--no-open", ...args], extra);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(3);
    return stderr;
  };

  it("another server uses the data directory", async () => {
    const server = await start();
    const text = await failing(["--port", "0"]);
    expect(text).toContain(`is in use by process ${String(server.pid)}`);
    expect(text).toContain(
      `A server is already running at ${server.url}. \`npx quarterdeck devices pair\` creates a link to it.`,
    );
  });

  it("another program uses the port, and nothing is left behind", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    expect(await failing(["--port", String(port)])).toContain(
      `Port ${String(port)} is in use by another program. Use --port to choose another`,
    );
    other.close();
    expect(existsSync(join(scratch.dataDir, "server.json"))).toBe(false);
    expect(existsSync(join(scratch.dataDir, "owner.json"))).toBe(false);
  });

  it("the data directory cannot be written, or is a file", async () => {
    const closed = join(scratch.folder, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    // Root may write anywhere except to kernel folders.
    const dataDir = process.getuid?.() === 0 ? "/sys/quarterdeck" : join(closed, "data");
    expect(await failing(["--data-dir", dataDir])).toMatch(
      /cannot be written \(E\w+\)\. Give yourself the permission, or choose --data-dir/u,
    );
    writeFileSync(join(scratch.folder, "file"), "");
    expect(await failing(["--data-dir", join(scratch.folder, "file", "x")])).toMatch(/--data-dir/u);
  });

  it("the connection would not be encrypted", async () => {
    expect(await failing(["--host", "0.0.0.0"])).toMatch(/Without TLS on 0\.0\.0\.0.* --tls-cert and --tls-key/u);
    expect(await failing(["--behind-proxy"])).toMatch(/needs --allow-host/u);
    expect(existsSync(scratch.dataDir)).toBe(false);
  });

  it("the certificate is invalid", async () => {
    const [cert, key] = [join(scratch.folder, "cert.pem"), join(scratch.folder, "key.pem")];
    expect(await failing(["--tls-cert", cert, "--tls-key", key])).toMatch(
      /--tls-cert: .*cert\.pem cannot be read \(ENOENT\)/u,
    );
    for (const file of [cert, key]) writeFileSync(file, "nonsense");
    expect(await failing(["--tls-cert", cert, "--tls-key", key])).toMatch(/--tls-cert and --tls-key cannot be used/u);
  });

  it("the named program is missing", async () => {
    expect(await failing(["--claude", "/no/claude"])).toMatch(
      /No program found at \/no\/claude\. Install Claude Code/u,
    );
  });

  it("Node is too old", async () => {
    const old = join(scratch.folder, "old-node.mjs");
    writeFileSync(old, 'Object.defineProperty(process.versions, "node", { value: "20.11.0" });');
    const text = await failing([], { nodeArgs: ["--import", old] });
    expect(text).toMatch(/^quarterdeck needs Node 22\.18 or newer and this is Node 20\.11\.0\./u);
  });

  it("a setting is wrong", async () => {
    const { code, stderr } = await runQuarterdeck(scratch, ["--prot", "1"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^quarterdeck: Unknown option '--prot'.* See `quarterdeck --help`\.\n$/su),
    ]);
  });
});

describe("a phone", () => {
  const certificate = (name: string) => {
    const [key, cert] = [join(scratch.folder, "key.pem"), join(scratch.folder, "cert.pem")];
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"],
        ...["-keyout", key, "-out", cert, "-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`],
      ],
      { stdio: "ignore" },
    );
    chmodSync(key, 0o600);
    return { key, cert, pem: readFileSync(cert, "utf8") };
  };

  it("connects through a proxy that has the certificate", { tags: "long" }, async () => {
    const { key, pem } = certificate("deck.test");
    const server = await start(["--behind-proxy", "--allow-host", "deck.test"]);
    const upstream = new URL(server.url);
    const forwarded = ({ headers }: IncomingMessage) => ({
      ...headers,
      host: upstream.host,
      "x-forwarded-host": headers.host ?? "",
      "x-forwarded-proto": "https",
      "x-forwarded-for": "198.51.100.7",
    });
    // A minimal proxy: requests and upgrades, with the usual headers.
    const proxy = createTlsServer({ key: readFileSync(key), cert: pem }, (request, response) => {
      const onward = plainRequest(
        {
          host: upstream.hostname,
          port: upstream.port,
          path: request.url,
          method: request.method,
          headers: forwarded(request),
        },
        (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)),
      );
      request.pipe(onward);
    });
    proxy.on("upgrade", (request: IncomingMessage, socket) => {
      const onward = connectTcp(Number(upstream.port), upstream.hostname);
      const lines = Object.entries(forwarded(request)).map(([name, value]) => `${name}: ${String(value)}`);
      onward.write(`GET ${request.url ?? "/"} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      for (const end of [onward, socket]) end.on("error", () => end.destroy());
      onward.pipe(socket).pipe(onward);
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const { port } = proxy.address() as AddressInfo;
    try {
      expect(server.link).toMatch(/^https:\/\/deck\.test\/#pair=/u);
      const phone = await comeIn(server.link, { at: { host: "127.0.0.1", port }, ca: pem });
      expect(phone.info!.device.role).toBe("admin");
      const { devices } = await phone.call("devices/list", {});
      expect(devices).toHaveLength(1);
      expect((await runQuarterdeck(scratch, ["devices"])).code).toBe(0);
    } finally {
      for (const client of clients.splice(0)) client.close();
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it("connects with the user's own certificate, and so do the commands of this machine", { tags: "long" }, async () => {
    const { key, cert, pem } = certificate("deck.test");
    const tls = ["--tls-cert", cert, "--tls-key", key, "--allow-host", "deck.test"];
    const server = await start(["--host", "0.0.0.0", ...tls]);
    const { port } = new URL(server.url);
    expect(server.link).toMatch(new RegExp(`^https://deck\\.test:${port}/#pair=`, "u"));
    const phone = await comeIn(server.link, { at: { host: "127.0.0.1", port: Number(port) }, ca: pem });
    expect(phone.state.status).toBe("open");
    expect((await runQuarterdeck(scratch, ["devices"])).stdout).toContain("A browser  admin  browser  here now");
  });
});

describe("quarterdeck doctor", () => {
  it("reports what there is, what is missing, and what to do", async () => {
    const { code, stdout } = await runQuarterdeck(scratch, ["doctor", "--json", "--port", "0"]);
    const findings = JSON.parse(stdout) as { about: string; state: string; text: string; advice?: string }[];
    const by = Object.fromEntries(findings.map(({ about, state }) => [about, state]));
    expect(code).toBe(0);
    expect(by).toMatchObject({ Node: "good", "Claude Code": "note", Data: "good", Port: "good", Reach: "good" });
    expect(existsSync(scratch.dataDir)).toBe(false);
  });

  it("names the variables that sessions get, never their values", { tags: "long" }, async () => {
    const extra = { env: { DATABASE_URL: "postgres://secret", QUARTERDECK_LOG_LEVEL: "info" } };
    const textOf = async (...args: string[]): Promise<string> =>
      (await runQuarterdeck(scratch, ["doctor", "--demo", "--port", "0", ...args], extra)).stdout;
    const all = await textOf();
    expect(all).toMatch(/Environment {1,}sessions get your variables: .*\bDATABASE_URL\b/u);
    expect(all).not.toMatch(/postgres:|QUARTERDECK_LOG_LEVEL/u);
    expect(await textOf("--clean-env")).not.toContain("DATABASE_URL");
    expect(await textOf("--clean-env", "--env", "DATABASE_*")).toContain("DATABASE_URL");
  });

  it("fails if the server would", { tags: "long" }, async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { code, stdout } = await runQuarterdeck(scratch, ["doctor", "--port", String(port), "--host", "127.0.0.1"]);
    const pocket = await runQuarterdeck(scratch, ["doctor", "--port", "0", "--demo", "--ccpocket-port", String(port)]);
    other.close();
    expect(code).toBe(1);
    expect(stdout).toContain("Another program uses it. Choose --port.");
    expect([pocket.code, pocket.stdout.includes("Choose --ccpocket-port.")]).toEqual([1, true]);
  });

  it("recognizes its own server", async () => {
    const server = await start();
    const { port } = new URL(server.url);
    const { stdout } = await runQuarterdeck(scratch, ["doctor", "--port", port]);
    expect(stdout).toContain(`in use by the server at ${server.url}`);
    expect(stdout).toContain(`${port}, used by our own server`);
  });

  it("checks the port of the server that uses this data directory", { tags: "long" }, async () => {
    const server = await start();
    const { port } = new URL(server.url);
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port: taken } = other.address() as AddressInfo;
    const config = join(scratch.folder, "config.json");
    // Like `serve`: the configuration names a port that another program uses, and the folder of the running server.
    writeFileSync(config, JSON.stringify({ port: taken, "data-dir": scratch.dataDir }));
    const elsewhere = join(scratch.folder, "elsewhere");
    const doctor = async (...args: string[]): Promise<string> =>
      (await runQuarterdeck(scratch, ["doctor", "--config", config, ...args])).stdout;
    const [own, foreign] = [await doctor(), await doctor("--data-dir", elsewhere)];
    other.close();
    expect(own).toContain(`${port}, used by our own server`);
    expect(foreign).toContain(`${String(taken)} at 127.0.0.1 cannot be used (EADDRINUSE)`);
    expect(foreign).toContain(`${elsewhere} will be created`);
  });

  it("reports a data directory that cannot be made", { tags: "long" }, async () => {
    const file = join(scratch.folder, "file");
    writeFileSync(file, "");
    for (const path of ["/proc/nope", file, join(file, "below")]) {
      const { code, stdout } = await runQuarterdeck(scratch, ["doctor", "--port", "0", "--data-dir", path]);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/^BAD {3}Data .*\n.*--data-dir/mu)]);
    }
  });
});

describe("a data directory that cannot be used", () => {
  it.each(IS_WHOLE ? ["serve", "devices", "run"] : ["run"])("ends %s with a sentence", async (command) => {
    const file = join(scratch.folder, "file");
    const claude = join(scratch.folder, "claude");
    writeFileSync(file, "");
    writeFileSync(claude, "#!/bin/sh\necho '2.1.325 (Claude Code)'\n", { mode: 0o755 });
    const args = { serve: ["--demo", "--port", "0"], devices: [], run: ["--claude", claude, "hello"] }[command]!;
    for (const path of ["/proc/nope", file, join(file, "below"), join(scratch.folder, "long".repeat(200))]) {
      const { code, stderr } = await runQuarterdeck(scratch, [command, "--data-dir", path, ...args]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^quarterdeck: [^\n]+--data-dir[^\n]*\n$/u)]);
      expect(stderr).toContain(path);
    }
  });

  it("comes from the configuration for every command", async () => {
    const dataDir = join(scratch.folder, "configured");
    const folder = join(scratch.folder, ".config", "quarterdeck");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.json"), JSON.stringify({ "data-dir": dataDir }));
    expect((await runQuarterdeck(scratch, ["devices", "add", "ci"])).code).toBe(0);
    expect(existsSync(dataDir)).toBe(true);
    expect(existsSync(scratch.dataDir)).toBe(false);
  });
});

it("quarterdeck env sets, lists and removes variables of a folder", { tags: "long" }, async () => {
  const env = (...args: string[]) => runQuarterdeck(scratch, ["env", ...args]);
  expect((await env()).stdout).toContain("No folder has variables of its own.");
  expect((await env("set", "TOKEN=secret")).stdout).toBe(
    `Sessions in ${scratch.folder} get TOKEN from their next start on.\n`,
  );
  expect((await env("set", "TOKEN=secret")).stdout).toBe("TOKEN has this value already.\n");
  expect((await env()).stdout).toBe(`${scratch.folder}\n  TOKEN\n`);
  expect(JSON.parse((await env("list", "--json")).stdout)).toEqual([{ folder: scratch.folder, names: ["TOKEN"] }]);
  expect(await env("set", "1A=x")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("letters, digits") as unknown,
  });
  expect(await env("unset", "OTHER")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no variable OTHER") as unknown,
  });
  expect((await env("unset", "TOKEN")).code).toBe(0);
  expect(JSON.parse(readFileSync(join(scratch.dataDir, "variables.json"), "utf8"))).toEqual({});
});

describe("no flag is ignored silently", () => {
  it("devices answers in JSON for every action", { tags: "long" }, async () => {
    await start();
    const json = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await runQuarterdeck(scratch, ["devices", ...args, "--json"])).stdout) as unknown;
    const added = (await json("add", "ci", "--role", "view")) as { id: string; token: string };
    expect(added).toEqual({ id: added.id, token: expect.any(String) as unknown, role: "view", name: "ci" });
    expect(await json("list")).toMatchObject([{ id: added.id, name: "ci", role: "view" }]);
    expect(await json("pair", "--role", "view")).toMatchObject({ link: expect.stringContaining("#pair=") as unknown });
    expect(await json("revoke", "ci")).toEqual({ id: added.id, name: "ci", revoked: true });
  });

  it.each([
    ["devices", "list", "--role", "view"],
    ["devices", "add", "ci", "--no-qr"],
    ["devices", "revoke", "ci", "--name", "x"],
    ["approve", "--for-session"],
    ["approve", "--answer", "1"],
    ["deny", "--message", "no"],
    ["ls", "--all", "--waiting"],
    ["run", "--resume", "x", "--session-id", "7f9c24e8-3b12-4fef-91e0-3b5b2b1f9b5a", "hello"],
    ["run", "--resume", "x", "--trust", "hello"],
    ["doctor", "--jason"],
    ["doctor", "--env", "X"],
    ["env", "set"],
    ["env", "set", "A=1", "--json"],
    ["serve", "--port", "abc"],
    ["serve", "--demo", "--claude", "x"],
    ["devices", "add", "phone", "--role", "boss"],
    ["help", "nothing"],
  ])("%s %s %s", async (...args) => {
    expect(await runQuarterdeck(scratch, args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("See `quarterdeck --help`.") as unknown,
    });
  });
});

it("quarterdeck service prints a unit that starts this program", async () => {
  const { code, stdout } = await runQuarterdeck(scratch, ["service", "systemd", "--port", "8123"]);
  expect(code).toBe(0);
  const started = [process.execPath, ...programWords("quarterdeck")].join(" ");
  expect(stdout.split("\n")).toContain(`ExecStart=${started} serve --no-open --no-link --port 8123`);
  const { code: wrong } = await runQuarterdeck(scratch, ["service", "systemd", "--prot", "1"]);
  expect(wrong).toBe(2);
});

it("without a command it is the server", async () => {
  const child = spawnQuarterdeck(scratch, ["--port", "0", "--no-open", "--demo"]);
  await child.said(/#pair=/u);
  child.kill("SIGTERM");
  expect(await child.exit).toBe(0);
});

const readlink = (path: string): string => {
  try {
    return execFileSync("readlink", [path], { encoding: "utf8" }).trim();
  } catch {
    // The connection is closed.
    return "";
  }
};
