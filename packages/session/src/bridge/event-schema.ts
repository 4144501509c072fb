// The events of a log as a schema, only for docs and tests. The type of event.ts decides: if the schema differs, this file does not
// compile.

import { z } from "zod";
import type * as event from "../event.ts";
import { DecidedBehavior, PolicyMark, DecidingRule, Draft } from "./row-schema.ts";
import { Actor, AnyJson, PromptContent, flag, number, text, time, yes } from "./state-shapes.ts";
import type { Checked } from "./state-shapes.ts";

const logged = { seq: number.describe("Dense, from 1."), at: time };
const by = { by: Actor.exactOptional() };
const fact = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ ...logged, type: z.literal(type), ...shape });

export const Event = z
  .discriminatedUnion("type", [
    fact("received", { message: AnyJson }).describe("A line of JSON from the CLI, known or not."),
    fact("noise", { bytes: text, size: number, reason: text }).describe(
      "A line that could not be decoded, with its bytes in base64. `reason` says why: `not-json`, `not-utf8`, `oversized` or `too-deep`.",
    ),
    fact("sent", { message: AnyJson, ...by, policy: PolicyMark.exactOptional() }).describe(
      "A line to the CLI, and who caused it: a device, or a policy of the host.",
    ),
    fact("process-started", {
      pid: number.exactOptional(),
      version: text.exactOptional(),
      cwd: text.exactOptional(),
      keptPermissions: yes.exactOptional(),
      leftOut: z.array(text).exactOptional(),
      mode: text.exactOptional(),
      canBypass: yes.exactOptional(),
      asksPolicies: yes.exactOptional(),
      ignoredMode: text.exactOptional(),
      debugFile: text.exactOptional(),
    }),
    fact("stdin-closed", {}),
    fact("signal-sent", { signal: text }),
    fact("drafts-left", { drafts: z.array(Draft) }).describe(
      "The streamed part of blocks that will not be completed, because the process ended or was interrupted.",
    ),
    fact("process-exited", { code: number.nullable(), signal: text.nullable(), reason: text.exactOptional() }),
    fact("stderr", { text }),
    fact("imported", { entry: AnyJson, parent: text.exactOptional() }).describe(
      "An entry of the CLI's own transcript.",
    ),
    fact("prompt-accepted", {
      uuid: text,
      content: PromptContent,
      priority: z.enum(["now", "next", "later"]).exactOptional(),
      ...by,
    }),
    fact("prompt-edited", { uuid: text, content: PromptContent, ...by }),
    fact("prompt-held", { uuid: text }),
    fact("prompt-withdrawn", { uuid: text, ...by }),
    fact("memory-exceeded", { bytes: number, limitBytes: number, ends: flag }),
    fact("budget-noted", {
      state: z.enum(["free", "near", "reached"]),
      scope: z.enum(["session", "day"]),
      spentUsd: number,
      limitUsd: number,
    }).describe("What the budget of the session or of the day says now."),
    fact("folder-changed", { files: z.array(text) }).describe(
      "The folder would now run something that was not trusted. The host ends the process first.",
    ),
    fact("forked", { from: text }).describe("What stands before this was copied from another session."),
    fact("changes-counted", { files: number, added: number, removed: number }).describe(
      "What the session has changed in its folder so far.",
    ),
    fact("call-explained", {
      toolUseId: text,
      behavior: DecidedBehavior,
      kind: z.enum(["rule", "mode", "read-only"]),
      rule: DecidingRule.exactOptional(),
      mode: text.exactOptional(),
    }).describe("Why the CLI decided about a call without asking, as the rules of that moment say."),
  ])
  .meta({ title: "Event", description: "A fact of the session's log." });

export const EVENTS_AGREE: Checked<typeof Event, event.Event> = true;
