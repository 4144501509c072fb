// The methods of policies, which decide about calls by themselves, and of the audit: who or what decided about each call.

import { z } from "zod";
import { command, Done, Id, method, Path, Time } from "./shapes.ts";

const Actor = z.object({ id: z.string(), name: z.string().optional() });
const PolicyBehavior = z.enum(["allow", "deny", "ask"]);
const RuleText = z.string().min(1).max(10_000);
const Times = z.number().int().min(1).max(1_000_000);

const policyFields = {
  name: z.string().min(1).max(200),
  behavior: PolicyBehavior.describe("`ask`: a person is asked, also where Claude Code would allow the call."),
  rules: z.array(RuleText).max(200).describe("As in settings files. One of them must match."),
  outside: z.literal(true).optional().describe("Matches calls that reach outside of the folder, too."),
};
const limitFields = {
  times: Times.optional().describe("How often it decides."),
  until: Time.optional().describe("Until when it decides."),
};

const Policy = z.object({
  id: z.string(),
  ...policyFields,
  folder: z.string().optional().describe("It holds for sessions in this folder and below it."),
  session: z.string().optional().describe("It holds for this session."),
  ...limitFields,
  state: z.enum(["on", "off", "used-up", "expired"]),
  used: z.number(),
  lastUsedAt: Time.optional(),
  createdAt: Time,
  by: Actor.optional(),
  waiting: z
    .array(z.string())
    .describe(
      "Live sessions whose process does not ask before each call, because it started before the policy. There, it decides only about calls that Claude Code asks about. Resume them.",
    ),
});

const AuditDecider = z
  .enum(["person", "policy", "rule", "mode", "read-only", "hook", "classifier", "unknown"])
  .describe("`unknown`: nobody was asked, and nobody knows why. `read-only`: the call only reads.");

const AuditEntry = z.object({
  session: z.string(),
  title: z.string().optional(),
  folder: z.string(),
  rowId: z.string(),
  at: Time,
  tool: z.string(),
  input: z.string().describe("JSON of the input that was decided about, at most 4,000 characters."),
  cut: z.literal(true).optional().describe("The input is longer. An export has all of it."),
  behavior: z.enum(["allow", "deny"]),
  decider: AuditDecider,
  by: Actor.optional().describe("The device of the person."),
  rule: z.string().optional().describe("The rule of Claude Code or of the policy."),
  place: z.string().optional().describe("The file and line of the rule."),
  policy: z.object({ id: z.string(), name: z.string() }).optional(),
  askedBy: z.string().optional().describe("The name of the policy that wanted a person to decide."),
  mode: z.string().optional(),
  reason: z.string().optional(),
  edited: z.literal(true).optional().describe("The person changed the input."),
});

export const AuditFilter = z.object({
  session: Id.optional(),
  folder: Path.optional().describe("Sessions in this folder and below it."),
  decider: AuditDecider.optional(),
  behavior: z.enum(["allow", "deny"]).optional(),
  text: z.string().max(200).optional().describe("Words in the tool, the input, the rule, the policy or the device."),
  from: Time.optional(),
  until: Time.optional(),
});

export const POLICIES_METHODS = {
  "policies/list": method(
    "Lists the policies that decide about calls by themselves, and presets to start from.",
    z.object({ session: Id.optional(), cwd: Path.optional() }).describe("Only those for this session or folder."),
    z.object({
      policies: z.array(Policy),
      presets: z.array(z.object({ id: z.string(), ...policyFields, about: z.string() })),
    }),
  ),
  "policies/add": method(
    "Adds a policy for one folder or one session, and turns it on.",
    z.object({ ...command, ...policyFields, ...limitFields, folder: Path.optional(), session: Id.optional() }),
    z.object({ policy: Policy }),
  ),
  "policies/change": method(
    "Turns a policy on or off, or changes its limit. A new limit counts from now; null removes it.",
    z.object({
      ...command,
      id: Id,
      isOn: z.boolean().optional(),
      times: Times.nullable().optional(),
      until: Time.nullable().optional(),
    }),
    z.object({ policy: Policy }),
  ),
  "policies/remove": method("", z.object({ ...command, id: Id }), Done),

  "audit/list": method(
    "Lists decisions about tool calls, the newest first: who or what decided, when, from which device, on which input.",
    AuditFilter.extend({ cursor: z.string().max(300).optional(), limit: z.number().int().min(1).max(500).optional() }),
    z.object({
      entries: z.array(AuditEntry),
      nextCursor: z.string().optional().describe("There may be more. A page can be empty and still have one."),
      skipped: z.array(z.string()).describe("Sessions that are too large to read before they are indexed. Try later."),
    }),
  ),
} as const;
