// Translates an app's short messages into calls of the bridge. Pure.

import { createHash } from "node:crypto";
import { isRecord } from "@quarterdeck/protocol";
import type { ParamsOf } from "@quarterdeck/session/bridge";
import type { ClientMessage } from "./client-message.ts";

type Start = Extract<ClientMessage, { type: "start" }>;
type Input = Extract<ClientMessage, { type: "input" }>;
type Settings = NonNullable<ParamsOf<"sessions/start">["settings"]>;

export const settingsOf = (message: Start): Settings => {
  const mode = pocketModeOf(message);
  const { model, effort, maxTurns, maxBudgetUsd, fallbackModel, additionalWritableRoots: addDir } = message;
  return {
    ...(mode !== undefined && { permissionMode: mode }),
    ...(model !== undefined && model !== "default" && model !== "" && { model }),
    ...(effort !== undefined && { effort }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxBudgetUsd !== undefined && maxBudgetUsd > 0 && { maxBudgetUsd }),
    ...(fallbackModel !== undefined && { fallbackModel }),
    ...(addDir !== undefined && { addDir }),
    ...(message.persistSession === false && { noSessionPersistence: true }),
  };
};

/** The lane of messages about the session that earlier messages started. */
export const AFTER_ALL = "";

/**
 * Messages of one lane are answered one after the other. A start may wait until another session ends. That can take an answer
 * or a stop from the same app, so those have their own lanes.
 */
export const laneOf = (message: ClientMessage): string => {
  switch (message.type) {
    case "approve":
    case "approve_always":
    case "reject":
      return `request ${message.id}`;
    case "answer":
      return `request ${message.toolUseId}`;
    case "start":
    case "input":
    case "interrupt":
    case "set_permission_mode":
      return message.sessionId === undefined || message.sessionId === "" ? AFTER_ALL : `session ${message.sessionId}`;
    default:
      return "sessionId" in message ? `session ${message.sessionId}` : message.type;
  }
};

type Moded = Pick<Start, "permissionMode" | "planMode" | "executionMode">;

export const pocketModeOf = ({ permissionMode, planMode, executionMode }: Moded): string | undefined => {
  if (permissionMode !== undefined) return permissionMode;
  if (planMode === true) return "plan";
  if (executionMode === "fullAccess") return "bypassPermissions";
  return executionMode;
};

type Answers = Readonly<Record<string, string | string[]>>;

/**
 * An app sends the answers by question as JSON, all at once. Or it sends one text after the other, for the first question that has no
 * answer yet.
 */
export const answersSoFar = (
  result: string,
  input: Readonly<Record<string, unknown>>,
  before: Answers,
): { readonly answers: Answers; readonly isComplete: boolean } => {
  const questions = (Array.isArray(input["questions"]) ? input["questions"] : []).flatMap((question) =>
    isRecord(question) && typeof question["question"] === "string" ? [question["question"]] : [],
  );
  const given = objectIn(result);
  const byQuestion = given && (isRecord(given["answers"]) ? given["answers"] : given);
  const named = Object.entries(byQuestion ?? {}).filter(
    (entry): entry is [string, string | string[]] =>
      questions.includes(entry[0]) && (typeof entry[1] === "string" || Array.isArray(entry[1])),
  );
  if (named.length > 0) return { answers: { ...before, ...Object.fromEntries(named) }, isComplete: true };
  const [first, ...others] = questions.filter((question) => before[question] === undefined);
  const answers = first === undefined ? before : { ...before, [first]: result };
  return { answers, isComplete: others.length === 0 };
};

const objectIn = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // Plain words.
    return undefined;
  }
};

/** Their bytes decide the type, not the app's claim. */
export const imagesOf = ({ images = [], imageBase64 }: Input): Buffer[] =>
  [...images.map(({ base64 }) => base64), ...(imageBase64 === undefined ? [] : [imageBase64])].map((base64) =>
    Buffer.from(base64, "base64"),
  );

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/iu;

/** The same message gives the same command id, so a repeated message happens once. */
export const commandIdOf = (session: string, clientMessageId: string | undefined): string => {
  if (clientMessageId === undefined) return crypto.randomUUID();
  if (UUID.test(clientMessageId)) return clientMessageId.toLowerCase();
  const hash = createHash("sha256").update(`${session}\n${clientMessageId}`).digest("hex");
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
};
