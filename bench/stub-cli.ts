// Stands in for `claude` if only the reading of its output is measured. It answers `initialize`, and writes the file
// BENCH_STREAM when a prompt comes. The file is in memory before that and is written in large blocking writes, so that
// the reader takes the time, not the stub. When everything is written, it creates the file BENCH_DONE.
import { readFileSync, writeFileSync, writeSync } from "node:fs";

const stream = readFileSync(process.env["BENCH_STREAM"] ?? "");
const PIECE = 1024 * 1024;

const write = (bytes: Uint8Array): void => {
  for (let from = 0; from < bytes.length;) {
    from += writeSync(1, bytes, from, Math.min(PIECE, bytes.length - from));
  }
};

const INITIALIZED = {
  commands: [],
  agents: [],
  models: [],
  account: {},
  output_style: "default",
  available_output_styles: ["default"],
  pid: process.pid,
};

const answer = (line: string): void => {
  const message = JSON.parse(line) as { type: string; request_id?: string };
  if (message.type === "user") {
    write(stream);
    const done = process.env["BENCH_DONE"];
    if (done !== undefined) writeFileSync(done, "");
  }
  if (message.type !== "control_request") return;
  const response = { subtype: "success", request_id: message.request_id, response: INITIALIZED };
  write(Buffer.from(`${JSON.stringify({ type: "control_response", response })}\n`));
};

let begun = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (begun + chunk).split("\n");
  begun = lines.pop() ?? "";
  for (const line of lines) if (line !== "") answer(line);
});
