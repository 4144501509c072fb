import { expect, it } from "vitest";
import { newsIn } from "./ask-briefs.ts";

it("asks about a folder when a session is new or has rested with new rows, and not while it runs", () => {
  const known = new Map<string, number>();
  const one = {
    id: "a",
    archived: false,
    origin: "quarterdeck",
    phase: "idle",
    lastOrder: 1,
    cwd: "/p/x",
    project: "/p",
  } as const;
  expect([...newsIn([one], known)]).toEqual(["/p"]);
  expect([...newsIn([one], known)]).toEqual([]);
  expect([...newsIn([{ ...one, phase: "streaming", lastOrder: 2 }], known)]).toEqual([]);
  expect([...newsIn([{ ...one, lastOrder: 3 }], known)]).toEqual(["/p"]);
  const worktree = { name: "w", branch: "w", base: "main", repository: "/p" };
  const other = { ...one, id: "b", cwd: "/p/.claude/worktrees/w", worktree };
  expect([...newsIn([{ ...one, lastOrder: 3 }, other, { ...one, id: "c", archived: true }], known)]).toEqual([
    "/p/.claude/worktrees/w",
    "/p",
  ]);
  expect([...newsIn([{ ...one, id: "d", origin: "terminal" }], known)]).toEqual([]);
});
