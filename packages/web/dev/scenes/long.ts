// Markdown, ten thousand rows, and streaming text.

import type { Row } from "@quarterdeck/client";
import { patch, row, tool, TS, type Scene } from "./parts.ts";

const MARKDOWN = `# What I found

The S3 client treats \`ECONNRESET\` as final, so a dropped connection surfaces as a failed upload. See [the docs](https://docs.example/x) or https://plain.example/path and <b>raw html</b> &amp; entities.

## Steps

1. Reproduce it with a *flaky* proxy
2. Add **bounded, jittered** retries
   - nested item with \`code\`
   - another

   \`\`\`bash
   npm test -- upload
   \`\`\`
3. ~~Give up~~ Try again

- [x] reproduce
- [ ] document

> A quote with **bold**
> over two lines.

| Option | Cost | Note |
|:---|---:|:---:|
| retry | 12 | cheap<br>and good |
| queue | 1,200 | **later** |

\`\`\`ts
${TS}\`\`\`

Inline math $e^{i\\pi} + 1 = 0$ costs $5, not $10. Display:

$$
\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}
$$

\`\`\`mermaid
graph LR
  A[Client] -->|putPart| B(Retry)
  B --> C{Transient?}
  C -->|yes| B
  C -->|no| D[Fail]
\`\`\`

![diagram](https://evil.example/track.png) and [bad](javascript:alert(1)).

---

\`\`\`python
def f(x: int) -> str:
    """Doc."""
    return f"{x:>4}"  # comment
\`\`\`
`;

/** Without lazily loaded parts, which change a block once, later. */
const PLAIN = MARKDOWN.replace(/```mermaid[^`]*```|\$\$[^$]*\$\$|\$e[^$]*\$/gu, "");

export const markdown: Scene = (view) => {
  view.add([
    row({ kind: "prompt", content: "Explain with everything you have.", state: "done" }),
    row({
      kind: "thinking",
      messageId: "m",
      text: "First I should look at the retry logic.\n\nThen the tests.",
      durationMs: 6200,
      tokens: 412,
    }),
    row({ kind: "text", messageId: "m", text: MARKDOWN }),
  ]);
};

/** 10,000 rows of a mixed kind. */
export const long: Scene = (view, query) => {
  const count = Number(query.get("rows") ?? 10_000);
  const made: Row[] = [];
  while (made.length < count) {
    const turn = made.length;
    made.push(
      row({ kind: "prompt", content: `Question ${turn}: why does it fail?`, state: "done" }),
      row({
        kind: "text",
        messageId: "m",
        text:
          turn % 7 === 0
            ? PLAIN
            : `Answer ${turn}. ${"It fails because the connection drops. ".repeat(1 + (turn % 5))}`,
      }),
      tool(
        "Grep",
        { pattern: `thing${turn}` },
        { structured: { mode: "files_with_matches", filenames: ["/a.ts"], numFiles: 1 } },
      ),
      tool(
        "Bash",
        { command: `npm test -- ${turn}` },
        { structured: { stdout: "ok\n".repeat(1 + (turn % 6)), stderr: "", interrupted: false } },
      ),
      tool(
        "Edit",
        { file_path: "/code/a.ts", old_string: "a", new_string: "b" },
        { structured: { filePath: "/code/a.ts", oldString: "a", newString: "b", structuredPatch: patch } },
      ),
      row({
        kind: "turn",
        ok: true,
        subtype: "success",
        errors: [],
        costUsd: 0.01,
        durationMs: 3000,
        steps: 3,
        inputTokens: 100,
        outputTokens: 30,
        denials: [],
      }),
    );
  }
  view.add(made);
  const shown = query.get("shown");
  if (shown !== null) view.show(Number(shown));
};

/** Text as a model streams it, `rate` deltas a second. */
export const stream: Scene = async (view, query) => {
  if (query.has("after")) await long(view, query);
  const rate = Number(query.get("rate") ?? 200);
  const once = query.has("plain") ? PLAIN : MARKDOWN;
  const text = once.repeat(Number(query.get("times") ?? 1));
  const event = (value: object) =>
    ({
      type: "streamed",
      at: Date.now(),
      message: { type: "stream_event", uuid: "u", session_id: "s", parent_tool_use_id: null, event: value },
    }) as never;
  view.feed(
    event({ type: "message_start", message: { id: "msg_1", model: "claude", role: "assistant", content: [] } }),
  );
  view.feed(event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }));
  let at = 0;
  const started = performance.now();
  await new Promise<void>((resolve) => {
    const step = () => {
      const due = Math.floor(((performance.now() - started) / 1000) * rate) * 4;
      for (; at < Math.min(due, text.length); at += 4) {
        view.feed(
          event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: text.slice(at, at + 4) } }),
        );
      }
      if (at >= text.length) resolve();
      else setTimeout(step, 4);
    };
    step();
  });
  if (query.has("open")) return;
  view.feed({
    type: "received",
    seq: 1,
    at: Date.now(),
    message: {
      type: "assistant",
      uuid: "a1",
      session_id: "s",
      parent_tool_use_id: null,
      message: { id: "msg_1", model: "claude", role: "assistant", content: [{ type: "text", text }] },
    },
  });
};

/** One text by the model: `?scene=said&text=...`. */
export const said: Scene = (view, query) => {
  view.add([row({ kind: "text", messageId: "m", text: query.get("text") ?? "" })]);
};
