import { beforeEach, describe, expect, it, vi } from "vitest";
import { decodeDraft, EMPTY, readDraft, writeDraft } from "./drafts.ts";

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

describe("drafts", () => {
  let storage: ReturnType<typeof memoryStorage>;
  beforeEach(() => {
    storage = memoryStorage();
    vi.stubGlobal("localStorage", storage);
  });

  it("are kept by session", () => {
    writeDraft("a", { text: "hello", files: [file] });
    writeDraft("b", { text: "other", files: [] });
    expect(readDraft("a")).toEqual({ text: "hello", files: [file] });
    expect(readDraft("c")).toBe(EMPTY);
  });

  it("leave nothing behind when they are empty", () => {
    writeDraft("a", { text: "hello", files: [] });
    writeDraft("a", EMPTY);
    expect([...storage.entries.values()]).toEqual(["[]"]);
  });

  it("number at most 200, and the least recently used one goes first", () => {
    for (let at = 0; at < 200; at++) writeDraft(`s${at}`, { text: "x", files: [] });
    writeDraft("s0", { text: "touched", files: [] });
    writeDraft("new", { text: "x", files: [] });
    expect(readDraft("s1")).toBe(EMPTY);
    expect(readDraft("s0").text).toBe("touched");
    expect(readDraft("new").text).toBe("x");
  });

  it("last as long as the page where storage is refused", () => {
    vi.stubGlobal("localStorage", {
      getItem: () => {
        throw new Error("refused");
      },
      setItem: () => {
        throw new Error("full");
      },
      removeItem: () => undefined,
    });
    writeDraft("z", { text: "kept", files: [] });
    expect(readDraft("z").text).toBe("kept");
  });

  it.each([undefined, null, 3, "x", [], { text: 4, files: "no" }])("read %j as empty", (value) =>
    expect(decodeDraft(value)).toEqual(EMPTY),
  );
  it("leave out invalid files", () =>
    expect(decodeDraft({ text: "a", files: [file, { id: 3 }, null] })).toEqual({ text: "a", files: [file] }));
});
