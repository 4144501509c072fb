import { describe, expect, it } from "vitest";
import { parseRoute } from "../store/route.ts";
import { bySession, hrefOfPlace, paramsOf, readPlace, startOf } from "./search-place.ts";

describe("the address of a search", () => {
  it("leads back to the search it was made of", () => {
    const empty = { q: "", project: "", kinds: [], since: "" };
    const full = { q: "a/b & c=d #ü", project: "/home/me/p q", kinds: ["prompt", "file"], since: "7d" } as const;
    for (const place of [empty, full, { ...full, since: "2026-11-01" }]) {
      const route = parseRoute(hrefOfPlace(place));
      expect(route.screen === "search" && readPlace(route.query)).toEqual(place);
    }
  });

  it("ignores what it does not know", () => {
    expect(readPlace("q=x&kind=prompt,nothing&since=yesterday&other=1")).toEqual({
      ...{ q: "x", project: "", kinds: ["prompt"], since: "" },
    });
    expect(readPlace("since=2026-99-99").since).toBe("");
    expect(readPlace(`q=${"x".repeat(500)}`).q).toHaveLength(200);
  });

  it("becomes the parameters of a call, and without words there is no call", () => {
    const now = 10 * 86_400_000;
    const place = readPlace("q= a.ts &project=/p&kind=command&since=7d");
    expect(paramsOf(place, 50, now)).toEqual({
      ...{ query: "a.ts", limit: 50, project: "/p", kinds: ["command"], since: 3 * 86_400_000 },
    });
    expect(paramsOf(readPlace('q=" *'), 50, now)).toBeUndefined();
    expect(startOf("2026-11-01", 0)).toBe(new Date(2026, 10, 1).getTime());
  });

  it("groups hits by session, the newest first", () => {
    const hits = ["b", "a", "b", "c"].map((session, at) => ({ session, at }));
    expect(bySession(hits).map(({ session, hits: found }) => [session, found.length])).toEqual([
      ["b", 2],
      ["a", 1],
      ["c", 1],
    ]);
  });
});
