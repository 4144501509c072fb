import { describe, expect, it } from "vitest";
import { contentOf, formFieldsOf, fieldProblemOf } from "./elicitation.ts";

const schema = {
  type: "object",
  required: ["name", "tier"],
  properties: {
    name: { type: "string", title: "Name", minLength: 2, description: "yours" },
    age: { type: "integer", minimum: 18 },
    tier: { type: "string", enum: ["a", "b"], enumNames: ["Basic", "Better"] },
    color: { type: "string", oneOf: [{ const: "r", title: "Red" }], default: "r" },
    tags: { type: "array", items: { enum: ["x", "y"] } },
    agreed: { type: "boolean" },
  },
};

describe("a form out of a schema", () => {
  const fields = formFieldsOf(schema, ["tier"])!;
  const named = (name: string) => fields.find((field) => field.name === name)!;

  it("has a field for each property, in the order that was wished", () => {
    expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ["tier", "choice", true],
      ["name", "text", true],
      ["age", "integer", false],
      ["color", "choice", false],
      ["tags", "choices", false],
      ["agreed", "boolean", false],
    ]);
    expect(named("tier").options).toEqual([
      { value: "a", label: "Basic" },
      { value: "b", label: "Better" },
    ]);
  });

  it("says what is wrong", () => {
    expect(fieldProblemOf(named("name"), "")).toBe("is required");
    expect(fieldProblemOf(named("name"), "x")).toBe("must be at least 2 characters");
    expect(fieldProblemOf(named("age"), 17)).toBe("must be at least 18");
    expect(fieldProblemOf(named("age"), 18.5)).toBe("must be a whole number");
    expect(fieldProblemOf(named("age"), "")).toBeUndefined();
  });

  it("sends what was given, defaults, and no empty fields", () => {
    expect(contentOf(fields, { name: "Ada", tier: "b", agreed: true })).toEqual({
      tier: "b",
      name: "Ada",
      color: "r",
      agreed: true,
    });
  });

  it("returns no fields for an invalid form", () => {
    expect(formFieldsOf({ type: "object", properties: { deep: { type: "object" } } })).toBeUndefined();
    expect(formFieldsOf("nonsense")).toBeUndefined();
    expect(formFieldsOf(undefined)).toEqual([]);
  });
});
