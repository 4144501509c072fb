// Handles each message of an app: it calls the bridge and answers in the ccpocket protocol.

import { BridgeError, hashOf } from "@quarterdeck/client";
import type { SessionSummary } from "@quarterdeck/client";
import { isRunning, NO_REASON } from "@quarterdeck/session";
import type { MessageAnswers } from "./client-message.ts";
import { pocketElicitationAnswer, isElicitation } from "./elicitations.ts";
import { fileAnswers } from "./file-answers.ts";
import { narrowestSuggestion } from "./narrowest-suggestion.ts";
import type { PocketApp } from "./pocket-app.ts";
import { answersSoFar, commandIdOf, imagesOf, pocketModeOf, settingsOf } from "./requests.ts";
import { isAnswerable, pocketIdOf } from "./translate.ts";
import type { Answerable } from "./translate.ts";

const RECENT = 20;

export const answersFor = (app: PocketApp): MessageAnswers => {
  /** Answers to some of the questions of a request. */
  const begun = new Map<string, Readonly<Record<string, string | string[]>>>();
  const answers: MessageAnswers = {
    ...fileAnswers(app),
    client_capabilities: ({ supportedServerMessages = [] }) => app.understands(supportedServerMessages),

    start: async (message) => {
      const { client } = app;
      if (message.sessionId !== undefined && message.sessionId !== "")
        return answers.resume_session({ ...message, type: "resume_session", sessionId: message.sessionId });
      const { session } = await client.command("sessions/start", {
        cwd: message.projectPath,
        ...(message.continue === true && { continue: true }),
        settings: settingsOf(message),
      });
      app.began(session, message.requestId === undefined ? {} : { requestId: message.requestId });
    },

    resume_session: async (message) => {
      const { client } = app;
      const { sessionId, resumeRequestId, forkSession } = message;
      const about = resumeRequestId === undefined ? {} : { resumeRequestId };
      const { session } =
        forkSession === true
          ? await client.command("sessions/fork", { session: sessionId })
          : await resume(app, sessionId, message.takeOver === true);
      app.began(session, { ...about, sourceSessionId: sessionId });
      const mode = pocketModeOf(message);
      if (mode !== undefined && mode !== session.mode)
        await answers.set_permission_mode({ type: "set_permission_mode", mode, sessionId: session.id });
    },

    input: async (message) => {
      const { client } = app;
      const session = app.meant(message.sessionId);
      const followed = app.follow(session);
      const commandId = commandIdOf(session, message.clientMessageId);
      if (message.clientMessageId !== undefined) followed.isCalled(commandId, message.clientMessageId);
      const named = {
        sessionId: session,
        ...(message.clientMessageId !== undefined && { clientMessageId: message.clientMessageId }),
      };
      if (message.baseSeq !== undefined && (await followed.promptsSince(message.baseSeq, commandId))) {
        app.send({ type: "input_rejected", ...named, reason: "conflict" });
        return;
      }
      try {
        await followed.known;
        // A session that is still starting takes it as its first prompt.
        const queued = isRunning(followed.head.phase);
        const uploads = await Promise.all(imagesOf(message).map((bytes) => app.keepImage(bytes)));
        await client.command("session/prompt", { commandId, session, content: message.text, uploads });
        const { lastSeq } = await client.call("session/events", { session, after: Number.MAX_SAFE_INTEGER, limit: 1 });
        app.send({ type: "input_ack", ...named, acceptedSeq: lastSeq, queued });
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error;
        app.send({ type: "input_rejected", ...named, reason: error.code, message: error.message });
      }
    },

    approve: ({ id, sessionId, clearContext }) =>
      clearContext === true
        ? approveAnew(app, id, sessionId)
        : respond(app, id, sessionId, (open) =>
            isElicitation(open) ? mustBeComplete(pocketElicitationAnswer(open.request, "accept")) : { kind: "allow" },
          ),
    approve_always: async ({ id, sessionId }) => {
      const { session, open } = findOpen(app, id, sessionId);
      if (isElicitation(open)) return answers.approve({ type: "approve", id, sessionId });
      const always = narrowestSuggestion(open.request, app.follow(session).head.cwd ?? "/");
      const updatedPermissions = always.kind === "rule" ? [always.update] : undefined;
      await respond(app, id, session, () => ({ kind: "allow", ...(updatedPermissions && { updatedPermissions }) }));
      // Every app shows `error` messages. The protocol has no other message for this.
      if (always.kind !== "rule")
        app.send({ type: "error", message: ALLOWED_ONCE[always.kind], errorCode: "allowed_once", sessionId: session });
    },
    reject: ({ id, message, sessionId }) =>
      respond(app, id, sessionId, (open) =>
        isElicitation(open)
          ? { kind: "elicitation", action: "decline" }
          : { kind: "deny", message: message?.trim() || NO_REASON },
      ),
    answer: async ({ toolUseId, result, sessionId }) => {
      const { session, open } = findOpen(app, toolUseId, sessionId);
      if (isElicitation(open))
        return respond(app, toolUseId, session, () => mustBeComplete(pocketElicitationAnswer(open.request, result)));
      const given = answersSoFar(result, open.request.input, begun.get(open.id) ?? {});
      begun.set(open.id, given.answers);
      if (given.isComplete) {
        await respond(app, toolUseId, session, () => ({ kind: "answers", answers: given.answers }));
        begun.delete(open.id);
        return;
      }
      // The app asks the next question.
      const input = { ...open.request.input, answers: given.answers };
      app.send({ type: "permission_request", sessionId: session, toolUseId, toolName: "AskUserQuestion", input });
    },

    list_sessions: () => app.tellSessions(),

    stop_session: async ({ sessionId }) => {
      await app.client.command("sessions/close", { session: sessionId });
      app.send({ type: "result", subtype: "stopped", sessionId });
      await app.tellSessions();
    },

    rename_session: async ({ sessionId, name }) => {
      if (name == null || name.trim() === "") throw new BridgeError("bad-request", "A name needs at least one letter.");
      const renamed = await outcomeOf(app.client.command("sessions/rename", { session: sessionId, title: name }));
      app.send({ type: "rename_result", sessionId, name, ...renamed });
    },

    archive_session: async ({ sessionId }) => {
      const archived = await outcomeOf(app.client.command("sessions/archive", { session: sessionId, archived: true }));
      app.send({ type: "archive_result", sessionId, ...archived });
    },

    get_history: async ({ sessionId }) => {
      const session = app.meant(sessionId);
      const followed = app.follow(session);
      const { messages, lastSeq } = await followed.history(0);
      await followed.known;
      app.send({
        type: "history",
        sessionId: session,
        historySeq: lastSeq,
        messages: messages.map(({ seq, message }) => ({ ...message, historySeq: seq })),
      });
      app.send({ type: "status", sessionId: session, status: followed.status });
    },

    get_history_delta: async ({ sessionId, sinceSeq }) => {
      const session = app.meant(sessionId);
      const followed = app.follow(session);
      const { messages, lastSeq } = await followed.history(sinceSeq);
      // A number beyond the end belongs to another log. Then the app gets the whole history.
      const isReset = sinceSeq > lastSeq;
      const told = isReset ? (await followed.history(0)).messages : messages;
      await followed.known;
      app.send({
        type: isReset ? "history_snapshot" : "history_delta",
        sessionId: session,
        fromSeq: isReset ? 0 : sinceSeq,
        toSeq: lastSeq,
        messages: told,
        status: followed.status,
        ...(isReset && { reason: "reset" }),
      });
    },

    list_recent_sessions: async ({ limit = RECENT, offset = 0, projectPath, namedOnly, searchQuery, requestId }) => {
      const wanted: SessionSummary[] = [];
      // One more than the page size shows whether there are more.
      for (let cursor: string | undefined; wanted.length <= offset + limit;) {
        const { sessions, nextCursor } = await app.client.call("sessions/list", {
          terminal: true,
          limit: 500,
          ...(projectPath !== undefined && { project: projectPath }),
          ...(searchQuery !== undefined && searchQuery !== "" && { query: searchQuery }),
          ...(cursor !== undefined && { cursor }),
        });
        wanted.push(
          ...sessions.filter(({ title, archived }) => !archived && (namedOnly !== true || title !== undefined)),
        );
        if (nextCursor === undefined) break;
        cursor = nextCursor;
      }
      const page = wanted.slice(offset, offset + limit);
      app.send({
        type: "recent_sessions",
        sessions: page.map((summary) => ({
          sessionId: summary.id,
          provider: "claude",
          projectPath: summary.cwd,
          ...(summary.title !== undefined && { name: summary.title, firstPrompt: summary.title }),
          summary: summary.lastText ?? summary.title ?? "",
          created: new Date(summary.createdAt).toISOString(),
          modified: new Date(summary.updatedAt).toISOString(),
          isLive: summary.live,
        })),
        offset,
        hasMore: offset + page.length < wanted.length,
        ...(requestId !== undefined && { requestId }),
      });
    },

    list_project_history: () => app.tellProjects(),

    set_permission_mode: async ({ mode, sessionId }) => {
      const session = app.meant(sessionId);
      await app.client.command("session/setPermissionMode", { session, mode });
      app.send({ type: "system", subtype: "set_permission_mode", sessionId: session, permissionMode: mode });
    },

    interrupt: async ({ sessionId }) => {
      await app.client.command("session/interrupt", { session: app.meant(sessionId) });
    },

    fork: async ({ sessionId, targetUuid }) => {
      const { session } = await forkAt(app, sessionId, targetUuid);
      app.began(session, { sourceSessionId: sessionId });
    },

    rewind: async ({ sessionId, targetUuid, mode }) => {
      try {
        if (mode !== "conversation") await rewindFiles(app, sessionId, targetUuid, false);
        const forked = mode === "code" ? undefined : await forkAt(app, sessionId, targetUuid);
        app.send({ type: "rewind_result", sessionId, success: true, mode });
        // A log is never cut. The earlier place continues as a new session.
        if (forked !== undefined) app.began(forked.session, { sourceSessionId: sessionId });
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error;
        app.send({ type: "rewind_result", sessionId, success: false, mode, error: error.message });
      }
    },

    rewind_dry_run: async ({ sessionId, targetUuid }) => {
      try {
        const preview = await rewindFiles(app, sessionId, targetUuid, true);
        app.send({ type: "rewind_preview", sessionId, ...preview });
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error;
        app.send({ type: "rewind_preview", sessionId, canRewind: false, error: error.message });
      }
    },

    update_queued_input: async ({ sessionId, itemId, text }) => {
      await app.client.command("session/editPrompt", { session: sessionId, uuid: itemId, content: text });
    },
    cancel_queued_input: async ({ sessionId, itemId }) => {
      await app.client.command("session/cancelPrompt", { session: sessionId, uuid: itemId });
    },
  };
  return answers;
};

