import { row, tool, type Scene } from "./parts.ts";

/** Hostile text, in every place where text is shown. */
const HOSTILE = [
  "<script>alert(1)</script>",
  '<img src="https://evil.example/p.png" onerror="alert(1)">',
  "![x](https://evil.example/p.png)",
  "![x](javascript:alert(1))",
  "[x](javascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x) [y](file:///etc/passwd) [z](//evil.example)",
  "[https://bank.example](https://evil.example)",
  "<a href='javascript:alert(1)'>x</a>",
  "<iframe src='https://evil.example'></iframe><svg onload=alert(1)>",
  "[ref]: javascript:alert(1)",
  "<style>*{display:none}</style><base href='https://evil.example/'><meta http-equiv=refresh content='0;url=https://evil.example'>",
  "$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://evil.example/p.png}$ $\\htmlStyle{position:fixed}{x}$",
  "\u001B]8;;https://evil.example\u0007link\u001B]8;;\u0007\u001B]52;c;QQ==\u0007\u001B]0;title\u0007",
  '```mermaid\ngraph TD\n  A["<img src=x onerror=alert(1)>"] --> B\n  click A "javascript:alert(1)"\n  style A fill:url(https://evil.example/p.png)\n```',
  '```mermaid\n%%{init: {"securityLevel": "loose", "themeCSS": "@import url(https://evil.example/x.css);"}}%%\ngraph TD\n  A --> B\n```',
  "\u202Eevil\u202C \u200B\uFEFF",
].join("\n\n");

export const hostile: Scene = (view) => {
  const shell = { stdout: HOSTILE, stderr: HOSTILE, interrupted: false };
  view.add([
    row({ kind: "prompt", content: HOSTILE, state: "done", by: { id: "d", name: HOSTILE } }),
    row({ kind: "thinking", messageId: "m", text: HOSTILE, durationMs: 10 }),
    tool("Bash", { command: HOSTILE, description: HOSTILE }, { structured: shell }),
    tool(
      "Read",
      { file_path: `/${HOSTILE}.html` },
      { structured: { type: "text", file: { filePath: "/x.html", content: HOSTILE, numLines: 9, startLine: 1 } } },
    ),
    tool(
      "Write",
      { file_path: "/x.html", content: HOSTILE },
      { structured: { type: "create", filePath: "/x.html", content: HOSTILE, structuredPatch: [] } },
    ),
    tool("Edit", { file_path: "/x", old_string: HOSTILE, new_string: `${HOSTILE} ` }, undefined),
    tool(
      "WebFetch",
      { url: "javascript:alert(1)", prompt: HOSTILE },
      { structured: { url: "javascript:alert(1)", result: HOSTILE } },
    ),
    tool(
      "WebSearch",
      { query: HOSTILE },
      { structured: { query: "x", results: [{ content: [{ title: HOSTILE, url: "javascript:alert(1)" }] }] } },
    ),
    tool(
      `mcp__<img src=x>__${HOSTILE}`,
      { a: HOSTILE },
      {
        content: [
          { type: "text", text: HOSTILE },
          { type: "resource_link", uri: "javascript:alert(1)", name: HOSTILE },
          {
            type: "image",
            source: {
              type: "base64",
              media_type: "image/svg+xml",
              data: btoa("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
            },
          },
        ],
      },
    ),
    row({ kind: "error", source: "api", text: HOSTILE }),
    row({ kind: "command", name: HOSTILE, text: HOSTILE, failed: true }),
    row({ kind: "compaction", trigger: HOSTILE, summary: HOSTILE }),
    row({ kind: "notice", level: "info", topic: HOSTILE, text: HOSTILE }),
    row({ kind: "hook", hookId: "h", event: HOSTILE, name: HOSTILE, output: HOSTILE, exitCode: 1 }),
    row({ kind: "unknown", reason: HOSTILE, value: { type: HOSTILE } }),
    row({ kind: "text", messageId: "m", text: `${HOSTILE}\n\nthe end of the hostile text` }),
  ]);
};
