import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { watchConnections } from "./arrivals.ts";

const MB = 1024 * 1024;

const port = () => {
  const server = createServer();
  // Tests only what this module does with a connection.
  server.removeAllListeners("connection");
  const arrivals = watchConnections(server);
  let ports = 0;
  const arrive = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      remotePort: ++ports,
      bytesWritten: 0,
      destroyed: false,
      setTimeout: () => undefined,
      resetAndDestroy: () => {
        socket.destroyed = true;
        socket.emit("close");
      },
    });
    server.emit("connection", socket as unknown as Socket);
    const request = { socket } as unknown as IncomingMessage;
    const ask = (bytes: number, remote = remoteAddress): boolean => {
      if (!arrivals.noteRequest(request, remote, new EventEmitter() as never)) return false;
      socket.bytesWritten += bytes;
      arrivals.noteAnswer(request);
      return true;
    };
    return { socket, request, ask };
  };
  return { arrivals, arrive };
};

it("[S41] closes the oldest connection of the most crowded address, and none of another address", () => {
  const { arrivals, arrive } = port();
  const other = arrive("192.0.2.1");
  const crowd = Array.from({ length: 600 }, () => arrive("192.0.2.2"));
  expect(arrivals.strangers).toBe(256);
  expect(other.socket.destroyed).toBe(false);
  expect(crowd.map(({ socket }) => socket.destroyed).lastIndexOf(true)).toBe(600 - 256);
});

it("[S41] behind a proxy, counts by the visitor's address", () => {
  const { arrive } = port();
  const modest = arrive("127.0.0.1");
  expect(modest.ask(100, "203.0.113.1")).toBe(true);
  for (let at = 0; at < 600; at++) arrive("127.0.0.1").ask(100, "203.0.113.2");
  expect(modest.socket.destroyed).toBe(false);
});

it("[S41] a connection with a credential is not counted, and not closed for others", () => {
  const { arrivals, arrive } = port();
  const device = arrive("127.0.0.1");
  arrivals.prove(device.request);
  for (let at = 0; at < 600; at++) arrive("127.0.0.1").ask(MB);
  expect([device.socket.destroyed, arrivals.strangers <= 256]).toEqual([false, true]);
});

it("[S41] limits unread answers of strangers: those with unread answers are closed, but never the newest", () => {
  const { arrivals, arrive } = port();
  const silent = arrive("192.0.2.9");
  const readers = Array.from({ length: 40 }, () => arrive("192.0.2.1"));
  for (const { ask } of readers) ask(MB);
  expect(arrivals.owed).toBe(32 * MB);
  const large = arrive("192.0.2.2");
  large.ask(40 * MB);
  expect([large.socket.destroyed, silent.socket.destroyed, arrivals.owed]).toEqual([false, false, 40 * MB]);
  // A client that sends another request has read the last answer.
  large.ask(1);
  expect(arrivals.owed).toBe(1);
});

it("[S41] closes a connection with five unanswered requests", () => {
  const { arrive } = port();
  const { ask, socket } = arrive("127.0.0.1");
  expect([1, 2, 3, 4, 5].map(() => ask(1))).toEqual([true, true, true, true, false]);
  expect([socket.destroyed, ask(1)]).toEqual([true, false]);
});
