// Shows a text to its end, one screen at a time. The caller learns whether the reader stopped before the end.

import type { Keyboard } from "./printer.ts";
import { paint } from "./terminal.ts";
import { terminalRowsOf } from "./whole-request.ts";
import type { TrueLine } from "./whole-request.ts";

/** Returns false if the reader stopped before the end. Rejects like `Keyboard.ask`. */
export const showToEnd = async (
  keyboard: Keyboard,
  lines: readonly TrueLine[],
  signal?: AbortSignal,
): Promise<boolean> => {
  const size = keyboard.size();
  const rows = terminalRowsOf(lines, { paint, columns: size?.columns ?? Number.POSITIVE_INFINITY });
  // One row stays free for the question.
  const page = size === undefined ? rows.length : Math.max(1, size.rows - 1);
  for (let at = 0; at < rows.length; at += page) {
    keyboard.show(rows.slice(at, at + page).join("\n") + "\n");
    const left = rows.length - at - page;
    if (left <= 0) break;
    const more = left === 1 ? "1 more line" : `${String(left)} more lines`;
    const typed = await keyboard.ask(`    ${more}. Enter: next page, q: stop: `, signal);
    if (/^q/iu.test(typed.trim())) return false;
  }
  await keyboard.settle(signal);
  return true;
};
