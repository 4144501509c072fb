// One line of an exact size: a `user` message with a tool result, as the CLI writes it. It has the text twice: for the
// model, and as the structured result.
import { writeFileSync } from "node:fs";

/**
 * `plain` is ASCII. `accented` has characters beyond Latin-1 in each of its lines. `sparse` is ASCII with a rare check
 * mark. It is the most expensive text for JavaScript, which then stores every character in two bytes.
 */
export const LINE_TEXTS = ["plain", "accented", "sparse"] as const;
export type LineText = (typeof LINE_TEXTS)[number];

const LOG = '    at Object.run (src/deep/module-name.ts:120:14)\tok "quoted"\n';
const UNITS: Readonly<Record<LineText, string>> = {
  plain: LOG,
  accented: '  const 名前 = "naïve — ✓ 漢字";\t// done\n',
  sparse: `${LOG.repeat(20)}✓ passed\n`,
};

/** The line has exactly `bytes` bytes, without its LF. */
export const writeLongLine = (file: string, bytes: number, text: LineText): void => {
  const room = bytes - sizeOf("", "");
  const unit = UNITS[text];
  const unitSize = Buffer.byteLength(JSON.stringify(unit)) - 2;
  const half = unit.repeat(Math.floor(room / 2 / unitSize));
  const padding = "x".repeat(bytes - sizeOf(half, half));
  writeFileSync(file, `${toolResult(half, half + padding)}\n`);
};

const toolResult = (content: string, stdout: string): string =>
  JSON.stringify({
    type: "user",
    message: {
      role: "user",
      content: [{ tool_use_id: "toolu_01", type: "tool_result", content, is_error: false }],
    },
    parent_tool_use_id: null,
    session_id: "a6d9bf97-b425-495d-af3b-3a7c0b6ba09a",
    uuid: "0673116f-375a-4200-b102-e0ee2cdba0d5",
    tool_use_result: { stdout, stderr: "", interrupted: false, isImage: false, noOutputExpected: false },
  });

const sizeOf = (content: string, stdout: string): number => Buffer.byteLength(toolResult(content, stdout));
