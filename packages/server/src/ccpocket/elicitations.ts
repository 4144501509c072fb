// Questions of MCP servers, in the form that ccpocket's apps know: a permission request for the tool `McpElicitation`, with a question
// for each field. Pure.

import { isRecord } from "@quarterdeck/protocol";
import type { CliRequest } from "@quarterdeck/protocol";
import type { OpenRequest } from "@quarterdeck/session";

type Request = Extract<CliRequest, { subtype: "elicitation" }>;
export type Elicitation = OpenRequest & { readonly request: Request };
export const isElicitation = (open: OpenRequest): open is Elicitation => open.request.subtype === "elicitation";

type Fields = Readonly<Record<string, unknown>>;
type Answer = { kind: "elicitation"; action: "accept" | "decline" | "cancel"; content?: Record<string, unknown> };

const fieldsOf = ({ requested_schema: schema }: Fields): [string, Fields][] =>
  Object.entries(isRecord(schema) && isRecord(schema["properties"]) ? schema["properties"] : {}).filter(
    (entry): entry is [string, Fields] => isRecord(entry[1]),
  );

const isRequired = ({ requested_schema: schema }: Fields, name: string): boolean =>
  isRecord(schema) && Array.isArray(schema["required"]) && schema["required"].includes(name);

const ACTIONS = [
  { label: "Accept", description: "Continue with this request" },
  { label: "Decline", description: "Reject this request" },
  { label: "Cancel", description: "Cancel without accepting" },
];

/** The input of the permission request. `request` is as the CLI sent it. */
export const elicitationInput = (request: Fields): Fields => {
  const { mcp_server_name: serverName, message, url } = request;
  const about = { mode: request["mode"] === "url" ? "url" : "form", serverName, message };
  const question = { header: serverName, multiSelect: false, isOther: false, isSecret: false };
  if (about.mode === "url")
    return {
      ...about,
      url,
      questions: [
        { ...question, id: "elicitation_action", question: `${String(message)}\n${String(url)}`, options: ACTIONS },
      ],
    };
  const questions = fieldsOf(request).map(([id, field]) => {
    const title = typeof field["title"] === "string" ? field["title"] : id;
    const description = typeof field["description"] === "string" ? field["description"] : message;
    const options = choicesOf(field).map(({ label, value }, at) => ({
      label,
      value,
      description: at === 0 ? description : "",
    }));
    const required = isRequired(request, id);
    const multiSelect = field["type"] === "array";
    return {
      ...question,
      id,
      question: required ? `${title} (required)` : title,
      options,
      required,
      multiSelect,
      isOther: options.length === 0,
    };
  });
  const only = { ...question, id: "elicitation_action", question: message, options: ACTIONS };
  return {
    ...about,
    requestedSchema: request["requested_schema"],
    questions: questions.length > 0 ? questions : [only],
  };
};

const choicesOf = (field: Fields): { label: string; value: string }[] => {
  const source = field["type"] === "array" && isRecord(field["items"]) ? field["items"] : field;
  const named = [source["oneOf"], source["anyOf"]].find((list) => Array.isArray(list));
  if (Array.isArray(named))
    return named.flatMap((option) =>
      isRecord(option) && typeof option["const"] === "string"
        ? [{ value: option["const"], label: typeof option["title"] === "string" ? option["title"] : option["const"] }]
        : [],
    );
  const { enum: values } = source;
  if (Array.isArray(values)) return values.map((value) => ({ label: String(value), value: String(value) }));
  return field["type"] === "boolean" ? ["true", "false"].map((value) => ({ label: value, value })) : [];
};

/** An app sends one text, or the answers by field or by question as JSON. Undefined if a required field has no answer. */
export const pocketElicitationAnswer = (request: Request, result: string): Answer | undefined => {
  const given = answersIn(result);
  const fields = fieldsOf(request);
  if (fields.length === 0) return { kind: "elicitation", action: actionIn(result, given) };
  const asked = elicitationInput(request)["questions"] as { readonly id: string; readonly question: string }[];
  const content: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    const { question } = asked.find(({ id }) => id === name)!;
    const answer = given === undefined && fields.length === 1 ? result : (given?.[name] ?? given?.[question]);
    const value = valueOf(answer, field);
    if (value !== undefined) content[name] = value;
    else if (isRequired(request, name)) return undefined;
  }
  return { kind: "elicitation", action: "accept", content };
};

const answersIn = (result: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(result);
    return isRecord(value) ? (isRecord(value["answers"]) ? value["answers"] : value) : undefined;
  } catch {
    // Plain words.
    return undefined;
  }
};

const actionIn = (result: string, given: Fields | undefined): Answer["action"] => {
  const words = String(given === undefined ? result : Object.values(given)[0]).toLowerCase();
  if (words.includes("cancel")) return "cancel";
  return words.includes("accept") ? "accept" : "decline";
};

const valueOf = (answer: unknown, field: Fields): unknown => {
  const one = (text: string): string => choicesOf(field).find(({ label }) => label === text)?.value ?? text;
  const all = (Array.isArray(answer) ? answer : [answer]).filter((text) => text != null && String(text).trim() !== "");
  if (all.length === 0) return undefined;
  const text = String(all[0]);
  switch (field["type"]) {
    case "array":
      return (Array.isArray(answer) ? all.map(String) : text.split(",").map((part) => part.trim())).map(one);
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "number":
    case "integer": {
      const number = Number(text);
      return Number.isFinite(number) && (field["type"] === "number" || Number.isInteger(number)) ? number : undefined;
    }
    default:
      return one(text);
  }
};
