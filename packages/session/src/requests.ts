// Requests: a request is open if the log has no answer to it. A request of the CLI is in the head until it is answered,
// withdrawn or closed with the process. Our own requests are remembered until the CLI answers.

import { isRecord, isResponseOf } from "@quarterdeck/protocol";
import type {
  CliRequest,
  ControlRequest,
  ControlResponse,
  HostRequest,
  MessageOf,
  ResponseOf,
} from "@quarterdeck/protocol";
import { seenAnswer } from "./bridge/seen-answers.ts";
import { toolRow } from "./conversation.ts";
import { foldPolicyHook } from "./decisions.ts";
import type { Actor, PolicyMark } from "./event.ts";
import { addRow, rowOf } from "./folding.ts";
import type { Folding, Memory } from "./folding.ts";
import { foldContextUsage } from "./gauges.ts";
import type { ClosedRequest, OpenRequest, RequestKind } from "./head.ts";
import { commandOf } from "./notices.ts";
import { waitsForPerson } from "./request-kinds.ts";
import type { RequestFate, ToolDecision } from "./row.ts";
import { foldSessionRules } from "./session-rules.ts";

/** Undefined for a request of another surface of the vendor, which the host refuses. */
const kindOf = (request: CliRequest): RequestKind | undefined => {
  switch (request.subtype) {
    case "can_use_tool":
      if (request.tool_name === "AskUserQuestion") return "question";
      return request.tool_name === "ExitPlanMode" ? "plan" : "permission";
    case "elicitation":
      return "elicitation";
    case "request_user_dialog":
      return "dialog";
    case "hook_callback":
      return "hook";
    case "mcp_message":
      return "mcp";
    default:
      return undefined;
  }
};

export const openRequest = (folding: Folding, message: ControlRequest): void => {
  const { timeline } = folding;
  if (timeline.head.requests.some((open) => open.id === message.request_id)) return;
  const request = message.request as CliRequest;
  const kind = kindOf(request);
  if (kind === undefined) {
    const { subtype } = message.request;
    addRow(folding, { kind: "unknown", reason: `a request that no host answers: ${subtype}`, value: { ...message } });
    return;
  }
  const rowId = showRequest(folding, message.request_id, request);
  const open: OpenRequest = {
    id: message.request_id,
    kind,
    at: folding.at,
    seq: folding.seq,
    request,
    incarnation: timeline.head.process?.incarnation ?? 1,
    ...(rowId !== undefined && { rowId }),
  };
  timeline.setHead({ requests: [...timeline.head.requests, open] });
};

const showRequest = (folding: Folding, requestId: string, request: CliRequest): string | undefined => {
  switch (request.subtype) {
    case "can_use_tool": {
      const use = { id: request.tool_use_id, name: request.tool_name, input: request.input };
      const row = toolRow(folding, use, callOfAgent(folding, request.agent_id));
      folding.timeline.update(row, { state: "asking", requestId, seqs: [...row.seqs, folding.seq] });
      return row.id;
    }
    case "elicitation":
      return addRow(folding, askRow(requestId, request.subtype, request.message), `request/${requestId}`);
    case "request_user_dialog":
      return addRow(folding, askRow(requestId, request.subtype, request.dialog_kind), `request/${requestId}`);
    default:
      return undefined;
  }
};

/** An agent is a task, and a task knows the call that started it. */
const callOfAgent = (folding: Folding, agentId: string | undefined): string | undefined =>
  agentId === undefined ? undefined : folding.timeline.head.tasks.find((task) => task.id === agentId)?.toolUseId;

const askRow = (requestId: string, subtype: string, text: string) =>
  ({ kind: "request", requestId, subtype, text, fate: "open" }) as const;

