// The demo's answers, in place of a person and of a host's own tools. It gives every permission, chooses the first
// options of each question, and its hooks allow everything. The harbour's MCP server knows one tide.

import {
  allow,
  answerQuestions,
  hookAnswer,
  isRecord,
  mcpAnswer,
  mcpToolName,
  readToolInput,
  refusal,
} from "@quarterdeck/protocol";
import type { CliRequest, ControlRequest, Question, StdinMessage } from "@quarterdeck/protocol";
import { DEMO_MCP } from "@quarterdeck/simulator";

export interface DemoAnswer {
  readonly message: StdinMessage;
  /** For people. Undefined if a person would not have been asked. */
  readonly shown?: string;
}

const MCP_TOOL = mcpToolName(DEMO_MCP.server, DEMO_MCP.tool);

export const DEMO_HOOKS = Object.fromEntries(
  ["PreToolUse", "PostToolUse"].map((event) => [event, [{ matcher: MCP_TOOL, hookCallbackIds: [event] }]]),
);

export const demoAnswer = (id: string, request: ControlRequest["request"]): DemoAnswer => {
  switch (request.subtype) {
    case "can_use_tool":
      return toolAnswer(id, request);
    case "hook_callback":
      return { message: hookAnswer(id), shown: "the host's hook lets it pass" };
    case "mcp_message":
      return { message: mcpAnswer(id, mcpReply(request.message)) };
    default:
      return { message: refusal(id, `The demo does not answer ${request.subtype}.`), shown: "refused" };
  }
};

const toolAnswer = (id: string, { tool_name, input }: Extract<CliRequest, { subtype: "can_use_tool" }>): DemoAnswer => {
  const call = readToolInput(tool_name, input);
  if (call.tool === "ExitPlanMode") return { message: allow(id, input), shown: "approved" };
  if (call.tool !== "AskUserQuestion") return { message: allow(id, input), shown: "once" };
  const answers = Object.fromEntries(call.input.questions.map((question) => [question.question, choiceOf(question)]));
  return {
    message: allow(id, input, { updatedInput: answerQuestions(call.input, answers) }),
    shown: Object.values(answers).flat().join(", "),
  };
};

const choiceOf = ({ options, multiSelect }: Question): string[] =>
  options.slice(0, multiSelect === true ? 2 : 1).map(({ label }) => label);

const mcpReply = ({ id, method, params }: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const reply = (result: Record<string, unknown>) => ({ jsonrpc: "2.0", id: id ?? 0, result });
  switch (method) {
    case "initialize":
      return reply({
        protocolVersion: isRecord(params) ? params["protocolVersion"] : "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: DEMO_MCP.server, version: "1.0.0" },
      });
    case "tools/list":
      return reply({
        tools: [
          {
            name: DEMO_MCP.tool,
            description: "The next high water of a harbour",
            inputSchema: { type: "object", properties: { harbour: { type: "string" } }, required: ["harbour"] },
          },
        ],
      });
    case "tools/call":
      return reply({ content: [{ type: "text", text: "High water at 18:40, 6.0 m." }] });
    default:
      return reply({});
  }
};