const ALLOWED_ONCE = {
  none: "Allowed this once only: Claude Code suggests no rule for it, so it asks again the next time.",
  "too-wide":
    "Allowed this once only: the rule that Claude Code suggests would allow far more than this. It asks again the next time.",
};

/** Takes over a session that a terminal started. A terminal that has it open is ended only if the app asks for it. */
const resume = async (app: PocketApp, session: string, takeOver: boolean) => {
  try {
    return await app.client.command("sessions/resume", { session, adopt: true, ...(takeOver && { takeOver }) });
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== "session-held") throw error;
    const message =
      "Claude Code has this session open in a terminal, so it was not resumed here. " +
      "Close it there and try again, or send takeOver: true to end it from here.";
    throw new BridgeError(error.code, message, error.data);
  }
};

const mustBeComplete = <T>(answer: T | undefined): T => {
  if (answer === undefined) throw new BridgeError("bad-request", "A required field has no answer.");
  return answer;
};

const respond = async (
  app: PocketApp,
  toolUseId: string,
  sessionId: string | undefined,
  answerTo: (open: Answerable) => object,
): Promise<void> => {
  const { session, open } = findOpen(app, toolUseId, sessionId);
  await app.client.command("session/respond", {
    session,
    requestId: open.id,
    incarnation: open.incarnation,
    inputHash: await hashOf(open.request),
    answer: answerTo(open) as { kind: "deny"; message: string },
  });
};

