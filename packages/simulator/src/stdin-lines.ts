// The lines of our stdin as text, and its end.
import { LineSplitter } from "@quarterdeck/protocol";
import type { Line } from "@quarterdeck/protocol";

export const readLines = (onLine: (text: string) => void, onEnd: () => void): void => {
  const splitter = new LineSplitter();
  const hand = (lines: readonly Line[]): void => {
    for (const line of lines) onLine(textOf(line));
  };
  process.stdin.on("data", (chunk: Buffer) => {
    hand(splitter.push(chunk));
  });
  process.stdin.on("end", () => {
    hand(splitter.end());
    onEnd();
  });
};

/** If a line is above the limit, only its beginning is kept. It is not JSON, so it ends the session like any bad line. */
const textOf = (line: Line): string =>
  typeof line === "string" ? line : Buffer.from(line instanceof Uint8Array ? line : line.head).toString("utf8");
