// Preloaded into the simulator (`node --import`): writes down every line before the simulator reads it. For other programs,
// recording-claude.ts does that, with one more process.

import { appendFileSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

const file = process.env["QUARTERDECK_RECORDED_LINES"];
if (file !== undefined) {
  const push = process.stdin.push.bind(process.stdin);
  // A chunk may end inside a character.
  const decoder = new StringDecoder("utf8");
  let rest = "";
  process.stdin.push = (chunk: Buffer | string | null, encoding?: BufferEncoding) => {
    const lines = (rest + (chunk === null ? "" : decoder.write(Buffer.from(chunk)))).split("\n");
    rest = lines.pop()!;
    for (const line of lines) appendFileSync(file, `${line}\n`);
    return push(chunk, encoding);
  };
}