/** Runs a plan in a clean context: ends this turn, clears the context, and sends the plan as a prompt. */
const approveAnew = async (app: PocketApp, toolUseId: string, sessionId: string | undefined): Promise<void> => {
  const { session, open } = findOpen(app, toolUseId, sessionId);
  const plan = await planOf(app, session, open);
  if (plan === undefined)
    throw new BridgeError("bad-request", "Only a plan that is stored in a file can run in a cleared context.");
  // Check the role for prompts before anything happens, because leaving the plan also changes the mode.
  const setMode = (mode: string) => app.client.command("session/setPermissionMode", { session, mode });
  const { mode = "plan" } = app.follow(session).head;
  await setMode("default");
  try {
    await respond(app, toolUseId, session, () => ({
      kind: "deny",
      message: "The user approves this plan and has it carried out in a clear context.",
      interrupt: true,
    }));
  } catch (error) {
    // Another device answered first. This app must not leave the plan.
    await setMode(mode);
    throw error;
  }
  for (const content of ["/clear", `Carry out this plan:\n\n${plan}`])
    await app.client.command("session/prompt", { session, content, priority: "later" });
};

/** The plan from its file, which the CLI puts into the request. Without a file, the text of the call. */
const planOf = async (app: PocketApp, session: string, open: Answerable): Promise<string | undefined> => {
  if (open.kind !== "plan" || isElicitation(open)) return undefined;
  const { rows } = await app.client.call("session/rows", { session, limit: 50 });
  const row = rows.find((each) => each.kind === "tool" && each.requestId === open.id);
  const told = [open.request.input["plan"], row?.kind === "tool" ? row.input["plan"] : undefined];
  return told.find((text): text is string => typeof text === "string" && text.trim() !== "");
};

