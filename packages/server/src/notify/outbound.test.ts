import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOutbound, isPublicAddress, publicLookup } from "./outbound.ts";

const ORDER = { method: "POST", headers: {}, body: Buffer.from("x") } as const;

describe("[S77] the way out for notifications", () => {
  it("knows public addresses", () => {
    const open = ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::1"];
    const closed = [
      ...[
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.31.0.1",
        "192.168.1.1",
        "198.18.0.1",
      ],
      ...[
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:1.1.1.1",
        "64:ff9b::a00:1",
        "fc00::1",
        "fe80::1",
        "ff02::1",
      ],
      ...["2001:db8::1", "2002:7f00:1::", "2001::1", "nonsense", ""],
    ];
    expect(open.filter((one) => !isPublicAddress(one))).toEqual([]);
    expect(closed.filter((one) => isPublicAddress(one))).toEqual([]);
  });

  it("refuses a name that resolves to this machine when it connects, whatever the address looked like", async () => {
    const found = await new Promise<string>((resolve) =>
      publicLookup("localhost", { all: true }, (error) => resolve(error?.message ?? "allowed")),
    );
    expect(found).toBe("localhost is not a public host.");
  });

  it("reaches a named host, follows no redirect and reads no long answer", async () => {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? "");
      if (request.url === "/away") response.writeHead(302, { location: "/secret" }).end();
      else if (request.url === "/later") response.writeHead(429, { "retry-after": "7" }).end();
      else response.writeHead(200).end("x".repeat(1_000_000));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const outbound = createOutbound([host]);
    onTestFinished(() => {
      outbound.close();
      server.closeAllConnections();
      server.close();
    });
    expect(await outbound.send({ ...ORDER, url: `http://${host}/away` })).toEqual({ status: 302 });
    expect(await outbound.send({ ...ORDER, url: `http://${host}/later` })).toEqual({ status: 429, retryAfterMs: 7000 });
    expect(await outbound.send({ ...ORDER, url: `http://${host}/long` })).toEqual({ status: 200 });
    expect(paths).toEqual(["/away", "/later", "/long"]);
  });
});
