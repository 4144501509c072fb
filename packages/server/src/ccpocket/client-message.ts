// The messages that a ccpocket app may send about Claude. They are decoded once, here. Unknown fields are ignored.

import { z } from "zod";

const Session = { sessionId: z.string().max(200).optional() };
const Of = { sessionId: z.string().min(1).max(200) };
const RequestId = { requestId: z.string().max(200).optional() };
const Start = {
  permissionMode: z.string().max(50).optional(),
  planMode: z.boolean().optional(),
  executionMode: z.enum(["default", "acceptEdits", "fullAccess"]).optional(),
  provider: z.string().max(50).optional(),
  model: z.string().max(200).optional(),
  effort: z.string().max(50).optional(),
  maxTurns: z.number().int().min(1).optional(),
  maxBudgetUsd: z.number().min(0).optional(),
  fallbackModel: z.string().max(200).optional(),
  forkSession: z.boolean().optional(),
  persistSession: z.boolean().optional(),
  additionalWritableRoots: z.array(z.string().max(4096)).max(50).optional(),
};
const Image = z.object({ base64: z.string(), mimeType: z.string().max(100) });

const message = <T extends string, F extends z.ZodRawShape>(type: T, fields: F) =>
  z.object({ type: z.literal(type), ...fields });

export const ClientMessage = z.discriminatedUnion("type", [
  message("client_capabilities", {
    appVersion: z.string().max(100).optional(),
    protocolVersion: z.number().optional(),
    supportedServerMessages: z.array(z.string().max(100)).max(500).optional(),
  }),
  message("start", {
    projectPath: z.string().min(1).max(4096),
    sessionId: z.string().max(200).optional(),
    continue: z.boolean().optional(),
    takeOver: z.boolean().optional(),
    ...RequestId,
    ...Start,
  }),
  message("resume_session", {
    ...Of,
    projectPath: z.string().max(4096).optional(),
    resumeRequestId: z.string().max(200).optional(),
    /** Our extension: ends the terminal that has the session open. ccpocket's own apps never send it. */
    takeOver: z.boolean().optional(),
    ...Start,
  }),
  message("input", {
    text: z.string().max(1_000_000),
    ...Session,
    clientMessageId: z.string().max(200).optional(),
    /** The last fact that the client had seen when the person typed. */
    baseSeq: z.number().int().optional(),
    images: z.array(Image).max(20).optional(),
    imageBase64: z.string().optional(),
    mimeType: z.string().max(100).optional(),
  }),
  message("approve", { id: z.string().min(1).max(200), clearContext: z.boolean().optional(), ...Session }),
  message("approve_always", { id: z.string().min(1).max(200), ...Session }),
  message("reject", { id: z.string().min(1).max(200), message: z.string().max(20_000).optional(), ...Session }),
  message("answer", { toolUseId: z.string().min(1).max(200), result: z.string().max(100_000), ...Session }),
  message("list_sessions", {}),
  message("stop_session", Of),
  message("rename_session", { ...Of, name: z.string().max(200).nullish() }),
  message("archive_session", Of),
  message("get_history", Of),
  message("get_history_delta", { ...Of, sinceSeq: z.number().int().min(0) }),
  message("list_recent_sessions", {
    limit: z.number().int().min(1).max(500).optional(),
    offset: z.number().int().min(0).optional(),
    projectPath: z.string().max(4096).optional(),
    namedOnly: z.boolean().optional(),
    searchQuery: z.string().max(200).optional(),
    ...RequestId,
  }),
  message("list_project_history", {}),
  message("set_permission_mode", { mode: z.string().max(50), ...Session }),
  message("interrupt", Session),
  message("fork", { ...Of, targetUuid: z.string().min(1).max(200) }),
  message("rewind", { ...Of, targetUuid: z.string().min(1).max(200), mode: z.enum(["conversation", "code", "both"]) }),
  message("rewind_dry_run", { ...Of, targetUuid: z.string().min(1).max(200) }),
  message("update_queued_input", { ...Of, itemId: z.string().max(200), text: z.string().max(1_000_000) }),
  message("cancel_queued_input", { ...Of, itemId: z.string().max(200) }),
  message("list_files", { projectPath: z.string().min(1).max(4096), ...RequestId }),
  message("list_directory", {
    path: z.string().min(1).max(4096),
    includeHidden: z.boolean().optional(),
    includeFiles: z.boolean().optional(),
    ...RequestId,
  }),
  message("read_file", {
    projectPath: z.string().min(1).max(4096),
    filePath: z.string().min(1).max(4096),
    maxLines: z.number().int().min(1).optional(),
    ...RequestId,
  }),
  message("get_diff", { projectPath: z.string().min(1).max(4096), ...RequestId }),
]);
export type ClientMessage = z.output<typeof ClientMessage>;

type Of<T extends ClientMessage["type"]> = Extract<ClientMessage, { type: T }>;
/** How each kind of message is answered. */
export type MessageAnswers<T extends ClientMessage["type"] = ClientMessage["type"]> = {
  readonly [K in T]: (message: Of<K>) => Promise<void> | void;
};

export type ReadClientMessage =
  | { readonly ok: true; readonly message: ClientMessage }
  | {
      readonly ok: false;
      readonly isJson: boolean;
      readonly error: { readonly message: string; readonly errorCode: string };
    };

const KNOWN: ReadonlySet<string> = new Set(ClientMessage.options.map((option) => option.shape.type.value));

/** ccpocket's own bridge answers an unknown message with its type. So does ours. */
export const readClientMessage = (text: string): ReadClientMessage => {
  const refuse = (words: string, errorCode: string, isJson = true): ReadClientMessage => ({
    ok: false,
    isJson,
    error: { message: words, errorCode },
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse("Invalid message format", "unsupported_message", false);
  }
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  if (typeof type !== "string") return refuse("Invalid message format", "unsupported_message");
  if (!KNOWN.has(type)) return refuse(type.slice(0, 100), "unsupported_message");
  const read = ClientMessage.safeParse(value);
  if (read.success) return { ok: true, message: read.data };
  const [issue] = read.error.issues;
  return refuse(
    `${type}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "is not as it should be"}`,
    "invalid_message",
  );
};
