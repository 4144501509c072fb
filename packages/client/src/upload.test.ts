import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "./connect.ts";
import type { Client } from "./contract.ts";
import { ModelServer } from "./model-server.fixture.ts";
import { upload } from "./upload.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let client: Client;
let answer: Answer;
let asked: unknown[];
const got: {
  method?: string | undefined;
  url?: string | undefined;
  authorization?: string | undefined;
  body: string;
}[] = [];
const http = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers } = request;
    got.push({ method, url, authorization: headers.authorization, body: Buffer.concat(chunks).toString() });
    answer(request, response);
  });
});

beforeEach(async () => {
  got.length = 0;
  asked = [];
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const server = new ModelServer();
  server.answers["tickets/create"] = (params) => {
    asked.push(params);
    return { url: "/t/ticket", expiresAt: 0 };
  };
  client = connect({
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    credentials: { kind: "token", token: "secret" },
    client: { name: "test", version: "1" },
    openSocket: server.openSocket,
  });
});
afterEach(async () => {
  client.close();
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

describe("an upload", () => {
  it("[U1] sends the bytes to the address of the ticket, and reports progress", async () => {
    answer = (_, response) => response.end(JSON.stringify({ id: "u1", mediaType: "text/plain", size: 5 }));
    const shares: number[] = [];
    const uploaded = await upload(client, new Blob(["hello"]), {
      name: "a.txt",
      onProgress: (share) => shares.push(share),
    });
    expect(uploaded).toEqual({ id: "u1", mediaType: "text/plain", size: 5 });
    expect(asked).toEqual([{ kind: "upload", name: "a.txt", size: 5 }]);
    expect(got).toEqual([{ method: "PUT", url: "/t/ticket", authorization: "Bearer secret", body: "hello" }]);
    expect(shares).toEqual([0, 1]);
  });

  it("[U1] fails with the error of the server", async () => {
    answer = (_, response) => {
      response.statusCode = 413;
      response.end(JSON.stringify({ error: { code: "too-large", message: "At most 20 MB." } }));
    };
    await expect(upload(client, new Blob(["hello"]), { name: "a" })).rejects.toMatchObject({
      code: "too-large",
      message: "At most 20 MB.",
      data: { status: 413 },
    });
  });

  it("[U1] fails if a proxy answers", async () => {
    answer = (_, response) => {
      response.statusCode = 502;
      response.end("<html>");
    };
    await expect(upload(client, new Blob(["hello"]), { name: "a" })).rejects.toMatchObject({
      code: "internal",
      message: "The upload was answered with 502.",
    });
  });

  it("[U1] fails if the connection breaks", async () => {
    answer = (request) => request.socket.destroy();
    await expect(upload(client, new Blob(["hello"]), { name: "a" })).rejects.toMatchObject({
      code: "disconnected",
      message: expect.stringMatching(/^The upload broke off \(.+\)\.$/) as unknown,
    });
  });

  it("[U1] can be stopped", async () => {
    const stop = new AbortController();
    answer = () => stop.abort();
    await expect(upload(client, new Blob(["x"]), { name: "a", signal: stop.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});
