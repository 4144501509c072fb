// One connection to NATS. It reconnects by itself. While it is disconnected, NATS drops what is published, without an error.
// So this module refuses it instead. It tells its listeners when the connection went down and came back.

import { connect, errors, nkeyAuthenticator, nkeys } from "@nats-io/transport-node";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { checkServerIdentity } from "node:tls";
import type { PeerCertificate } from "node:tls";
import { FleetError } from "./fleet-error.ts";

const PING_MS = 2000;
const MISSED_PINGS = 2;
const RECONNECT_MS = 100;
/** Short, so that a link that is up again is used soon. */
const CONNECT_MS = 2500;

export interface BusOptions {
  readonly url: string;
  /** The secret key of this user. */
  readonly seed: string;
  readonly inboxPrefix: string;
  /** PEM of a certificate that signs itself. */
  readonly certificate?: string;
  readonly onUp?: () => void;
  readonly onDown?: () => void;
  /** The server no longer accepts this key. The bus stays closed. */
  readonly onRefused?: () => void;
}

export interface BusMessage {
  readonly subject: string;
  readonly bytes: Uint8Array;
  /** Set for a request. */
  readonly answer: ((bytes: Uint8Array) => void) | undefined;
}

export interface Bus {
  readonly isUp: boolean;
  /** What the server says about itself. */
  readonly server: { readonly version: string; readonly isOpenToAll: boolean };
  /** Returns false if the bus is down. Nothing is sent later. */
  publish(subject: string, bytes: Uint8Array): boolean;
  /** Rejects with `bus-down`, `machine-away` (nobody listens) or `no-answer`. */
  request(subject: string, bytes: Uint8Array, withinMs: number): Promise<Uint8Array>;
  subscribe(subject: string, listener: (message: BusMessage) => void): void;
  /** Resolves when the server has everything that was published. */
  flush(): Promise<void>;
  /** Whether the server lets this user subscribe. For checks of its permissions. */
  maySubscribe(subject: string): Promise<boolean>;
  mayPublish(subject: string): Promise<boolean>;
  close(): Promise<void>;
}

export const newKey = (): { readonly seed: string; readonly publicKey: string } => {
  const pair = nkeys.createUser();
  return { seed: new TextDecoder().decode(pair.getSeed()), publicKey: pair.getPublicKey() };
};

export const publicKeyOf = (seed: string): string => nkeys.fromSeed(new TextEncoder().encode(seed)).getPublicKey();

export const isPublicKey = (text: string): boolean => /^U[A-Z2-7]{55}$/u.test(text);

export const openBus = async (options: BusOptions): Promise<Bus> => {
  const connection = await dial(options);
  let isUp = true;
  const violations = new Set<(subject: string) => void>();

  const watch = async (): Promise<void> => {
    for await (const status of connection.status()) {
      if (status.type === "disconnect" && isUp) {
        isUp = false;
        options.onDown?.();
      } else if (status.type === "reconnect" && !isUp) {
        isUp = true;
        options.onUp?.();
      } else if (status.type === "error" && status.error instanceof errors.PermissionViolationError) {
        for (const listener of violations) listener(status.error.subject);
      }
    }
  };
  void watch();
  let isClosing = false;
  void connection.closed().then(() => {
    if (isUp) options.onDown?.();
    isUp = false;
    if (!isClosing) options.onRefused?.();
  });

  /** A violation is reported before the answer to the next ping. */
  const isAllowed = async (subject: string, attempt: () => void): Promise<boolean> => {
    let isRefused = false;
    const listener = (refused: string): void => {
      if (refused === subject) isRefused = true;
    };
    violations.add(listener);
    try {
      attempt();
      await connection.flush();
      // The report passes through a queue of its own.
      await new Promise((resolve) => setTimeout(resolve, 20));
      return !isRefused;
    } finally {
      violations.delete(listener);
    }
  };

  return {
    get isUp() {
      return isUp;
    },
    get server() {
      const { version = "", auth_required: needsKey = false } = connection.info ?? {};
      return { version, isOpenToAll: !needsKey };
    },
    publish(subject, bytes) {
      if (!isUp) return false;
      connection.publish(subject, bytes);
      return true;
    },
    async request(subject, bytes, withinMs) {
      if (!isUp) throw new FleetError("bus-down", "The NATS server of the fleet cannot be reached.");
      try {
        return (await connection.request(subject, bytes, { timeout: withinMs })).data;
      } catch (error) {
        throw explained(error);
      }
    },
    subscribe(subject, listener) {
      const callback = (error: Error | null, message: Msg): void => {
        if (error !== null) return;
        const { subject: on, data, reply } = message;
        const answer =
          reply === undefined || reply === "" ? undefined : (with_: Uint8Array) => void message.respond(with_);
        listener({ subject: on, bytes: data, answer });
      };
      connection.subscribe(subject, { callback });
    },
    flush: () => connection.flush(),
    maySubscribe: (subject) =>
      isAllowed(subject, () => {
        // The server reports a refused subscription to its callback as well.
        const probe = connection.subscribe(subject, { callback: () => undefined });
        void connection.flush().then(() => {
          if (!probe.isClosed()) probe.unsubscribe();
        });
      }),
    mayPublish: (subject) => isAllowed(subject, () => connection.publish(subject, new Uint8Array())),
    async close() {
      isClosing = true;
      await connection.close();
    },
  };
};

const dial = async ({ url, seed, inboxPrefix, certificate }: BusOptions): Promise<NatsConnection> => {
  try {
    return await connect({
      servers: url,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
      inboxPrefix,
      pingInterval: PING_MS,
      maxPingOut: MISSED_PINGS,
      reconnectTimeWait: RECONNECT_MS,
      reconnectJitter: RECONNECT_MS,
      reconnectJitterTLS: RECONNECT_MS,
      maxReconnectAttempts: -1,
      ignoreClusterUpdates: true,
      noAsyncTraces: true,
      timeout: CONNECT_MS,
      ...(url.startsWith("tls:") && { tls: tlsFor(url, certificate) }),
    });
  } catch (error) {
    throw explained(error);
  }
};

/** The library compares the certificate with a name only, never with an address. A certificate from the join code is known itself. */
const tlsFor = (url: string, certificate: string | undefined): object => {
  if (certificate !== undefined) return { ca: certificate, checkServerIdentity: () => undefined };
  const host = new URL(url).hostname.replaceAll(/^\[|\]$/gu, "");
  return { checkServerIdentity: (_name: string, peer: PeerCertificate) => checkServerIdentity(host, peer) };
};

/** Codes of OpenSSL and of Node's check of the name. */
const WRONG_CERTIFICATE = /CERT|ISSUER|SIGNATURE|ALTNAME/u;

const explained = (error: unknown): unknown => {
  if (error instanceof errors.NoRespondersError || (error as Error).cause instanceof errors.NoRespondersError)
    return new FleetError("machine-away", "This machine is not connected to the fleet.");
  if (error instanceof errors.TimeoutError || (error as Error).cause instanceof errors.TimeoutError)
    return new FleetError("no-answer", "No answer came in time.");
  if (error instanceof errors.AuthorizationError || /authorization violation/iu.test((error as Error).message))
    return new FleetError("not-accepted", "The NATS server does not accept this key.");
  if (error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError)
    return new FleetError("bus-down", "The NATS server of the fleet cannot be reached.");
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && WRONG_CERTIFICATE.test(code))
    return new FleetError("wrong-certificate", `The certificate of the NATS server cannot be trusted (${code}).`);
  return new FleetError("bus-down", `The NATS server cannot be reached: ${code ?? message}.`);
};
