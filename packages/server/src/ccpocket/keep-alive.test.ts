import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { WebSocket } from "ws";
import { keepSocketAlive } from "./keep-alive.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const socket = () => {
  const events = new EventEmitter();
  const ws = Object.assign(events, {
    ping: vi.fn<() => void>(),
    terminate: vi.fn<() => void>(() => void events.emit("close")),
  });
  keepSocketAlive(ws as unknown as WebSocket);
  return ws;
};

it("[Y1] pings an app every five seconds, and drops an app that is silent for twenty", () => {
  const ws = socket();
  vi.advanceTimersByTime(14_000);
  expect([ws.ping.mock.calls.length, ws.terminate.mock.calls.length]).toEqual([2, 0]);
  vi.advanceTimersByTime(6000);
  expect(ws.terminate).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(60_000);
  expect(ws.terminate).toHaveBeenCalledOnce();
});

it.each(["pong", "message"])("[Y1] keeps one from which a %s comes", (event) => {
  const ws = socket();
  for (let at = 0; at < 6; at++) {
    vi.advanceTimersByTime(10_000);
    ws.emit(event);
  }
  expect(ws.terminate).not.toHaveBeenCalled();
});
