// What every run must show. Each line decodes. Each scripted block is seen once and in order. Each tool use has one
// result, each prompt is settled, and the exit code is right. And what the case itself expects.
import type { Block, Scenario, Script, Step } from "@quarterdeck/simulator";
import { CONTROL, isResponseOf } from "@quarterdeck/protocol";
import type { ControlSubtype } from "@quarterdeck/protocol";
import { isDeepStrictEqual } from "node:util";
import { expectationsFor } from "./case.ts";
import type { Case, Expectations } from "./case.ts";
import { NEWEST } from "@quarterdeck/test-kit/claude-cache";
import type { Message, RecordedLine } from "./drive.ts";
import { filled, matches } from "./match.ts";
import type { Pattern } from "./match.ts";
import type { CaseRun, Player } from "./run-case.ts";

/** Sentences that say what is wrong. Empty if the run conforms. The simulator must behave like the newest CLI. */
export const faultsOf = (wanted: Case, player: Player, run: CaseRun): readonly string[] => {
  const version = player.kind === "simulator" ? NEWEST : player.version;
  const expect = filled(expectationsFor(wanted, version), run.variables) as Expectations;
  const out = run.phases.flatMap((phase) => phase.lines.filter((line) => line.dir === "out"));
  const messages = out.flatMap((line) => (line.msg === undefined ? [] : [line.msg]));
  const { scripts: named, otherwise } = filled(wanted.scenario, run.variables) as Scenario;
  const scripts = otherwise === undefined ? named : [...named, { when: "otherwise", steps: otherwise }];
  return [
    ...run.phases.flatMap((phase) => phase.faults.map((fault) => `host: ${fault}`)),
    ...undecoded(out),
    ...run.phases.flatMap((phase) => answerFaults(phase.lines)),
    ...blockFaults(scripts, messages, expect),
    ...toolFaults(messages, expect),
    ...resultFaults(wanted, messages, expect),
    ...lifecycleFaults(messages, expect),
    ...exitFaults(wanted, run, expect),
    ...patternFaults(messages, expect),
    ...askFaults(messages, expect),
    ...leftFaults(run, expect),
    ...(player.kind === "cli" ? requestFaults(run, expect) : []),
  ];
};

const undecoded = (out: readonly RecordedLine[]): readonly string[] =>
  out
    .filter((line) => line.kind !== "message")
    .map((line) => `line is ${line.kind ?? "?"} (${line.reason ?? ""}): ${short(line.raw ?? line.msg)}`);

/** The answer to a request of the host must have the shape that the protocol package promises. */
const answerFaults = (lines: readonly RecordedLine[]): readonly string[] => {
  const asked = new Map<string, string>();
  return lines.flatMap(({ dir, msg }) => {
    if (dir === "in" && msg?.type === "control_request") {
      asked.set(String(msg.request_id), String((msg.request as Message).subtype));
    }
    if (dir !== "out" || msg?.type !== "control_response") return [];
    const { subtype, request_id, response } = msg.response as Message;
    const name = asked.get(String(request_id));
    if (subtype !== "success" || name === undefined || !Object.hasOwn(CONTROL, name)) return [];
    return isResponseOf(name as ControlSubtype, response)
      ? []
      : [`the answer to ${name} has another shape: ${short(response)}`];
  });
};

interface Group {
  readonly id: string;
  readonly at: number;
  readonly subagent: boolean;
  readonly blocks: Message[];
}

const groupsOf = (messages: readonly Message[]): readonly Group[] => {
  const groups = new Map<string, Group>();
  for (const [at, line] of messages.entries()) {
    if (line.type !== "assistant") continue;
    const message = line.message as Message;
    if (message.model === "<synthetic>") continue;
    const id = String(message.id);
    const group = groups.get(id) ?? { id, at, subagent: typeof line.parent_tool_use_id === "string", blocks: [] };
    group.blocks.push(...(message.content as readonly Message[]));
    groups.set(id, group);
  }
  return [...groups.values()];
};

interface ScriptedStep {
  readonly name: string;
  readonly script: Script;
  readonly index: number;
  readonly blocks: readonly Block[];
  readonly partial: boolean;
  readonly subagent: boolean;
  left: number;
  firstAt: number;
}

