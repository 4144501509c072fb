// Dialogs for an editor that shows a title and one button for each kind of choice.

import type { OpenRequest } from "@quarterdeck/client";
import { describe, expect, it } from "vitest";
import { dialogOfKinds, permissionDialog } from "./permission-dialog.ts";
import { questionSteps } from "./questions.ts";

const asked = (tool: string, input: Readonly<Record<string, unknown>>, more: object = {}): OpenRequest =>
  ({
    id: "r",
    kind: "permission",
    request: { subtype: "can_use_tool", tool_name: tool, input, tool_use_id: "t", ...more },
  }) as unknown as OpenRequest;
const touch = {
  permission_suggestions: [
    { type: "setMode", mode: "acceptEdits", destination: "session" },
    {
      type: "addRules",
      rules: [{ toolName: "Bash", ruleContent: "touch *" }],
      behavior: "allow",
      destination: "session",
    },
  ],
};
const ofKinds = (open: OpenRequest) => dialogOfKinds(permissionDialog(open, undefined, ["/srv/app"], "admin"));

describe("an editor that shows only the kinds of choices", () => {
  it("gets one choice of each kind: never the wider permission, and no second denial", () => {
    const { choices } = ofKinds(asked("Bash", { command: "touch a" }, touch));
    expect(choices.map(({ id, kind, answer }) => [id, kind, answer.kind])).toEqual([
      ["allow_once", "allow_once", "allow"],
      ["allow_always", "allow_always", "allow"],
      ["reject_once", "reject_once", "deny"],
    ]);
    expect(choices[1]?.name).toBe("Allow for this session: Bash(touch *)");
    expect(choices[2]?.answer).not.toHaveProperty("interrupt");
  });

  it("gets the whole request in the title, on one line", () => {
    const end = "; rm -rf everything";
    const { dialog } = ofKinds(asked("Bash", { command: `echo ${"a".repeat(400)}\n${end}` }));
    expect(dialog.toolCall.title).toContain(end);
    expect(dialog.toolCall.title).not.toContain("\n");
    expect(ofKinds(asked("mcp__mail__send", { to: "all", body: "Hi" })).dialog.toolCall.title).toContain("body: Hi");
    const edit = asked("Edit", { file_path: "/srv/app/a", old_string: "x", new_string: "y", replace_all: true });
    expect(ofKinds(edit).dialog.toolCall.title).toContain("replace_all: true");
    expect(ofKinds(asked("ExitPlanMode", { plan: "# Ship\n\n- it" })).dialog.toolCall.title).toBe(
      "Plan ready for review · # Ship · - it",
    );
  });

  it("can only deny what its title cannot show", () => {
    for (const long of ["a".repeat(30_000), "a\u200B".repeat(5000)]) {
      const { choices } = ofKinds(asked("Bash", { command: `echo ${long}` }, touch));
      expect(choices.map(({ kind }) => kind)).toEqual(["reject_once"]);
    }
  });

  it("is asked for each answer of a question", () => {
    const question = {
      question: "Which color?",
      header: "Color",
      multiSelect: false,
      options: [{ label: "Red", description: "warm" }, { label: "Blue" }, { label: "Green" }],
    };
    const open = asked("AskUserQuestion", { questions: [question] });
    const answered = (...kinds: ("allow_once" | "reject_once")[]) => {
      const steps = questionSteps(open, [question], { onlyKinds: true });
      const titles: unknown[] = [];
      let step = steps.next();
      for (const kind of kinds) {
        if (step.done === true) break;
        titles.push(step.value.dialog.toolCall.title);
        step = steps.next(step.value.choices.find((choice) => choice.kind === kind)!.answer);
      }
      return { titles, answer: step.done === true ? step.value : undefined };
    };
    expect(answered("reject_once", "allow_once")).toEqual({
      titles: ["Which color? · Red (warm)?", "Which color? · Blue?"],
      answer: { kind: "answers", answers: { "Which color?": ["Blue"] } },
    });
    expect(answered("reject_once", "reject_once", "reject_once").answer).toMatchObject({ kind: "deny" });
  });
});