/** Our answer to the CLI. Only the first answer counts. */
export const closeByAnswer = (folding: Folding, message: ControlResponse, by?: Actor, policy?: PolicyMark): void => {
  const { response } = message;
  const open = folding.timeline.head.requests.find((request) => request.id === response.request_id);
  if (open === undefined) return;
  const answer = response.subtype === "success" ? response.response : undefined;
  const decision = open.request.subtype === "can_use_tool" ? decisionOf(folding, open, answer, by, policy) : undefined;
  if (open.request.subtype === "can_use_tool") foldSessionRules(folding, answer);
  if (open.request.subtype === "hook_callback" && policy !== undefined)
    foldPolicyHook(folding, open.request.tool_use_id ?? "", policy, answer);
  close(folding, open, "answered", decision, by);
};

const decisionOf = (
  folding: Folding,
  open: OpenRequest,
  answer: unknown,
  by?: Actor,
  policy?: PolicyMark,
): ToolDecision => {
  const who = { at: folding.at, ...deciderOf(by, policy) };
  if (!isResponseOf("can_use_tool", answer) || answer.behavior === "deny") {
    const reason = isResponseOf("can_use_tool", answer) && answer.behavior === "deny" ? { reason: answer.message } : {};
    return { behavior: "deny", ...who, ...reason };
  }
  const asked = open.request as Extract<CliRequest, { subtype: "can_use_tool" }>;
  const changed =
    answer.updatedInput !== undefined && JSON.stringify(answer.updatedInput) !== JSON.stringify(asked.input);
  return { behavior: "allow", ...who, ...(changed && { updatedInput: answer.updatedInput! }) };
};

/** A program that answers without a name may be a person's tool or not. */
const deciderOf = (by: Actor | undefined, policy: PolicyMark | undefined): Partial<ToolDecision> => {
  if (policy !== undefined) return { decider: "policy", policy };
  return by === undefined ? {} : { decider: "person", by };
};

/** The CLI withdraws its request, or the host cancels it before an interrupt. */
export const closeByCancel = (folding: Folding, message: MessageOf<"control_cancel_request">, by?: Actor): void => {
  const open = folding.timeline.head.requests.find((request) => request.id === message.request_id);
  if (open !== undefined) close(folding, open, "cancelled", undefined, by);
};

/** No answer can reach an ended process. */
export const endRequests = (folding: Folding): void => {
  for (const open of folding.timeline.head.requests) close(folding, open, "ended");
  folding.memory.asked = {};
  folding.memory.askedSettings = {};
};

type ClosedFate = Exclude<RequestFate, "open">;

/** How many closed requests are kept, for late answers. */
const CLOSED_KEPT = 50;

const noteClosed = (
  folding: Folding,
  { id, kind }: OpenRequest,
  fate: ClosedFate,
  decision?: ToolDecision,
  by?: Actor,
): void => {
  const { timeline, at } = folding;
  const closed: ClosedRequest = {
    id,
    kind,
    fate,
    at,
    ...(by !== undefined && { by }),
    ...(decision !== undefined && { behavior: decision.behavior }),
  };
  timeline.setHead({ closedRequests: [...timeline.head.closedRequests, closed].slice(-CLOSED_KEPT) });
};

const close = (folding: Folding, open: OpenRequest, fate: ClosedFate, decision?: ToolDecision, by?: Actor): void => {
  const { timeline } = folding;
  timeline.setHead({ requests: timeline.head.requests.filter((request) => request.id !== open.id) });
  if (waitsForPerson(open)) noteClosed(folding, open, fate, decision, by);
  if (open.rowId === undefined) return;
  const tool = rowOf(folding, open.rowId, "tool");
  if (tool !== undefined) {
    const state = decision?.behavior === "deny" ? "denied" : fate === "answered" ? "running" : "interrupted";
    timeline.update(tool, {
      ...(tool.result === undefined && { state }),
      ...(decision !== undefined && { decision }),
      seqs: [...tool.seqs, folding.seq],
    });
  }
  const row = rowOf(folding, open.rowId, "request");
  if (row !== undefined)
    timeline.update(row, {
      fate,
      closedAt: folding.at,
      ...(by !== undefined && { by }),
      seqs: [...row.seqs, folding.seq],
    });
};

export const rememberAsked = (folding: Folding, message: ControlRequest<HostRequest>): void => {
  const { request, request_id: id } = message;
  folding.memory.asked[id] = request.subtype;
  const wanted = settingsIn(request);
  if (wanted !== undefined) folding.memory.askedSettings[id] = wanted;
};

