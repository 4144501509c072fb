// The methods of permission rules: read them, test a call against them, show and save a change of a settings file.

import { WRITABLE_SCOPES } from "@quarterdeck/permissions/words";
import { z } from "zod";
import { command, Hunk, Id, method, Path, Time } from "./shapes.ts";

const RuleScope = z.enum([
  ...(["session", "cliArg", "command", "flagSettings"] as const),
  ...(["localSettings", "projectSettings", "userSettings", "policySettings"] as const),
]);
const WritableScope = z.enum(WRITABLE_SCOPES);
const Behavior = z.enum(["allow", "ask", "deny"]);
const Mode = z.string().max(50);
const RuleText = z.string().min(1).max(10_000);

const ofFolder = {
  session: Id.optional().describe("Adds what holds only in this session. Its folder is taken unless `cwd` is given."),
  cwd: Path.optional(),
};

const Risk = z.object({ level: z.enum(["high", "medium"]), words: z.string() });

const Problem = z.object({
  kind: z.string(),
  words: z.string(),
  instead: z.string().optional().describe("A rule that does what this one seems to say."),
});

const Reason = z.object({
  kind: z.string(),
  words: z.string(),
  rule: z.string().optional(),
  scope: RuleScope.optional(),
  path: z.string().optional(),
  line: z.number().optional(),
  part: z.string().optional().describe("The part of a command, or the path, that decided."),
  warnings: z.array(z.string()).describe("What a person should know who trusts this verdict."),
  change: z.array(z.string()).describe("What would have changed the verdict."),
});

const PlacedRule = z.object({
  scope: RuleScope,
  behavior: Behavior,
  rule: z.string().describe("As it is written in its file."),
  path: z.string().optional(),
  line: z.number().optional(),
  matched: z.number().describe("How many of the latest calls this rule decided, or a part of them."),
  lastAt: Time.optional(),
  risk: Risk.optional(),
  problems: z.array(Problem).describe("Why the rule is not in effect, or does not do what it seems to do."),
});

const Looked = z.object({
  calls: z.number().describe("How many of the latest tool calls in this folder were looked at, 200 at most."),
  since: Time.optional(),
});

const Reach = z.object({
  rule: z.string(),
  error: z.object({ message: z.string(), position: z.number() }).optional(),
  risk: Risk.optional(),
  matched: z.number().describe("How many of the latest calls the rule alone would allow."),
  newly: z.number().describe("How many of the latest calls are allowed with the rule, and not without it."),
  examples: z.array(z.string()).describe("Some of these, shortened."),
});

const RulePlace = z.object({ scope: WritableScope, behavior: Behavior, rule: RuleText });
const RuleChange = z
  .object({ from: RulePlace.optional(), to: RulePlace.optional() })
  .refine(({ from, to }) => from !== undefined || to !== undefined, "A change has `from`, `to` or both.")
  .describe("Only `to`: add. Only `from`: remove. Both: edit a rule, or move it to another file.");

const SavedFile = z.object({ scope: WritableScope, path: z.string() });

export const RULES_METHODS = {
  "rules/list": method(
    "Lists the permission rules of all scopes for a folder, with or without a process.",
    z.object(ofFolder),
    z.object({
      folder: z.string(),
      mode: z.string().describe("The permission mode of the session, or the default mode of the settings."),
      trust: z.enum(["trusted", "changed", "unknown"]).describe("Rules of a folder hold only if it is trusted."),
      files: z
        .array(
          z.object({
            scope: RuleScope,
            path: z.string(),
            exists: z.boolean(),
            problem: z.string().optional().describe("Why the file is not in effect, and what to do."),
          }),
        )
        .describe("The settings files for this folder, whether they exist or not."),
      rules: z.array(PlacedRule),
      problems: z.array(
        z.object({
          ...Problem.shape,
          scope: RuleScope,
          path: z.string().optional(),
          line: z.number().optional(),
        }),
      ),
      looked: Looked,
    }),
  ),
  "rules/test": method(
    "Says what Claude Code would do with a call, and why. Nothing runs. Also says what given allow rules would have allowed.",
    z.object({
      ...ofFolder,
      requestId: Id.optional().describe("Tests the call of this open request of the session."),
      tool: z.string().min(1).max(500).optional(),
      input: z.record(z.string(), z.unknown()).optional(),
      mode: Mode.optional().describe("Default: the mode that `rules/list` returns."),
      rules: z
        .array(z.string().max(10_000))
        .max(20)
        .optional()
        .describe("Allow rules to compare with the latest calls."),
    }),
    z.object({
      mode: z.string(),
      behavior: Behavior,
      reason: Reason,
      policy: z
        .object({ id: z.string(), name: z.string(), behavior: Behavior, rule: z.string().optional() })
        .optional()
        .describe("The policy of this host that decides in place of this verdict."),
      parts: z
        .array(z.object({ text: z.string(), behavior: Behavior, reason: Reason }))
        .describe("The parts of a compound command, each tested alone. Empty if there is only one."),
      rules: z.array(Reach),
      looked: Looked,
    }),
  ),
  "rules/preview": method(
    "Shows what a change would write, file by file. Values of secret settings are hidden.",
    z.object({ ...ofFolder, change: RuleChange }),
    z.object({
      files: z.array(
        z.object({
          ...SavedFile.shape,
          hash: z.string().describe("Names the text that the change is made to. Send it with `rules/save`."),
          creates: z.boolean(),
          hunks: z.array(Hunk),
        }),
      ),
      risk: Risk.optional(),
      problems: z.array(Problem).describe("What is wrong with the new rule."),
      reach: Reach.optional().describe("What a new allow rule would have allowed."),
      looked: Looked,
    }),
  ),
  "rules/save": method(
    "Saves a change as it was previewed, or undoes a saved one. A trusted folder stays trusted.",
    z.object({
      ...command,
      ...ofFolder,
      change: RuleChange.optional(),
      hashes: z
        .array(z.string().max(100))
        .max(2)
        .optional()
        .describe("Hashes of the previewed files, in the same order."),
      undo: Id.optional().describe("What an earlier `rules/save` returned. Works until the file changes again."),
    }),
    z.object({ undo: z.string().describe("Undoes this change."), files: z.array(SavedFile) }),
  ),
} as const;
