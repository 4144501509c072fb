// After any tools and commands, in any order, a rewind to a prompt restores the bytes from when the prompt was sent. An
// undo restores the bytes from before the rewind.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import { contentsOf, git, put, reviewBench, said, script, shell, write } from "./checkpoints.fixture.ts";

const PATHS = ["a.txt", "b.txt", "d", "d/x.txt", "d/e/y.txt"];
const path = fc.constantFrom(...PATHS);
const content = fc.constantFrom("", "one\n", "two\n", "no end", "\\0\\377\\r\\n", "one\ntwo\nthree\n");

const operation = fc.oneof(
  fc.record({ kind: fc.constant("tool" as const), path: fc.constantFrom("a.txt", "b.txt", "c/t.txt"), content }),
  fc.record({ kind: fc.constant("put" as const), path, content }),
  fc.record({ kind: fc.constant("append" as const), path, content }),
  fc.record({ kind: fc.constant("remove" as const), path, content }),
  fc.record({ kind: fc.constant("move" as const), path, content: path }),
  fc.record({ kind: fc.constant("mode" as const), path, content }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const stepOf = (cwd: string, { kind, path: name, content: value }: Operation) => {
  const folder = `mkdir -p "$(dirname ${name})" 2>/dev/null;`;
  switch (kind) {
    case "tool":
      return write(join(cwd, name), value);
    case "put":
      return shell(`${folder} printf '${value}' > ${name} || true`);
    case "append":
      return shell(`${folder} printf '${value}' >> ${name} || true`);
    case "remove":
      return shell(`rm -rf ${name}`);
    case "move":
      return shell(`${folder} [ -f ${name} ] && mv -f ${name} ${value} 2>/dev/null || true`);
    case "mode":
      return shell(`chmod +x ${name} 2>/dev/null || true`);
  }
};

it("[C4] a rewind to any prompt gives the bytes that were there, and its undo gives them back", async () => {
  const turns = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(turns, fc.nat(), fc.boolean(), async (all, chosen, hasGit) => {
      const made = await reviewBench((cwd) =>
        all.map((operations, at) => script(`turn-${at}`, ...operations.map((each) => stepOf(cwd, each)))),
      );
      const { cwd, start, wayBack, host } = made;
      if (hasGit) git(cwd, "init", "-q");
      put(cwd, { "a.txt": "first\n", "d/x.txt": "x\n" });
      const session = await start();
      const states: { prompt: string; before: Record<string, string> }[] = [];
      for (const at of all.keys()) {
        const before = contentsOf(cwd);
        states.push({ prompt: await said(made, session, `turn-${at}`), before });
      }
      const end = contentsOf(cwd);
      const { prompt, before } = states[chosen % states.length]!;
      const done = await wayBack.rewind(session, { prompt }, { id: "rewind" });
      expect(done.left).toEqual([]);
      expect(contentsOf(cwd)).toEqual(before);
      if (done.id !== undefined) {
        // What a person writes meanwhile stays.
        writeFileSync(join(cwd, "person.txt"), "mine\n");
        expect((await wayBack.undo(session, done.id, { id: "undo" })).left).toEqual([]);
        expect(contentsOf(cwd)).toEqual({ ...end, "person.txt": "mine\n" });
      }
      await host.delete(session.id);
    }),
    { numRuns: roundsOf(3) },
  );
});
