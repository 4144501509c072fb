// A fleet whose NATS server is run by somebody else, with TLS and a certificate that signs itself.

import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { upload, urlOf } from "@quarterdeck/client";
import { freePort, natsProgram, startNats } from "@quarterdeck/test-kit/nats-server";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { certify } from "./certificate.ts";
import { Machine } from "./machines.ts";

const [hub, box] = [new Machine(), new Machine()];
beforeAll(() => Promise.all([hub.start(), box.start()]));
afterAll(() => Promise.all([hub.close(), box.close()]));

const sumOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

it("[E275] works over TLS with your own NATS server, and carries uploads and downloads whole", async () => {
  const [cert, key] = [join(hub.place.root, "cert.pem"), join(hub.place.root, "key.pem")];
  const certifyNow = (): void => certify(cert, key, "-addext", "subjectAltName=IP:127.0.0.1");
  certifyNow();
  const port = await freePort();
  const { code } = await hub.create(port, "--own-nats", "--tls-cert", cert, "--tls-key", key);
  const config = join(hub.place.dataDir, "fleet", "nats.conf");
  // NATS does not run yet. The machine that wants to join gets an error and does not join.
  const refused = async (): Promise<string> => {
    const said = await box.run("fleet", "join", code, "--allow", "admin", "--accept-nats", natsProgram().version);
    expect([said.code, existsSync(join(box.place.dataDir, "fleet"))]).toEqual([1, false]);
    return said.error;
  };
  expect(await refused()).toContain("cannot be reached");
  // Another server at its address is not believed.
  const known = [readFileSync(cert), readFileSync(key)] as const;
  certifyNow();
  const other = await startNats(config, port);
  expect(await refused()).toMatch(
    /The certificate of the NATS server cannot be trusted .*A new code has the certificate/u,
  );
  await other.kill();
  writeFileSync(cert, known[0]);
  writeFileSync(key, known[1]);
  const nats = await startNats(config, port);
  onTestFinished(() => nats.kill());
  await expect.poll(async () => (await hub.fleet<{ bus: string }>("ls")).bus).toBe("up");
  await box.join(code, "box", "admin");
  await expect.poll(() => Promise.all([hub.sees("box"), box.sees("hub")])).toEqual(["here", "here"]);
  expect(readFileSync(join(box.place.dataDir, "fleet", "node.json"), "utf8")).toContain(`"tls://127.0.0.1:`);
  // Without TLS nobody is let in, so nothing can be read on the way.
  expect((await box.fleet<{ ok: boolean }[]>("doctor")).filter(({ ok }) => !ok)).toEqual([]);

  const client = hub.through("box", await hub.pair("admin"));
  onTestFinished(() => client.close());
  const { session } = await client.command("sessions/start", { cwd: box.place.cwd });
  const sent = randomBytes(3 * 1024 * 1024);
  const { id, size } = await upload(client, new Blob([sent]), { name: "data.bin" });
  expect(size).toBe(sent.length);
  await client.command("session/prompt", { session: session.id, content: "say hello", uploads: [id] });
  const direct = box.admin();
  onTestFinished(() => direct.close());
  const isDone = async () => (await direct.call("sessions/list", { query: session.id })).sessions[0]?.lastText;
  await expect.poll(isDone).toBe("Hello there.");
  const folder = join(box.place.dataDir, "session-files");
  const kept = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("data.bin"));
  expect(kept.map((name) => sumOf(readFileSync(join(folder, name))))).toEqual([sumOf(sent)]);

  const file = randomBytes(9 * 1024 * 1024);
  const path = join(box.place.cwd, "large.bin");
  writeFileSync(path, file);
  const ticket = await client.call("tickets/create", { kind: "file", session: session.id, path });
  const got = await fetch(urlOf(client, ticket.url));
  expect([got.status, sumOf(new Uint8Array(await got.arrayBuffer()))]).toEqual([200, sumOf(file)]);
  // A ticket works once, through the fleet as well.
  expect((await fetch(urlOf(client, ticket.url))).status).not.toBe(200);
  const exported = await client.call("tickets/create", { kind: "export", session: session.id, format: "markdown" });
  expect(await (await fetch(urlOf(client, exported.url))).text()).toContain("Hello there.");
});
