import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { decodeUnsent, EMPTY, readUnsent, writeUnsent } from "./unsent.ts";

const file = { id: "u1", name: "a.png", mediaType: "image/png", size: 3 };

const memoryStorage = () => {
  const entries = new Map<string, string>();
  return {
    entries,
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  };
};

describe("unsent text", () => {
  let storage: ReturnType<typeof memoryStorage>;
  beforeEach(() => {
    storage = memoryStorage();
    vi.stubGlobal("localStorage", storage);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("is kept by session", () => {
    writeUnsent("a", { text: "hello", files: [file] });
    writeUnsent("b", { text: "other", files: [] });
    expect(readUnsent("a")).toEqual({ text: "hello", files: [file] });
    expect(readUnsent("c")).toBe(EMPTY);
  });

  it("leaves nothing behind when it is empty", () => {
    writeUnsent("a", { text: "hello", files: [] });
    writeUnsent("a", EMPTY);
    expect([...storage.entries.values()]).toEqual(["[]"]);
  });

  it("is kept for at most 200 sessions, and the least recently used goes first", () => {
    for (let at = 0; at < 200; at++) writeUnsent(`s${at}`, { text: "x", files: [] });
    writeUnsent("s0", { text: "touched", files: [] });
    writeUnsent("new", { text: "x", files: [] });
    expect(readUnsent("s1")).toBe(EMPTY);
    expect(readUnsent("s0").text).toBe("touched");
    expect(readUnsent("new").text).toBe("x");
  });

  it("lasts as long as the page if storage is refused", () => {
    vi.stubGlobal("localStorage", {
      getItem: () => {
        throw new Error("refused");
      },
      setItem: () => {
        throw new Error("full");
      },
      removeItem: () => undefined,
    });
    writeUnsent("z", { text: "kept", files: [] });
    expect(readUnsent("z").text).toBe("kept");
  });

  it.each([undefined, null, 3, "x", [], { text: 4, files: "no" }])("reads %j as empty", (value) =>
    expect(decodeUnsent(value)).toEqual(EMPTY),
  );
  it("leaves out invalid files", () =>
    expect(decodeUnsent({ text: "a", files: [file, { id: 3 }, null] })).toEqual({ text: "a", files: [file] }));
});
