// A push service and a webhook on this machine. It decrypts with the subscription's keys and checks the sender's signature, written from
// the RFCs without our code.

import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import type { ECDH } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

type Json = any; // oxlint-disable-line typescript/no-explicit-any -- a stranger has no types

export interface Arrival {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly at: number;
}

export class PushService {
  readonly arrivals: Arrival[] = [];
  /** The next answers. Without one: 201. */
  readonly answers: number[] = [];
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url: path = "", method = "", headers } = request;
      this.arrivals.push({ path, method, headers, body: Buffer.concat(chunks), at: Date.now() });
      response.writeHead(this.answers.shift() ?? 201).end();
      for (const look of this.#lookers) look();
    });
  });

  readonly #lookers = new Set<() => void>();

  /** The newest arrival, as soon as this is true. */
  next(isThere: () => boolean): Promise<Arrival> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isThere()) return;
        this.#lookers.delete(look);
        resolve(this.arrivals.at(-1)!);
      };
      this.#lookers.add(look);
      look();
    });
  }

  static async start(): Promise<PushService> {
    const service = new PushService();
    await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** A subscription of a browser. */
  subscription(name: string): BrowserSubscription {
    return new BrowserSubscription(this, name);
  }
}

export class BrowserSubscription {
  readonly #service: PushService;
  readonly #key: ECDH = createECDH("prime256v1");
  readonly #auth = randomBytes(16);
  readonly #path: string;

  constructor(service: PushService, name: string) {
    this.#service = service;
    this.#path = `/push/${name}`;
    this.#key.generateKeys();
  }

  get params(): { endpoint: string; p256dh: string; auth: string } {
    return {
      endpoint: `http://${this.#service.host}${this.#path}`,
      p256dh: this.#key.getPublicKey().toString("base64url"),
      auth: this.#auth.toString("base64url"),
    };
  }

  get arrivals(): readonly Arrival[] {
    return this.#service.arrivals.filter(({ path }) => path === this.#path);
  }

  /** What the browser would read, in order. */
  get messages(): readonly Json[] {
    return this.arrivals.map((arrival) => this.#read(arrival));
  }

  #read({ body }: Arrival): Json {
    const [salt, idLength] = [body.subarray(0, 16), body.readUInt8(20)];
    const sender = body.subarray(21, 21 + idLength);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#key.getPublicKey(), sender]);
    const input = Buffer.from(hkdfSync("sha256", this.#key.computeSecret(sender), this.#auth, info, 32));
    const derive = (name: string, length: number): Buffer =>
      Buffer.from(hkdfSync("sha256", input, salt, Buffer.from(`Content-Encoding: ${name}\0`), length));
    const sealed = body.subarray(21 + idLength);
    const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const record = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    const end = record.findLastIndex((byte) => byte !== 0);
    if (record[end] !== 2) throw new Error("The record has no end.");
    return JSON.parse(record.subarray(0, end).toString("utf8"));
  }
}

/** The claims of a valid sender, or an error. */
export const senderOf = ({ headers }: Arrival): { readonly key: string; readonly claims: Json } => {
  const [, head, claims, signature, key] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/u.exec(headers.authorization ?? "") ?? [];
  const point = Buffer.from(key ?? "", "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const publicKey = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: x!, y: y! } });
  const said = Buffer.from(`${head}.${claims}`);
  const bytes = Buffer.from(signature ?? "", "base64url");
  if (!verify("sha256", said, { key: publicKey, dsaEncoding: "ieee-p1363" }, bytes))
    throw new Error("The signature of the sender is wrong.");
  return { key: key!, claims: JSON.parse(Buffer.from(claims!, "base64url").toString()) };
};
