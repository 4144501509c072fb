// Test support: repeats turns of the real CLI, each time with new ids. Text, thinking, tools and their results in
// parallel, subagents, background tasks, task lists, questions, permissions, a queue, an interrupt.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { eventsOfRecording } from "@quarterdeck/session";
import type { Event, Streamed } from "@quarterdeck/session";

const NAMES = [
  "03b_bash_allow_updated",
  "04a_files",
  "05a_ask_by_text",
  "06a_agent_fg",
  "06c_agent_default_bg",
  "06e_bash_bg",
  "07b_todo_enable_tasks",
  "08a_parallel",
  "09e_queue_midtool_fold",
  "09j_interrupt_with_queue",
];
const root = fileURLToPath(new URL("../../protocol/fixtures/recordings/2.1.325/", import.meta.url));
/**
 * Ids of messages, calls and prompts; then of requests, agents and tasks, which are known only by their field names.
 */
const IDS = /"(toolu_\w+|msg_\w+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22})"/g;
const NAMED = /"(request_id|task_id|agent_id|agentId|backgroundTaskId)":"([^"]+)"/g;

const texts = NAMES.map((name) => readFileSync(`${root}${name}.ndjson`, "utf8").trim());

/** All turns once more. The first fact has `seq`. */
export const mixedTurns = (n: number, seq: number): (Event | Streamed)[] => {
  let next = seq;
  return texts.flatMap((text) => {
    const session = /"session_id":"([^"]+)"/.exec(text)?.[1];
    const renamed = text
      .replace(IDS, (_, id: string) => (id === session ? '"the-session"' : `"${id}-${n}"`))
      .replace(NAMED, (whole, name: string, id: string) => (id.endsWith(`-${n}`) ? whole : `"${name}":"${id}-${n}"`));
    const events = eventsOfRecording(renamed).filter(({ type }) => type !== "stdin-closed");
    return events.map((event) => ("seq" in event ? { ...event, seq: next++ } : event));
  });
};
