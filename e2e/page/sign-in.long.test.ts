// Signing in to an MCP server, with the real CLI and an authorization server of our own. Once the browser's last address is
// pasted, once it reaches the CLI by itself.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { startApi } from "@quarterdeck/simulator";
import type { Api } from "@quarterdeck/simulator";
import { afterAll, describe, expect, it } from "vitest";
import { cacheFolder, claudeProgram, NEWEST } from "@quarterdeck/test-kit/claude-cache";
import { cleanEnv } from "@quarterdeck/test-kit/clean-env";
import { expectSound } from "./axe.ts";
import { rowWith, settled, useDeck } from "./journey.ts";
import { SCENARIO } from "./scenario.ts";

const TOKEN = "token-of-the-harbour";

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** An MCP server that wants a token, and the server that gives it. */
const startHarbour = async (): Promise<{ server: Server; url: string; grants: string[] }> => {
  const grants: string[] = [];
  const send = (response: ServerResponse, status: number, value?: unknown, headers: Record<string, string> = {}) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(value === undefined ? "" : JSON.stringify(value));
  const server = createServer((request, response) => {
    void (async () => {
      const base = `http://${request.headers.host}`;
      const path = new URL(request.url ?? "/", base).pathname;
      const body = await bodyOf(request);
      if (path.startsWith("/.well-known/oauth-protected-resource"))
        return send(response, 200, { resource: `${base}/mcp`, authorization_servers: [base] });
      if (path.startsWith("/.well-known/oauth-authorization-server"))
        return send(response, 200, {
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          registration_endpoint: `${base}/register`,
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        });
      if (path === "/register")
        return send(response, 201, { ...(JSON.parse(body) as object), client_id: "quarterdeck-test" });
      if (path === "/token") {
        grants.push(new URLSearchParams(body).get("code") ?? "");
        return send(response, 200, { access_token: TOKEN, token_type: "Bearer", expires_in: 3600 });
      }
      if (path !== "/mcp") return send(response, 404);
      if (request.headers.authorization !== `Bearer ${TOKEN}`) {
        const where = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource"`;
        return send(response, 401, { error: "invalid_token" }, { "www-authenticate": where });
      }
      if (request.method !== "POST") return send(response, 405);
      const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: object };
      if (id === undefined) return send(response, 202);
      const result =
        method === "initialize"
          ? { ...params, capabilities: { tools: {} }, serverInfo: { name: "Harbour", version: "1" } }
          : { tools: [{ name: "moor", description: "Moors a boat", inputSchema: { type: "object" } }] };
      return send(response, 200, { jsonrpc: "2.0", id, result });
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, grants };
};

describe("[E218] signing in to an MCP server", () => {
  let api: Api;
  let harbour: Awaited<ReturnType<typeof startHarbour>>;
  const home = mkdtempSync(join(tmpdir(), "quarterdeck-sign-in-"));
  afterAll(async () => {
    await api?.close();
    harbour?.server.closeAllConnections();
    harbour?.server.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  });
  const aboard = useDeck(async () => {
    const { command, args } = await claudeProgram(NEWEST);
    api = await startApi({ scenario: SCENARIO });
    harbour = await startHarbour();
    const compileCache = join(cacheFolder(), "compiled");
    const { PATH: _path, ...env } = cleanEnv({ home, tmp: home, apiUrl: api.url, compileCache });
    return { scenario: SCENARIO, program: { command, args, env } };
  });

  /** Opens the dialog, and reads where the browser would end. */
  const begin = async (page: Page, panel: Locator): Promise<{ dialog: Locator; back: (code: string) => string }> => {
    await panel.getByRole("button", { name: "Sign in" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in to harbour" });
    const link = dialog.getByRole("link", { name: "Open the sign-in page" });
    await link.waitFor();
    const address = new URL((await link.getAttribute("href"))!);
    expect(address.pathname).toBe("/authorize");
    const back = (code: string): string => {
      const url = new URL(address.searchParams.get("redirect_uri")!);
      url.searchParams.set("code", code);
      url.searchParams.set("state", address.searchParams.get("state")!);
      return url.href;
    };
    return { dialog, back };
  };

  it("takes the address that a person pastes, or the browser's own way back, and signs out", async () => {
    const { deck, page } = aboard;
    const session = await deck.atSession(page, { prompt: "say hello" });
    await rowWith(page, "Hello from the deck.").waitFor();
    await settled(page);
    const servers = { harbour: { type: "http", url: harbour.url } };
    await deck.client.command("session/request", { session, request: { subtype: "mcp_set_servers", servers } });
    await page.getByRole("button", { name: "Show workbench" }).click();
    await page.getByRole("tab", { name: /^MCP/u }).click();
    const panel = page.getByRole("region", { name: "MCP", exact: true });
    /** The CLI connects in its own time. */
    const until = async (words: string): Promise<void> => {
      await expect
        .poll(async () => {
          await panel.getByRole("button", { name: "Refresh" }).click();
          return panel.getByRole("listitem").first().innerText();
        })
        .toContain(words);
    };
    await until("needs sign-in");
    const first = await begin(page, panel);
    await expectSound(page, "the sign-in dialog", "dialog");
    await first.dialog.getByLabel("Address of that page").fill(first.back("pasted"));
    await first.dialog.getByRole("button", { name: "Finish sign-in" }).click();
    await first.dialog.waitFor({ state: "detached" });
    await until("connected");
    expect(harbour.grants).toEqual(["pasted"]);
    await panel.getByRole("button", { name: "Show tools" }).click();
    await panel.getByText("moor", { exact: true }).waitFor();

    await panel.getByRole("button", { name: "Sign out" }).click();
    await until("needs sign-in");
    const second = await begin(page, panel);
    expect((await fetch(second.back("caught"))).ok).toBe(true);
    // Nobody presses anything: the dialog closes when the server is connected.
    await second.dialog.waitFor({ state: "detached" });
    await until("connected");
    expect(harbour.grants).toEqual(["pasted", "caught"]);
  });
});
