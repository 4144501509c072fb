import { describe, expect, it } from "vitest";
import { partsOf } from "./parts.ts";

describe("the parts of a command line", () => {
  it.each([
    ["npm test", ["npm test"]],
    [
      " npm run build && FOO=1 git push > out.txt | cat; ls & pwd\nid ",
      ["npm run build", "FOO=1 git push > out.txt", "cat", "ls", "pwd", "id"],
    ],
    ['echo "a && b" || true', ['echo "a && b"', "true"]],
    ["(cd x && ls) && id", ["(cd x && ls)", "id"]],
    ["time a | b", ["time a | b"]],
    ["cat <<EOF && ls\na && b\nEOF", ["cat <<EOF && ls\na && b\nEOF"]],
    ["echo 'not closed && ls", ["echo 'not closed && ls"]],
    ["", [""]],
  ])("%j", (line, parts) => expect(partsOf(line)).toEqual(parts));

  it("are one part if there are too many of them, or the line is too long", () => {
    const many = Array.from({ length: 60 }, () => "ls").join(";");
    expect(partsOf(many)).toEqual([many]);
    const long = `echo ${"a".repeat(30_000)} && ls`;
    expect(partsOf(long)).toEqual([long]);
  });
});
