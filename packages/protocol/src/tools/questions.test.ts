import { describe, expect, it } from "vitest";
import { isRecord } from "../json.ts";
import { fc } from "../property.fixture.ts";
import { recordedLines } from "@quarterdeck/test-kit/recorded-lines";
import { answerQuestions, answersOf } from "./questions.ts";
import type { Question } from "./tool-inputs.ts";

const questions: Question[] = [
  { question: "Which color?", header: "Color", options: [{ label: "Red" }, { label: "Blue" }], multiSelect: false },
  {
    question: "Which toppings?",
    header: "Toppings",
    options: [{ label: "Cheese" }, { label: "Olives" }, { label: "Ham" }],
    multiSelect: true,
  },
];

/** What the recorded hosts sent as `updatedInput` to AskUserQuestion, by recording. */
const recorded = (name: string) => {
  for (const { msg, dir, recording } of recordedLines()) {
    if (!recording.startsWith(name) || dir !== "in" || msg?.["type"] !== "control_response") continue;
    const response = isRecord(msg["response"]) ? msg["response"]["response"] : undefined;
    if (isRecord(response) && isRecord(response["updatedInput"])) return response["updatedInput"];
  }
  throw new Error(`no answer in ${name}`);
};

describe("answersOf", () => {
  it("reads every recorded form of an answer", () => {
    expect(answersOf(recorded("05a"))).toEqual({ "Which color?": ["Blue"], "Which toppings?": ["Cheese", "Ham"] });
    expect(answersOf(recorded("05b"), questions)).toEqual({
      "Which color?": ["Blue"],
      "Which toppings?": ["Cheese", "Ham"],
    });
    expect(answersOf(recorded("05c"))).toEqual({ "Which color?": ["Blue"], "Which toppings?": ["Cheese"] });
    expect(answersOf(recorded("05d"))).toEqual({
      "Which color?": ["Something else"],
      "Which toppings?": ["Cheese", "Ham"],
    });
    expect(answersOf(recorded("05e"))).toEqual({ "Which color?": ["Red"], "Which toppings?": ["Cheese"] });
    expect(answersOf(recorded("05g"))).toEqual({});
  });

  it("keeps an index without its questions", () => {
    expect(answersOf({ answers: { 0: "Yes" } })).toEqual({ 0: ["Yes"] });
    expect(answersOf({ answers: { 7: "Yes" } }, questions)).toEqual({ 7: ["Yes"] });
  });

  it("splits only a text that consists of labels of a multi-select (S1, S3)", () => {
    const read = (answer: string) =>
      answersOf({ questions, answers: { "Which toppings?": answer } })["Which toppings?"];
    expect(read("Cheese,Ham")).toEqual(["Cheese", "Ham"]);
    expect(read("Cheese, Ham")).toEqual(["Cheese", "Ham"]);
    expect(read("Cheese, no ham please")).toEqual(["Cheese, no ham please"]);
    expect(answersOf({ questions, answers: { "Which color?": "Red, Blue" } })).toEqual({
      "Which color?": ["Red, Blue"],
    });
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (answers, own) => {
        const read = answersOf({ questions: own, answers }, questions);
        expect(Object.values(read).every((given) => given.every((text) => typeof text === "string"))).toBe(true);
      }),
    );
  });
});

describe("answerQuestions", () => {
  it("builds what the CLI accepted (05a)", () => {
    const answered = recorded("05a");
    const asked = { questions: answered["questions"] as Question[] };
    expect(answerQuestions(asked, { "Which color?": "Blue", "Which toppings?": ["Cheese", "Ham"] })).toEqual(answered);
  });

  it("builds notes and previews as the CLI accepted them (05e)", () => {
    const answered = recorded("05e");
    const asked = { questions: answered["questions"] as Question[] };
    const annotations = { "Which color?": { notes: "dark red please", preview: "```\nRED\n```" } };
    expect(answerQuestions(asked, { "Which color?": "Red", "Which toppings?": ["Cheese"] }, annotations)).toEqual(
      answered,
    );
  });

  it("keeps the rest of the input and replaces older answers", () => {
    const asked = { questions, answers: { "Which color?": "Red" }, metadata: { source: "remember" } };
    expect(answerQuestions(asked, {})).toEqual({ questions, answers: {}, metadata: { source: "remember" } });
  });

  it("refuses an answer to a question that was not asked", () => {
    expect(() => answerQuestions({ questions }, { 0: "Blue" })).toThrow("No question reads: 0");
    expect(() => answerQuestions({ questions }, {}, { Other: { notes: "x" } })).toThrow("No question reads: Other");
  });

  it("can be read again, with any labels", () => {
    const label = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom("a, b", 'say "no"', "a,b", '"x", y', "a\\", "__proto__"),
    );
    const question = fc.record({
      question: fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("0", "__proto__")),
      labels: fc.uniqueArray(label, { minLength: 2, maxLength: 4 }),
      picked: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(question, { minLength: 1, maxLength: 4, selector: (item) => item.question }),
        (items) => {
          const asked = items.map(({ question: text, labels }) => ({
            question: text,
            options: labels.map((name) => ({ label: name })),
            multiSelect: true,
          }));
          const chosen = Object.fromEntries(
            items.map(({ question: text, labels, picked }) => [text, labels.slice(0, picked)]),
          );
          // If joined labels equal another label of the same question, every reader reads them as that label.
          const ambiguous = items.some(
            ({ labels, picked }) => picked > 1 && labels.includes(labels.slice(0, picked).join(", ")),
          );
          fc.pre(!ambiguous);
          expect(answersOf(answerQuestions({ questions: asked }, chosen))).toEqual(chosen);
        },
      ),
    );
  });
});