const blockFaults = (
  scripts: readonly Script[],
  messages: readonly Message[],
  expect: Expectations,
): readonly string[] => {
  const steps = scripts.flatMap((script) => script.steps.map((step, index) => scripted(script, step, index, expect)));
  const faults: string[] = [];
  for (const group of groupsOf(messages)) {
    const visible = (step: ScriptedStep): readonly Block[] =>
      step.subagent ? step.blocks.filter((block) => "tool" in block) : step.blocks;
    const shown = group.subagent ? group.blocks.filter((block) => block.type === "tool_use") : group.blocks;
    if (shown.length === 0) continue;
    const whole = steps.find((step) => step.left > 0 && sameBlocks(visible(step), shown));
    if (whole !== undefined) {
      whole.left--;
      whole.firstAt = Math.min(whole.firstAt, group.at);
      continue;
    }
    const beginning = steps.find((step) => step.partial && isBeginning(visible(step), shown));
    if (beginning === undefined) faults.push(`${group.id} is not in the scenario (again): ${short(shown)}`);
  }
  for (const step of steps) {
    const silent = step.subagent && !step.blocks.some((block) => "tool" in block);
    if (step.left > 0 && !step.partial && !silent && step.blocks.length > 0) {
      faults.push(`${step.name} was seen ${String(step.left)} times too few: ${short(step.blocks)}`);
    }
    const before = steps.find((one) => one.script === step.script && one.index === step.index - 1);
    if (before !== undefined && step.firstAt < before.firstAt && Number.isFinite(before.firstAt)) {
      faults.push(`${step.name} was seen before the step that leads to it`);
    }
  }
  return faults;
};

const scripted = (script: Script, step: Step, index: number, expect: Expectations): ScriptedStep => {
  const name = `${script.when}#${String(index)}`;
  const neverSaid = step.fail?.some((failure) => failure.always === true) === true;
  return {
    name,
    script,
    index,
    blocks: neverSaid ? [] : (step.say ?? []),
    partial: expect.partial?.includes(name) === true,
    subagent: expect.subagents?.includes(script.when) === true,
    left: expect.plays?.[script.when] ?? 1,
    firstAt: Infinity,
  };
};

const sameBlocks = (said: readonly Block[], shown: readonly Message[]): boolean =>
  said.length === shown.length && said.every((block, index) => sameBlock(block, shown[index]));

const sameBlock = (said: Block, shown: Message | undefined): boolean => {
  if (shown === undefined) return false;
  if ("text" in said) return shown.type === "text" && shown.text === said.text;
  if ("thinking" in said) return shown.type === "thinking" && shown.thinking === said.thinking;
  if ("redactedThinking" in said) return shown.type === "redacted_thinking" && shown.data === said.redactedThinking;
  return (
    shown.type === "tool_use" &&
    shown.name === said.tool &&
    (said.id === undefined || shown.id === said.id) &&
    isDeepStrictEqual(shown.input, said.input)
  );
};

const isBeginning = (said: readonly Block[], shown: readonly Message[]): boolean =>
  shown.every((block, index) => {
    const whole = said[index];
    if (whole === undefined) return false;
    if (sameBlock(whole, block)) return true;
    if (index < shown.length - 1) return false;
    if ("text" in whole) return typeof block.text === "string" && whole.text.startsWith(block.text);
    return "thinking" in whole && typeof block.thinking === "string" && whole.thinking.startsWith(block.thinking);
  });

const toolFaults = (messages: readonly Message[], expect: Expectations): readonly string[] => {
  const used = new Set<string>();
  const results = new Map<string, number>();
  for (const line of messages) {
    if (line.type !== "assistant" && line.type !== "user") continue;
    const { content } = line.message as Message;
    if (!Array.isArray(content)) continue;
    for (const block of content as readonly Message[]) {
      if (line.type === "assistant" && block.type === "tool_use") used.add(String(block.id));
      if (line.type === "user" && block.type === "tool_result") {
        const id = String(block.tool_use_id);
        results.set(id, (results.get(id) ?? 0) + 1);
      }
    }
  }
  const open = [...used].filter((id) => !results.has(id));
  return [
    ...(open.length === (expect.openTools ?? 0) ? [] : [`tool uses without a result: ${open.join(", ") || "none"}`]),
    ...[...results].filter(([id]) => !used.has(id)).map(([id]) => `a result for ${id}, which was never used`),
    ...[...results].filter(([, times]) => times > 1).map(([id, times]) => `${id} has ${String(times)} results`),
  ];
};

