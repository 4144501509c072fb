// Calls that a real CLI makes for itself next to the conversation (a title, a summary for compaction, a search), and
// their answers. They contain the user's words, so without this list a scenario would answer them. Each is recognized
// by words of its own prompt, as CLIs 2.1.22 to 2.1.325 send it.
import type { RawBlock } from "./api-stream.ts";
import type { MessagesRequest } from "./messages-request.ts";
import type { ApiMessage } from "./scenario.ts";

export interface SideCall {
  readonly name: string;
  readonly content: readonly RawBlock[];
}

interface Rule {
  readonly name: string;
  /** Where the words are: in the system prompt or in the last user text. */
  readonly in: "system" | "last";
  readonly words: string;
  readonly answer: string;
}

const RULES: readonly Rule[] = [
  {
    name: "compact",
    in: "last",
    words: "create a detailed summary of",
    answer:
      "<analysis>\nNothing is left out.\n</analysis>\n\n<summary>\n1. Primary Request: a scripted conversation.\n</summary>",
  },
  {
    name: "bash_extract_command_paths",
    in: "system",
    words: "Extract any file paths that this command reads or modifies",
    answer: "<is_displaying_contents>\nfalse\n</is_displaying_contents>\n\n<filepaths>\n</filepaths>",
  },
  { name: "bash_extract_prefix", in: "system", words: "Your task is to process Bash commands", answer: "none" },
  {
    name: "topic",
    in: "system",
    words: "isNewTopic",
    answer: JSON.stringify({ isNewTopic: true, title: "Scripted conversation" }),
  },
  { name: "title", in: "system", words: "succinct title", answer: "Scripted conversation" },
  { name: "prompt_suggestion", in: "last", words: "[SUGGESTION MODE", answer: "run the tests" },
  {
    name: "side_question",
    in: "last",
    words: "side question from the user",
    answer: "An answer on the side.",
  },
  { name: "tool_use_summary", in: "system", words: "Write a short summary label", answer: "Ran a scripted tool" },
  { name: "web_fetch", in: "last", words: "Web page content:", answer: "What the page says, in short." },
  { name: "hook_prompt", in: "system", words: "evaluating a hook", answer: JSON.stringify({ ok: true }) },
  { name: "rename", in: "last", words: "Generate a short kebab-case name", answer: "scripted-conversation" },
  { name: "memory", in: "last", words: "acting as the memory extraction", answer: "Nothing to remember." },
  { name: "away_summary", in: "last", words: "stepped away", answer: "A scripted conversation continued." },
];

export const sideCallOf = (request: MessagesRequest): SideCall | undefined => {
  const last = lastUserTextOf(request.messages);
  if (request.tools.some((tool) => typeof tool.type === "string" && tool.type.startsWith("web_search"))) {
    return { name: "web_search", content: searchAnswer(last) };
  }
  for (const rule of RULES) {
    if (!(rule.in === "system" ? request.system : last).includes(rule.words)) continue;
    return { name: rule.name, content: [{ type: "text", text: rule.answer }] };
  }
  if (request.tools.length === 0 && request.outputSchema !== undefined) {
    const text = JSON.stringify(exampleOf(request.outputSchema));
    return { name: "json", content: [{ type: "text", text }] };
  }
  return undefined;
};

/** What the server's own search tool would add to the answer. */
const searchAnswer = (query: string): readonly RawBlock[] => [
  { type: "server_tool_use", id: "srvtoolu_sim_1", name: "web_search", input: { query } },
  {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_sim_1",
    content: [
      {
        type: "web_search_result",
        title: "A scripted page",
        url: "https://example.com/scripted",
        encrypted_content: "c2NyaXB0ZWQ=",
        page_age: null,
      },
    ],
  },
  { type: "text", text: "One scripted page was found." },
];

/** The smallest value for a JSON schema of the kind that the CLI sends: titles, names, yes or no. */
const exampleOf = (schema: unknown): unknown => {
  if (typeof schema !== "object" || schema === null) return null;
  const { type, properties, items, enum: values } = schema as Readonly<Record<string, unknown>>;
  if (Array.isArray(values)) return values[0];
  switch (type) {
    case "object":
      return Object.fromEntries(Object.entries(properties ?? {}).map(([name, inner]) => [name, exampleOf(inner)]));
    case "array":
      return items === undefined ? [] : [exampleOf(items)];
    case "boolean":
      return true;
    case "number":
    case "integer":
      return 1;
    case "string":
      return "Scripted conversation";
    default:
      return null;
  }
};

const lastUserTextOf = (messages: readonly ApiMessage[]): string => {
  const content = messages.findLast((message) => message.role === "user")?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("\n");
};
