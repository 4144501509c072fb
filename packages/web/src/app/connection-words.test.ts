import { describe, expect, it } from "vitest";
import { connectionNote } from "./connection-words.ts";

const past = { wasOpen: true, shuttingDown: false, unsent: 0 };
const waiting = { status: "waiting", attempt: 2, retryAt: 5000, reason: "closed" } as const;

describe("the note about the connection", () => {
  it("is absent while connected", () => expect(connectionNote({ status: "open", since: 0 }, past, 0)).toBeUndefined());
  it("says what still works while offline", () =>
    expect(connectionNote(waiting, past, 1000)).toEqual({
      tone: "bad",
      title: "Offline",
      detail: "Retrying in 4 s. Messages are sent when you are back online.",
      retry: true,
    }));
  it("counts unsent messages", () =>
    expect(connectionNote(waiting, { ...past, unsent: 2 }, 1000)?.detail).toContain("2 messages are waiting."));
  it("distinguishes a restart from a lost connection", () =>
    expect(connectionNote(waiting, { ...past, shuttingDown: true }, 1000)).toMatchObject({
      tone: "wait",
      title: "The server is restarting",
    }));
  it("suggests a check when the server never answered", () =>
    expect(connectionNote(waiting, { ...past, wasOpen: false }, 9000)).toMatchObject({
      title: "The server isn't responding",
      detail: expect.stringContaining("Retrying now.") as string,
    }));
});
