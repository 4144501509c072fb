// Test support: every tool call in the recordings, and every result with the call that it answers.

import { isRecord } from "../json.ts";
import { recordedLines } from "@quarterdeck/test-kit/recorded-lines";
import { toolResultsOf } from "./read-tool-result.ts";
import type { ToolResultOf } from "./read-tool-result.ts";

export interface RecordedCall {
  readonly where: string;
  readonly name: string;
  readonly input: unknown;
}
export interface RecordedResult {
  readonly call: RecordedCall;
  readonly result: ToolResultOf;
  /** Sent by a host, so it answers no call. */
  readonly fromHost: boolean;
}

const blocksOf = (msg: Record<string, unknown> | undefined): Record<string, unknown>[] => {
  const message = isRecord(msg?.["message"]) ? msg["message"] : {};
  return Array.isArray(message["content"]) ? message["content"].filter(isRecord) : [];
};

export const recordedCalls = (): { calls: RecordedCall[]; results: RecordedResult[]; offered: Set<string> } => {
  const calls = new Map<string, RecordedCall>();
  const results: RecordedResult[] = [];
  const offered = new Set<string>();
  for (const line of recordedLines()) {
    const where = `${line.version}/${line.recording}`;
    if (line.msg?.["type"] === "system" && Array.isArray(line.msg["tools"])) {
      for (const name of line.msg["tools"]) offered.add(String(name));
    }
    if (line.msg?.["type"] === "assistant") {
      for (const block of blocksOf(line.msg)) {
        if (block["type"] !== "tool_use") continue;
        const call = { where, name: String(block["name"]), input: block["input"] };
        calls.set(`${where} ${String(block["id"])}`, call);
      }
    }
    if (line.msg?.["type"] !== "user") continue;
    for (const result of toolResultsOf(line.msg)) {
      const call = calls.get(`${where} ${result.toolUseId}`);
      if (call === undefined) throw new Error(`${where}: a result without its call, ${result.toolUseId}`);
      results.push({ call, result, fromHost: line.dir === "in" });
    }
  }
  return { calls: [...calls.values()], results, offered };
};