const findOpen = (
  app: PocketApp,
  toolUseId: string,
  sessionId: string | undefined,
): { readonly session: string; readonly open: Answerable } => {
  const found = [...app.followed].flatMap(([id, { head }]) =>
    sessionId === undefined || sessionId === id
      ? head.requests
          .filter(isAnswerable)
          .flatMap((request) => (pocketIdOf(request) === toolUseId ? [{ id, request }] : []))
      : [],
  )[0];
  if (found === undefined)
    throw new BridgeError(
      "not-open",
      "This request is closed: it was answered, withdrawn, or closed with its process.",
    );
  return { session: found.id, open: found.request };
};

/** The failure in the form of answers that can report one. */
const outcomeOf = async (command: Promise<unknown>): Promise<{ success: boolean; error?: string }> => {
  try {
    await command;
    return { success: true };
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return { success: false, error: error.message };
  }
};

const forkAt = async (app: PocketApp, session: string, uuid: string) => {
  const atRow = await app.follow(session).rowOf(uuid);
  if (atRow === undefined) throw new BridgeError("not-found", "This session does not have that message.");
  return app.client.command("sessions/fork", { session, atRow });
};

const rewindFiles = async (
  app: PocketApp,
  session: string,
  uuid: string,
  isTrial: boolean,
): Promise<Record<string, unknown>> => {
  const request = { subtype: "rewind_files", user_message_id: uuid, ...(isTrial && { dry_run: true }) };
  const { response } = await app.client.command("session/request", { session, request });
  return response as Record<string, unknown>;
};
