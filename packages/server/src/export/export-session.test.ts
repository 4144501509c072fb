import { createFold } from "@quarterdeck/session";
import type { Row } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";
import { exportRows } from "./export-session.ts";
import type { ExportFormat } from "./export-session.ts";

const base = { order: 1, rev: 1, at: 0, seqs: [] };
const said = (text: string): Row => ({ ...base, id: "m/0", kind: "text", messageId: "m", text });
const ran = (output: string): Row =>
  ({
    ...base,
    id: "tool/t",
    kind: "tool",
    toolUseId: "t",
    name: "Bash",
    input: { command: output },
    state: "done",
    result: { ok: true, text: output },
  }) as unknown as Row;

const exported = async (format: Extract<ExportFormat, "markdown" | "html">, rows: readonly Row[]): Promise<string> => {
  const { head } = createFold();
  const { body } = exportRows({ id: "s", title: "T", cwd: "/", createdAt: 0, head, rows }, format);
  let text = "";
  for await (const piece of body) text += piece.toString();
  return text;
};

describe("an export", () => {
  it.each(["markdown", "html"] as const)("as %s takes a megabyte of anything (S27)", async (format) => {
    const repeated = ["` ", "*_", "[(", "<!--", "| a ", "\n> ", "- [ ] ", "\u001b[", "&amp;", " \t", "#"];
    for (const piece of repeated) {
      const long = `${piece.repeat(Math.ceil(1_000_000 / piece.length))}x`;
      const text = await exported(format, piece === "` " ? [said(long), ran(long)] : [said(long)]);
      expect([piece, text.length > 300_000]).toEqual([piece, true]);
    }
  });

  it("as HTML has no markup and no address but its own", async () => {
    const hostile = `<script>alert(1)</script><img src=x onerror=alert(1)>"><svg/onload=x> [a](javascript:alert(1)) ![x](https://evil.example/y)`;
    const text = await exported("html", [said(hostile), ran(hostile)]);
    expect(text).not.toMatch(/<(?:script|img|svg|iframe|link)|<[^>]*\s(?:href|src|on\w+)=/iu);
  });

  it("as HTML reads as it was meant: code, headings, lists, tables", async () => {
    const prose = [
      "# Plan",
      "First `a < b` and **this**,",
      "then *that* 2 ** 3.",
      "",
      "- one",
      "  more of it",
      "- two",
      "1. three",
      "> said",
      "| a | b |",
      "|---|:-:|",
      "| 1 | `2` |",
      "```ts",
      "const x = **1**; // # no heading",
      "",
      "```",
      "end ` open",
    ].join("\n");
    const text = await exported("html", [said(prose)]);
    const article = /<h2>Claude<\/h2>\n([^]*)<\/article>/u.exec(text)![1]!;
    expect(article.split("\n")).toEqual([
      "<h3>Plan</h3>",
      "<p>First <code>a &lt; b</code> and <strong>this</strong>,<br>",
      "then *that* 2 ** 3.</p>",
      "<ul><li>one<br>more of it</li><li>two</li></ul>",
      "<ol><li>three</li></ol>",
      "<blockquote>said</blockquote>",
      "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><code>2</code></td></tr></table>",
      '<pre class="code">const x = **1**; // # no heading',
      "</pre>",
      "<p>end ` open</p>",
      "",
    ]);
  });

  it("as Markdown fences what could be taken for Markdown", async () => {
    expect(await exported("markdown", [ran("```\n# no heading\n```")])).toContain("````\n```\n# no heading\n```\n````");
  });
});
