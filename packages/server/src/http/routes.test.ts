import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, startServer, upgrade } from "./http-server.fixture.ts";
import type { Running } from "./http-server.fixture.ts";
import { ROUTES, routeOf } from "./routes.ts";

/**
 * Every route, and what it needs. Add each new route here, on purpose. `nothing` opens it to anyone who can reach the
 * port. `code` means that the route itself asks for a code or a ticket that cannot be guessed.
 */
const LISTED: Readonly<Record<string, string>> = {
  bridge: "challenge",
  healthz: "nothing",
  metrics: "token",
  pair: "code",
  ticket: "code",
  // The other machine checks its own tickets and challenges.
  machine: "code",
  page: "nothing",
};
const EXAMPLES: Readonly<Record<string, string>> = {
  bridge: "/bridge",
  healthz: "/healthz",
  metrics: "/metrics",
  pair: "/pair",
  ticket: `/t/${"a".repeat(43)}`,
  machine: "/m/box/healthz",
  page: "/",
};
/** What a stranger with the page's origin gets. Every other request is refused. */
const FOR_STRANGERS: Readonly<Record<string, number>> = {
  "GET healthz": 200,
  "HEAD healthz": 200,
  "GET page": 200,
  "HEAD page": 200,
};

let running: Running;
beforeAll(async () => {
  running = await startServer();
});
afterAll(() => running.stop());

describe("the table of routes (S3)", () => {
  it("has the listed routes and no others", () => {
    expect(Object.fromEntries(ROUTES.map(({ name, need }) => [name, need]))).toEqual(LISTED);
  });

  it("matches every path; the page comes last", () => {
    expect(Object.fromEntries(ROUTES.map(({ name }) => [name, routeOf(EXAMPLES[name]!).name]))).toEqual(
      Object.fromEntries(ROUTES.map(({ name }) => [name, name])),
    );
    expect(ROUTES.at(-1)!.name).toBe("page");
  });

  it("gives a stranger only the page and a sign of life, with any method", async () => {
    const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"];
    const given: Record<string, number> = {};
    for (const { name } of ROUTES) {
      for (const method of methods) {
        const { status } = await ask(running, { method, path: EXAMPLES[name]!, headers: { origin: running.origin } });
        if (status < 400) given[`${method} ${name}`] = status;
      }
    }
    expect(given).toEqual(FOR_STRANGERS);
  });

  it("has one socket, the bridge's", async () => {
    const answers: Record<string, number> = {};
    for (const [name, path] of Object.entries(EXAMPLES)) {
      const { status, ws } = await upgrade(running, { origin: running.origin }, path);
      answers[name] = status;
      ws?.terminate();
    }
    expect(answers).toEqual({
      bridge: 101,
      healthz: 404,
      machine: 404,
      metrics: 404,
      pair: 404,
      ticket: 404,
      page: 404,
    });
  });

  it("reveals nothing of the disk for invalid paths and paths with dots", async () => {
    const paths = [
      "/../package.json",
      "/%2e%2e/package.json",
      "/assets/../../package.json",
      "/%00.js",
      "/%zz",
      "/.env",
    ];
    const statuses = [];
    for (const path of paths) statuses.push((await ask(running, { path })).status);
    expect(statuses).toEqual([404, 404, 404, 400, 400, 200]);
    // A name without an extension is a place in the page.
    expect((await ask(running, { path: "/.env" })).text).toContain("<title>Quarterdeck</title>");
  });
});
