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
  it.each(["markdown", "html"] as const)("as %s handles a megabyte of anything (S27)", async (format) => {
    const repeated = ["` ", "*_", "[(", "<!--", "| a ", "\n> ", "- [ ] ", "\u001b[", "&amp;", " \t", "#"];
    for (const piece of repeated) {
      const long = `${piece.repeat(Math.ceil(1_000_000 / piece.length))}x`;
      const text = await exported(format, piece === "` " ? [said(long), ran(long)] : [said(long)]);
      expect([piece, text.length > 300_000]).toEqual([piece, true]);
    }
  });

  it("as HTML has no markup and no address except its own (S12)", async () => {
    const hostile = `<script>alert(1)</script><img src=x onerror=alert(1)>"><svg/onload=x> [a](javascript:alert(1)) ![x](https://evil.example/y)`;
    const text = await exported("html", [said(hostile), ran(hostile)]);
    expect(text).not.toMatch(/<(?:script|img|svg|iframe|link)|<[^>]*\s(?:href|src|on\w+)=/iu);
  });

  it("as HTML shows code, headings, lists and tables", async () => {
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

  it("[S51] as HTML shows where a link goes, whatever its text is", async () => {
    const text = await exported("html", [
      said("[https://github.com/x](https://evil.example) \u202Emoc.buhtig\u2069\u061C"),
    ]);
    expect(text).toContain("<p>[https://github.com/x](https://evil.example) ‹U+202E›moc.buhtig‹U+2069›‹U+061C›</p>");
    expect(text).not.toMatch(/<a[ >]/u);
  });

  it.each([
    ["[https://github.com/x](https://evil.example)", "[https://github.com/x]\\(https://evil.example)"],
    ["[github.com](https://evil.example)", "[github.com]\\(https://evil.example)"],
    ["[**git**hub.com](https://evil.example 'x')", "[**git**hub.com]\\(https://evil.example 'x')"],
    ["[&#103;ithub&#46;com](https://evil.example)", "[&#103;ithub&#46;com]\\(https://evil.example)"],
    ["[github\uFF0Ecom](https://evil.example)", "[github\uFF0Ecom]\\(https://evil.example)"],
    ["[git\u200Bhub](https://evil.example)", "[git‹U+200B›hub]\\(https://evil.example)"],
    ["[\\](x)github.com](https://evil.example)", "[\\](x)github.com]\\(https://evil.example)"],
    ["[docs](https://github.com@evil.example/)", "[docs]\\(https://github.com@evil.example/)"],
    ["[docs](javascript:alert(1))", "[docs]\\(javascript:alert(1))"],
    ["[docs](<https://evil.example>)", "[docs]\\(<https://evil.example>)"],
    ["github.com](https://evil.example)", "github.com]\\(https://evil.example)"],
    ["<https://github.com@evil.example>", "\\<https://github.com@evil.example>"],
    ["[github.com][1]\n\n[1]: https://evil.example", "[github.com][1]\n\n[1]\\: https://evil.example"],
    ["> - [1]: https://evil.example", "> - [1]\\: https://evil.example"],
    ["[1\n]: https://evil.example", "[1\n]\\: https://evil.example"],
    ["![x](https://evil.example/p.png)", "!\\[x]\\(https://evil.example/p.png)"],
    [
      "[![x](https://evil.example/p.png)](https://evil.example)",
      "[!\\[x]\\(https://evil.example/p.png)]\\(https://evil.example)",
    ],
    ["<img src=https://evil.example/p.png>", "\\<img src=https://evil.example/p.png>"],
    ['<a href="https://evil.example">github.com</a>', '\\<a href="https://evil.example">github.com\\</a>'],
    ["`a` <img `b`>", "`a` \\<img `b`>"],
    ["`` ` <img>", "`` ` \\<img>"],
    // Some viewers do not read this as code.
    ["- a\n  ```\n<img>\n  ```\n<img>\n```\n<img>", "- a\n  ```\n\\<img>\n  ```\n\\<img>\n```\n\\<img>"],
    ["a\n    ```\n<img>", "a\n    ```\n\\<img>"],
    ["``` `\n<img>", "``` `\n\\<img>"],
    ["`a\n`<img>`", "`a\n`\\<img>`"],
    ["| `a | <img>` |", "| `a | \\<img>` |"],
    ["\\`<img>`<img>`", "\\`\\<img>`<img>`"],
    ["```\n<img>", "```\n<img>\n```"],
    ["```\n~~~\n<img>\n````\n<img>", "```\n~~~\n<img>\n````\n\\<img>"],
  ])("[S51] as Markdown loads nothing and shows where a link goes: %j", async (prose, safe) => {
    const text = await exported("markdown", [said(prose)]);
    expect(text).toBe(text.split("## Claude")[0]! + `## Claude\n\n${safe}\n\n`);
  });

  it("[S51] as Markdown keeps ordinary links, code and lists", async () => {
    const prose = [
      "See [the docs](https://docs.example/a_b?c=d#e), <https://docs.example> and [https://a.example/](https://a.example/).",
      "- [ ] a < b, `[x](y)`, ``<img> ` ``, arr[0]: first",
      "",
      "| `<b>` | [docs](https://docs.example) |",
      "",
      "1. run",
      "   ```html",
      "   <img src=x>",
      "   ```",
      "```md",
      "![x](https://docs.example/y.png)",
      "```",
    ].join("\n");
    expect(await exported("markdown", [said(prose)])).toContain(`\n\n${prose}\n\n`);
  });

  it.each([
    ["## Alice", "##### Alice"],
    ["# Alice", "#### Alice"],
    ["###### Alice", "###### Alice"],
    ["  ## Alice", "  ##### Alice"],
    ["> - ## Alice", "> - ##### Alice"],
    ["1. #\tAlice", "1. ####\tAlice"],
    ["##", "#####"],
    ["Alice\n---", "Alice\n\\---"],
    ["> Alice\n> ==", "> Alice\n> \\=="],
    ["done\r## Alice", "done\n##### Alice"],
    ["done\r\n\r\nAlice\r-", "done\n\nAlice\n\\-"],
    ["##\u200b Alice", "##‹U+200B› Alice"],
    // Text that only looks similar stays unchanged.
    ["#5 is fixed\n\n---\n\na\n- b", "#5 is fixed\n\n---\n\na\n- b"],
    ["```sh\n## Alice\n---\n```", "```sh\n## Alice\n---\n```"],
  ])("[S61] as Markdown cannot start the words of another speaker: %j", async (prose, safe) => {
    const text = await exported("markdown", [said(prose)]);
    expect(text.slice(text.indexOf("## Claude"))).toBe(`## Claude\n\n${safe}\n\n`);
  });

  it.each(["markdown", "html"] as const)("[S61] as %s marks invisible characters, and keeps emoji", async (format) => {
    const seen = "a\u00a0b \u2764\ufe0f\u200d\u{1f525} \u0646\u200c\u0647\u3000";
    const text = await exported(format, [
      said(`${seen}\u2800\u{e0041}\u202e\ud800`),
      ran("x\u200dy\ufe0f\ufe0f\u001b[2J\u2764\ufe0f\ufe0f"),
    ]);
    expect(text).toContain(`${seen}‹U+2800›‹U+E0041›‹U+202E›‹U+D800›`);
    expect(text).toContain("x‹U+200D›y‹U+FE0F›‹U+FE0F›‹U+001B›[2J\u2764\ufe0f‹U+FE0F›");
  });

  it("as Markdown fences text that could be read as Markdown", async () => {
    expect(await exported("markdown", [ran("```\n# no heading\n```")])).toContain("````\n```\n# no heading\n```\n````");
  });
});
