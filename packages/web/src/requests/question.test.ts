import { describe, expect, it } from "vitest";
import { answersFrom, withChoice, isAnswered, NO_REPLY, questionsOf } from "./question.ts";

const input = {
  questions: [
    {
      question: "Which color?",
      header: "Color",
      options: [{ label: "Red", description: "warm", preview: "RED" }, { label: "Blue" }],
      multiSelect: false,
    },
    {
      question: "Which toppings?",
      options: [{ label: "Cheese" }, { label: "Olives" }, { label: "Ham" }],
      multiSelect: true,
    },
  ],
};
const [color, toppings] = questionsOf(input) as [ReturnType<typeof questionsOf>[0], ReturnType<typeof questionsOf>[0]];

describe("a question form", () => {
  it("takes one choice or several, in the order that was offered", () => {
    expect(withChoice(color, withChoice(color, NO_REPLY, "Red"), "Blue").chosen).toEqual(["Blue"]);
    expect(withChoice(color, withChoice(color, NO_REPLY, "Red"), "Red").chosen).toEqual([]);
    expect(withChoice(toppings, withChoice(toppings, NO_REPLY, "Ham"), "Cheese").chosen).toEqual(["Cheese", "Ham"]);
  });

  it("sends choices, own words and notes by the question's text", () => {
    expect(
      answersFrom(
        [color, toppings],
        [
          { chosen: ["Red"], other: "", notes: "dark red please" },
          { chosen: ["Cheese"], other: " anchovies ", notes: "" },
        ],
      ),
    ).toEqual({
      answers: { "Which color?": "Red", "Which toppings?": ["Cheese", "anchovies"] },
      notes: { "Which color?": "dark red please" },
    });
    expect(answersFrom([color], [undefined])).toEqual({ answers: {} });
    expect([isAnswered(undefined), isAnswered(NO_REPLY), isAnswered({ ...NO_REPLY, other: "x" })]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("never fails on a malformed one", () => {
    expect(questionsOf({})).toEqual([]);
    expect(
      questionsOf({
        questions: [
          null,
          3,
          { question: "Why?", options: "none" },
          { question: "How?", options: ["a", { label: 3 }, null] },
        ],
      }),
    ).toEqual([
      { question: "Why?", multiple: false, options: [] },
      { question: "How?", multiple: false, options: [{ label: "a" }] },
    ]);
  });
});
