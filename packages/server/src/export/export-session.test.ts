import { createHash } from "node:crypto";
import { createMemoryStore } from "@quarterdeck/host";
import { createFold } from "@quarterdeck/session";
import type { Row } from "@quarterdeck/session";
import { describe, expect, it } from "vitest";
import { roundsOf } from "@quarterdeck/test-kit/how-much";
import type { Download } from "../http/contract.ts";
import { exportEvents, exportRows, secretsOf } from "./export-session.ts";
import type { ExportChoice, ExportFormat } from "./export-session.ts";
import { findingId } from "./redaction.ts";

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

const textOf = async ({ body }: Download): Promise<string> => {
  let text = "";
  for await (const piece of body) text += piece.toString();
  return text;
};

const exported = (
  format: Extract<ExportFormat, "markdown" | "html">,
  rows: readonly Row[],
  choice?: ExportChoice,
): Promise<string> =>
  textOf(exportRows({ id: "s", title: "T", cwd: "/", createdAt: 0, head: createFold().head, rows }, format, choice));

describe("an export", () => {
  it.each(["markdown", "html"] as const)("as %s handles a very long line of anything (S27)", async (format) => {
    const repeated = ["` ", "*_", "[(", "<!--", "| a ", "\n> ", "- [ ] ", "\u001b[", "&amp;", " \t", "#"];
    const size = roundsOf(1_000_000);
    for (const piece of repeated) {
      const long = `${piece.repeat(Math.ceil(size / piece.length))}x`;
      const text = await exported(format, piece === "` " ? [said(long), ran(long)] : [said(long)]);
      expect([piece, text.length > 0.3 * size]).toEqual([piece, true]);
    }
  });

  it("as HTML has no markup and no address except its own (S12)", async () => {
    const hostile = `<script>alert(1)</script><img src=x onerror=alert(1)>"><svg/onload=x> [a](javascript:alert(1)) ![x](https://evil.example/y)`;
    const text = await exported("html", [said(hostile), ran(hostile)]);
    const script = /<script>([^]*)<\/script>/u.exec(text)![1]!;
    const rest = text.replace(`<script>${script}</script>`, "");
    expect(rest).not.toMatch(/<(?:script|img|svg|iframe|link)|<[^>]*\s(?:href|src|on\w+)=/iu);
    // Its own script does not depend on the session, and the page's policy allows no other.
    expect(await exported("html", [])).toContain(`<script>${script}</script>`);
    const hash = createHash("sha256").update(script).digest("base64");
    const policy = /Content-Security-Policy" content="([^"]*)"/u.exec(text)![1]!;
    expect(policy).toContain(`default-src 'none'; script-src 'sha256-${hash}'; style-src 'sha256-`);
    expect(policy).not.toContain("unsafe");
    expect(script).not.toMatch(/fetch|XMLHttp|WebSocket|import\(|innerHTML|https?:/u);
  });

  it.each(["markdown", "html"] as const)("[X1] as %s has the sources of an answer as plain text", async (format) => {
    const citations = [
      { url: "https://tides.example/a", title: "Tides <b>[x](https://evil.example)" },
      { url: "javascript:alert(1)", title: "Chart" },
    ];
    const text = await exported(format, [{ ...said("At six."), citations } as Row]);
    expect(text).toContain("https://tides.example/a");
    expect(text).toContain("2. Chart");
    expect(text).not.toContain("javascript:");
    if (format === "html") expect(text).not.toMatch(/<b>\[x\]|href="https:\/\/(?:evil|tides)/u);
  });

  it("[X1] as HTML shows code, headings, lists and tables", async () => {
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

  it("[X1] as Markdown fences text that could be read as Markdown", async () => {
    expect(await exported("markdown", [ran("```\n# no heading\n```")])).toContain("````\n```\n# no heading\n```\n````");
  });

  const edited = (more: object): Row =>
    ({
      ...{ ...base, id: "tool/e", kind: "tool", toolUseId: "e", name: "Edit", state: "done" },
      input: { file_path: "/a.ts", old_string: "one\ntwo", new_string: "<b>1</b>" },
      ...more,
    }) as unknown as Row;

  it("[X2] shows what an edit changed as a diff, from the CLI's patch or from the input", async () => {
    const fromInput = await exported("html", [edited({})]);
    expect(fromInput).toContain('<span class="minus">-one\n</span><span class="minus">-two\n</span>');
    expect(fromInput).toContain('<span class="plus">+&lt;b&gt;1&lt;/b&gt;\n</span>');
    expect(fromInput).not.toContain("old_string");
    const hunk = { oldStart: 4, oldLines: 2, newStart: 4, newLines: 1, lines: [" same", "-gone"] };
    const result = { tool: "Edit", ok: true, text: "", structured: { structuredPatch: [hunk] } };
    expect(await exported("markdown", [edited({ result })])).toContain(
      "diff:\n\n```diff\n@@ -4,2 +4,1 @@\n same\n-gone\n```\n",
    );
    const several = { name: "MultiEdit", input: { edits: [{ old_string: "a", new_string: "b" }, 7] } };
    expect(await exported("markdown", [edited(several)])).toContain("```diff\n-a\n+b\n```");
  });

  it("[X2] has a time line with shortened pauses, where results come when they came", async () => {
    const rows = [
      { ...said("first"), at: 1_000 },
      { ...ran("ls"), at: 1_300, endedAt: 3_600_000 },
      { ...said("last"), at: 3_600_500 },
    ] as Row[];
    const html = await exported("html", rows);
    expect(
      Array.from(html.matchAll(/data-t="(\d+)" data-at="(\d+)"/gu), ([, t, at]) => [Number(t), Number(at)]),
    ).toEqual([
      [0, 1_000],
      [300, 1_300],
      [2_300, 3_600_000],
      [2_800, 3_600_500],
    ]);
  });

  it("[X3] leaves out what a person does not want in it", async () => {
    const inner = { ...said("inner words"), id: "m/1", parent: "t" };
    const thought = { ...base, id: "m/2", kind: "thinking", messageId: "m", text: "inner thought" } as unknown as Row;
    const note = { ...base, id: "n", kind: "notice", level: "info", topic: "topic", text: "a note" } as unknown as Row;
    const rows = [said("answer"), ran("ran this"), inner, thought, note];
    for (const format of ["markdown", "html"] as const) {
      const all = await exported(format, rows);
      for (const words of ["answer", "ran this", "inner words", "inner thought", "a note"])
        expect(all).toContain(words);
      const few = await exported(format, rows, { without: ["thinking", "agents", "notes", "results"] });
      expect(few.match(/ran this|inner \w+|a note|answer/gu)).toEqual(["answer", "ran this"]);
      expect(await exported(format, rows, { without: ["tools"] })).not.toContain("ran this");
    }
  });

  const AWS = ["AKIA", "QWERTYUIOPASDFGH"].join("");
  it.each(["markdown", "html"] as const)("[X3] as %s has no secrets except those a person keeps", async (format) => {
    const rows = [said("it is hunter2hunter"), ran(`DB_PASSWORD=hunter2hunter ${AWS}`), said(AWS)];
    const { list } = await secretsOf({ title: "T", rows });
    expect(list.map(({ kind, shown, count, rowId }) => [kind, shown, count, rowId])).toEqual([
      ["named secret", "hunt…er", 1, "tool/t"],
      ["AWS key", "AKIA…GH", 2, "tool/t"],
    ]);
    expect(JSON.stringify(list)).not.toMatch(/hunter2hunter|QWERTY/u);
    expect(await exported(format, rows)).toContain("hunter2hunter");
    const clean = await exported(format, rows, { redact: { keep: [] } });
    expect(clean).not.toMatch(/hunter2|QWERTY/u);
    expect(clean).toContain("it is [removed: named secret]");
    const kept = await exported(format, rows, { redact: { keep: [findingId(AWS)] } });
    expect(kept.split(AWS)).toHaveLength(4);
    expect(kept).not.toContain("hunter2");
  });

  it("[X3] as JSON lines stays JSON, and has no secrets in nested texts", async () => {
    const store = createMemoryStore();
    const nested = JSON.stringify({ key: `DB_PASSWORD="hunter2hunter"` });
    await store.append("s", [
      { at: 1, fact: { type: "prompt-accepted", uuid: "p", content: `use hunter2hunter and ${AWS}` } },
      { at: 2, fact: { type: "received", message: { type: "x", api_key: "q8w7e6r5t4y3", deep: [nested] } as never } },
    ]);
    const lines = async (choice?: ExportChoice): Promise<string> =>
      textOf(exportEvents(store, "s", "ndjson", "admin", choice));
    expect(await lines()).toContain("hunter2hunter");
    const clean = await lines({ redact: { keep: [] } });
    expect(clean).not.toMatch(/hunter2|QWERTY|q8w7e6/u);
    const parsed = clean
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq: number; content?: string });
    expect(parsed.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(parsed[0]?.content).toBe("use [removed: named secret] and [removed: AWS key]");
  });
});
