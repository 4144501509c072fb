import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contentsOf, put, reviewBench, said, script, shell, write } from "./checkpoints.fixture.ts";

describe("checkpoints", () => {
  it("[C1] tell apart what a tool, a command and a person changed, per turn and in all", async () => {
    const made = await reviewBench((folder) => [
      script("first", write(join(folder, "a.txt"), "one\ntwo\n"), shell("echo shell > b.txt")),
      script("second", shell("sed -i s/one/1/ a.txt")),
    ]);
    const { cwd, start, reviews } = made;
    put(cwd, { "old.txt": "old\n" });
    const session = await start();
    const first = await said(made, session, "first");
    put(cwd, { "old.txt": "mine\n" });
    const second = await said(made, session, "second");
    const all = (await reviews.changes(session))!;
    const files = (review: typeof all) => review.files.map(({ path, status, by }) => [path, status, by.join(" ")]);
    expect(files(all)).toEqual([
      ["a.txt", "added", "tool shell"],
      ["b.txt", "added", "shell"],
      ["old.txt", "modified", "outside"],
    ]);
    expect(all.totals).toEqual({ files: 2, added: 3, removed: 0 });
    expect(all.turns.map(({ prompts, totals }) => [prompts, totals])).toEqual([
      [[first], { files: 2, added: 3, removed: 0 }],
      [[second], { files: 1, added: 1, removed: 1 }],
    ]);
    expect(files((await reviews.changes(session, { turn: second }))!)).toEqual([["a.txt", "modified", "shell"]]);
    expect(session.head.changes).toEqual({ files: 2, added: 3, removed: 0 });
  });

  it("[C4] rewind to a prompt leaves what a person wrote, can be undone, and is refused during a turn", async () => {
    const made = await reviewBench((folder) => [
      script("first", write(join(folder, "a.txt"), "one\n")),
      script("second", shell("echo two > a.txt; mkdir d; echo x > d/x; rm old.txt")),
    ]);
    const { cwd, start, wayBack } = made;
    put(cwd, { "old.txt": "old\n", "mine.txt": "1\n" });
    const session = await start();
    const first = await said(made, session, "first");
    const second = await said(made, session, "second");
    put(cwd, { "mine.txt": "2\n" });
    const before = contentsOf(cwd);
    const plan = await wayBack.planRewind(session, { prompt: second });
    expect(plan.files.map(({ path, action }) => [path, action])).toEqual([
      ["a.txt", "write"],
      ["d/x", "remove"],
      ["old.txt", "create"],
    ]);
    expect(plan.left).toMatchObject([{ path: "mine.txt", by: ["outside"] }]);
    const done = await wayBack.rewind(session, { prompt: second }, { id: "r1" });
    expect(contentsOf(cwd)).toEqual({ "a.txt": "one\n", "old.txt": "old\n", "mine.txt": "2\n" });
    expect(existsSync(join(cwd, "d"))).toBe(false);
    await wayBack.undo(session, done.id!, { id: "u1" });
    expect(contentsOf(cwd)).toEqual(before);
    await wayBack.rewind(session, { prompt: first, outside: "also" }, { id: "r2" });
    expect(contentsOf(cwd)).toEqual({ "old.txt": "old\n", "mine.txt": "1\n" });
  });
});