const resultFaults = (wanted: Case, messages: readonly Message[], expect: Expectations): readonly string[] => {
  const results = messages.filter((message) => message.type === "result");
  const prompts = wanted.phases.flatMap((phase) => phase.host).filter((step) => step.do === "prompt").length;
  const patterns: readonly Pattern[] =
    expect.results ?? Array.from({ length: prompts }, () => ({ subtype: "success", is_error: false }));
  const seen = `results: ${results.map(resultSummary).join(" | ") || "none"}`;
  if (results.length !== patterns.length) return [`${String(patterns.length)} results expected, ${seen}`];
  return patterns.flatMap((pattern, index) =>
    matches(pattern, results[index]) ? [] : [`result ${String(index + 1)} is not ${JSON.stringify(pattern)}; ${seen}`],
  );
};

const resultSummary = (result: Message): string =>
  [
    result.subtype,
    result.is_error === true ? "error" : "",
    result.terminal_reason,
    short(result.result ?? result.errors),
  ]
    .filter((part) => part !== "" && part !== undefined)
    .join(" ");

const lifecycleFaults = (messages: readonly Message[], expect: Expectations): readonly string[] => {
  if (expect.results?.length === 0) return [];
  const last = new Map<string, unknown>();
  for (const line of messages) {
    if (line.type === "command_lifecycle") last.set(String(line.command_uuid), line.state);
  }
  return [...last]
    .filter(([, state]) => state !== "completed" && state !== "cancelled")
    .map(([uuid, state]) => `prompt ${uuid} was left ${String(state)}`);
};

const exitFaults = (wanted: Case, run: CaseRun, expect: Expectations): readonly string[] =>
  wanted.phases.flatMap((_, index) => {
    const phase = run.phases[index];
    if (phase === undefined) return [`phase ${String(index + 1)} did not run`];
    const code = phase.exitCode ?? `signal ${String(phase.signal)}`;
    const exit = expect.exits?.[index] ?? 0;
    return code === exit ? [] : [`exit ${String(code)}, not ${String(exit)}; stderr: ${short(phase.stderr)}`];
  });

const patternFaults = (messages: readonly Message[], expect: Expectations): readonly string[] => {
  const faults: string[] = [];
  for (const pattern of expect.see ?? []) {
    if (!messages.some((message) => matches(pattern, message))) faults.push(`not seen: ${JSON.stringify(pattern)}`);
  }
  for (const pattern of expect.never ?? []) {
    const found = messages.find((message) => matches(pattern, message));
    if (found !== undefined) faults.push(`must not be seen: ${JSON.stringify(pattern)}, but ${short(found)}`);
  }
  for (const { of, is } of expect.count ?? []) {
    const times = messages.filter((message) => matches(of, message)).length;
    if (times !== is) faults.push(`${JSON.stringify(of)} was seen ${String(times)} times, not ${String(is)}`);
  }
  let from = 0;
  for (const pattern of expect.order ?? []) {
    const at = messages.findIndex((message, index) => index >= from && matches(pattern, message));
    if (at < 0) {
      faults.push(`not seen in order: ${JSON.stringify(pattern)}`);
      break;
    }
    from = at + 1;
  }
  return faults;
};

const askFaults = (messages: readonly Message[], expect: Expectations): readonly string[] => {
  if (expect.asks === undefined) return [];
  const asked = messages
    .filter((message) => matches({ type: "control_request", request: { subtype: "can_use_tool" } }, message))
    .map((message) => String((message.request as Message).tool_name))
    .toSorted();
  return isDeepStrictEqual(asked, expect.asks.toSorted())
    ? []
    : [`asked for ${asked.join(", ") || "nothing"}, not for ${expect.asks.join(", ") || "nothing"}`];
};

const leftFaults = (run: CaseRun, expect: Expectations): readonly string[] => {
  const faults: string[] = [];
  const stderr = run.phases.map((phase) => phase.stderr).join("");
  if (expect.stderr !== undefined && !stderr.includes(expect.stderr)) {
    faults.push(`stderr lacks "${expect.stderr}": ${short(stderr)}`);
  }
  for (const [path, pattern] of Object.entries(expect.files ?? {})) {
    const content = run.files[path] ?? null;
    if (!matches(pattern, content)) faults.push(`file ${path} is ${short(content)}`);
  }
  return faults;
};

const requestFaults = (run: CaseRun, expect: Expectations): readonly string[] =>
  (expect.requests ?? [])
    .filter((pattern) => !run.requests.some((request) => matches(pattern, request)))
    .map((pattern) => `no request to the API like ${JSON.stringify(pattern)}`);

const short = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
};
