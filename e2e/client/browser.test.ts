// The client in a real browser: a key that no script can read, pairing, connecting, reconnecting.

import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "@quarterdeck/client";
import type * as client from "@quarterdeck/client";
import { SCENARIO } from "../bridge/bench.ts";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { ServerProcess } from "../bridge/server-process.ts";
import { closePages, workerChromium } from "./launch-chromium.ts";

const place = makePlace(SCENARIO);
let server: ServerProcess;
let browser: Browser;
let code: string;

beforeAll(async () => {
  server = await startServer(place);
  browser = await workerChromium();
  const built = await build({
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["source"] },
    build: {
      write: false,
      lib: {
        entry: fileURLToPath(new URL("../../packages/client/src/index.ts", import.meta.url)),
        formats: ["iife"],
        name: "quarterdeck",
      },
    },
  });
  const [output] = (Array.isArray(built) ? built : [built]).flatMap((each) => ("output" in each ? each.output : []));
  code = output?.type === "chunk" ? output.code.replace(/^var quarterdeck\s*=/, "globalThis.quarterdeck=") : "";
});
afterAll(async () => {
  await closePages(browser);
  await server?.stop();
  place.remove();
});

const pairingCode = async (): Promise<string> => {
  const { url, token } = server;
  const admin = connect({ url, credentials: { kind: "token", token }, client: { name: "test", version: "1" } });
  const { code: pairing } = await admin.command("devices/pair", { role: "operate", name: "A browser" });
  // An operator can start only in folders that an admin has opened.
  const { hash } = await admin.call("projects/inspect", { cwd: place.cwd });
  await admin.command("projects/trust", { cwd: place.cwd, hash, trusted: true });
  admin.close();
  return pairing;
};
/** A page of the server's origin with the client in it. It has no policy of its own; the real page has its own test. */
const opened = async (page: Page): Promise<Page> => {
  await page.goto(`${server.url}/healthz`);
  await page.evaluate(code);
  return page;
};
declare const quarterdeck: typeof client;

describe("[E54] in a browser", () => {
  it("pairs, connects with its key, streams, and reconnects after a reload without pairing again", async () => {
    const context = await browser.newContext({ bypassCSP: true });
    const page = await opened(await context.newPage());
    const paired = await page.evaluate(
      async ({ pairing, cwd }) => {
        const credentials = await quarterdeck.pairDevice({ url: location.origin, code: pairing, name: "Chromium" });
        const here = quarterdeck.connect({
          url: location.origin,
          credentials,
          client: { name: "page", version: "1" },
        });
        const { session } = await here.command("sessions/start", { cwd, prompt: "hello" });
        const view = here.session(session.id);
        const text = await new Promise<string>((resolve) => {
          view.subscribe(() => {
            const row = view.snapshot.rows.find(({ kind }) => kind === "text");
            if (row?.kind === "text") resolve(row.text);
          });
        });
        here.close();
        return { device: credentials.id, role: here.info?.device.role, text };
      },
      { pairing: await pairingCode(), cwd: place.cwd },
    );
    expect(paired).toMatchObject({ role: "operate", text: "Hello there." });

    await page.reload();
    await page.evaluate(code);
    const again = await page.evaluate(async () => {
      const credentials = await quarterdeck.loadDevice(location.origin);
      const here = quarterdeck.connect({
        url: location.origin,
        credentials: credentials!,
        client: { name: "page", version: "1" },
      });
      const { sessions } = await here.call("sessions/list", {});
      here.close();
      return { device: credentials!.id, sessions: sessions.length };
    });
    expect(again).toEqual({ device: paired.device, sessions: 1 });
    await context.close();
  });

  it("keeps a key that cannot be read, and deletes it on request (S4)", async () => {
    const context = await browser.newContext({ bypassCSP: true });
    const page = await opened(await context.newPage());
    const found = await page.evaluate(
      async ({ pairing }) => {
        await quarterdeck.pairDevice({ url: location.origin, code: pairing, name: "Chromium" });
        const database = await new Promise<IDBDatabase>((resolve) => {
          const opening = indexedDB.open("quarterdeck");
          opening.onsuccess = () => resolve(opening.result);
        });
        const stored = await new Promise<{ keys: CryptoKeyPair }>((resolve) => {
          const asked = database.transaction("devices").objectStore("devices").get(location.origin);
          asked.onsuccess = () => resolve(asked.result as { keys: CryptoKeyPair });
        });
        database.close();
        const { privateKey } = stored.keys;
        const read = await crypto.subtle.exportKey("pkcs8", privateKey).then(
          () => "read",
          (error: Error) => error.name,
        );
        await quarterdeck.forgetDevice(location.origin);
        const left = await quarterdeck.loadDevice(location.origin);
        return { extractable: privateKey.extractable, usages: privateKey.usages, read, left };
      },
      { pairing: await pairingCode() },
    );
    expect(found).toEqual({ extractable: false, usages: ["sign"], read: "InvalidAccessError", left: undefined });
    await context.close();
  });

  it("a code works once, and an invalid code leaves nothing behind", async () => {
    const context = await browser.newContext({ bypassCSP: true });
    const page = await opened(await context.newPage());
    const pairing = await pairingCode();
    const outcome = await page.evaluate(
      async ({ pairing: given }) => {
        const pair = () => quarterdeck.pairDevice({ url: location.origin, code: given, name: "Chromium" });
        await pair();
        await quarterdeck.forgetDevice(location.origin);
        const refused = await pair().catch((error: client.BridgeError) => error.code);
        return { refused, left: await quarterdeck.loadDevice(location.origin) };
      },
      { pairing },
    );
    expect(outcome).toEqual({ refused: "unauthenticated", left: undefined });
    await context.close();
  });

  it("an upload reports its progress", async () => {
    const context = await browser.newContext({ bypassCSP: true });
    const page = await opened(await context.newPage());
    const outcome = await page.evaluate(
      async ({ pairing }) => {
        const credentials = await quarterdeck.pairDevice({ url: location.origin, code: pairing, name: "Chromium" });
        const here = quarterdeck.connect({ url: location.origin, credentials, client: { name: "page", version: "1" } });
        const shares: number[] = [];
        const uploaded = await quarterdeck.upload(here, new Blob(["x".repeat(3_000_000)]), {
          name: "big.txt",
          onProgress: (share) => shares.push(share),
        });
        here.close();
        return { uploaded, shares };
      },
      { pairing: await pairingCode() },
    );
    expect(outcome.uploaded).toMatchObject({ mediaType: "text/plain", size: 3_000_000 });
    expect([outcome.shares[0], outcome.shares.at(-1)]).toEqual([0, 1]);
    expect(outcome.shares).toEqual(outcome.shares.toSorted((a, b) => a - b));
    await context.close();
  });
});
