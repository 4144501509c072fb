import { describe, expect, it } from "vitest";
import { connectionNote } from "./connection-words.ts";

const past = { wasOpen: true, shuttingDown: false, unsent: 0 };
const waiting = { status: "waiting", attempt: 2, retryAt: 5000, reason: "closed" } as const;

describe("what is said of the connection", () => {
  it("is nothing while it stands", () => expect(connectionNote({ status: "open", since: 0 }, past, 0)).toBeUndefined());
  it("is what still works while it is away", () =>
    expect(connectionNote(waiting, past, 1000)).toEqual({
      tone: "bad",
      title: "Offline",
      detail: "Trying again in 4 s. You can read what is loaded and write; what you send waits here and goes out once.",
      retry: true,
    }));
  it("counts what waits here", () =>
    expect(connectionNote(waiting, { ...past, unsent: 2 }, 1000)?.detail).toContain("2 messages wait here"));
  it("tells a restart from a loss", () =>
    expect(connectionNote(waiting, { ...past, shuttingDown: true }, 1000)).toMatchObject({
      tone: "wait",
      title: "The server is restarting",
    }));
  it("asks whether the server runs where it never answered", () =>
    expect(connectionNote(waiting, { ...past, wasOpen: false }, 9000)).toMatchObject({
      title: "The server does not answer",
      detail: expect.stringContaining("Trying again now.") as string,
    }));
});