type Settings = Memory["askedSettings"][string];

/** Settings of the session that clients show. */
const settingsIn = (request: HostRequest): Settings | undefined => {
  if (request.subtype === "set_model") return { model: request.model ?? null };
  if (request.subtype === "set_max_thinking_tokens") return { maxThinkingTokens: request.max_thinking_tokens ?? null };
  if (request.subtype !== "apply_flag_settings") return undefined;
  const { effortLevel, fastMode, outputStyle } = request.settings;
  return {
    ...(typeof effortLevel === "string" && { effort: effortLevel }),
    ...(typeof fastMode === "boolean" && { fastMode: fastMode ? "on" : "off" }),
    ...(typeof outputStyle === "string" && { outputStyle }),
  };
};

/** The CLI's answer to us. An answer to another id is an echo of our own answer. */
export const foldAnswer = (folding: Folding, message: ControlResponse): void => {
  const { memory, timeline } = folding;
  const { response } = message;
  const subtype = memory.asked[response.request_id];
  if (subtype === undefined) return;
  delete memory.asked[response.request_id];
  const wanted = memory.askedSettings[response.request_id];
  delete memory.askedSettings[response.request_id];
  if (response.subtype === "error") return;
  const body: unknown = response.response;
  switch (subtype) {
    case "initialize":
      memory.initialized = true;
      if (isResponseOf("initialize", body)) {
        const { commands, capabilities, claude_code_version: version, current_permission_mode: mode, ...about } = body;
        timeline.setHead({
          commands: commands.map(commandOf),
          about: {
            ...timeline.head.about,
            models: about.models,
            agents: about.agents,
            account: planOf(about.account),
            ...(about.output_style !== undefined && { outputStyle: about.output_style }),
            outputStyles: about.available_output_styles,
            ...(about.fast_mode_state !== undefined && { fastMode: about.fast_mode_state }),
            fastModeReason: about.fast_mode_disabled_reason,
          },
          ...(capabilities !== undefined && { capabilities }),
          ...(version !== undefined && { cliVersion: version }),
          ...(mode !== undefined && { mode }),
        });
      }
      break;
    case "set_model": {
      // Older CLIs do not say which model the name means.
      const model = (isResponseOf("set_model", body) ? body?.model : undefined) ?? wanted?.["model"];
      if (typeof model === "string") timeline.setHead({ model });
      break;
    }
    case "set_permission_mode":
      if (isResponseOf("set_permission_mode", body) && body?.mode !== undefined) timeline.setHead({ mode: body.mode });
      break;
    case "mcp_status":
      if (isResponseOf("mcp_status", body)) timeline.setHead({ servers: serversIn(body) });
      break;
    case "set_max_thinking_tokens":
    case "apply_flag_settings":
      timeline.setHead({ about: { ...timeline.head.about, ...wanted } });
      break;
    case "get_settings": {
      const effort = isResponseOf("get_settings", body) ? body.applied?.["effort"] : undefined;
      if (typeof effort === "string" && effort !== timeline.head.about["effort"])
        timeline.setHead({ about: { ...timeline.head.about, effort } });
      break;
    }
    case "get_context_usage":
      if (isResponseOf("get_context_usage", body)) foldContextUsage(folding, body);
      break;
  }
};

/** All roles see the head, so it has only what the lowest role may see of a server. */
const serversIn = (body: ResponseOf<"mcp_status">): ResponseOf<"mcp_status">["mcpServers"] =>
  (seenAnswer("mcp_status", body, "view") as ResponseOf<"mcp_status">).mcpServers;

/** The plan and the kind of payment, not the account. */
const planOf = (account: unknown): Readonly<Record<string, unknown>> | undefined => {
  if (!isRecord(account)) return undefined;
  const shown = ["subscriptionType", "tokenSource", "apiKeySource", "apiProvider"];
  return Object.fromEntries(shown.flatMap((key) => (account[key] === undefined ? [] : [[key, account[key]]])));
};
