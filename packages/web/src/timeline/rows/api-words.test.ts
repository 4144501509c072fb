import { describe, expect, it } from "vitest";
import { apiWords, retryWords } from "./api-words.ts";

const JSON_529 =
  'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}';

describe("an error of the API", () => {
  it.each([
    [{ text: JSON_529, status: 529 }, "Claude is overloaded", "", true],
    [{ text: JSON_529 }, "Claude is overloaded", "", true],
    [
      { text: "API Error: Request rejected (429) · slow down", code: "rate_limit" },
      "Too many requests",
      "slow down",
      true,
    ],
    [{ text: "API Error: 500 disk on fire", code: "server_error" }, "The API has a problem", "disk on fire", true],
    [{ text: "API Error: 400 bad thing", status: 400 }, "The API rejected the request", "bad thing", false],
    [{ text: "no such model", code: "model_not_found" }, "This model is not available", "no such model", false],
    [{ text: "Prompt is too long", code: "invalid_request" }, "The conversation is too long", "", false],
    [
      { text: "Invalid API key · Fix external API key", code: "authentication_failed", status: 401 },
      "The API key is not accepted",
      "Invalid API key · Fix external API key",
      true,
    ],
    [{ text: "Credit balance is too low" }, "No credit left", "Credit balance is too low", true],
    [{ text: "API Error: Connection error." }, "No connection to the API", "", true],
    [{ text: "API Error: Request timed out." }, "No answer in time", "Request timed out.", true],
    [{ text: "odd", code: "unknown" }, "API error", "odd", true],
  ])("%j", (failure, title, text, again) => {
    const words = apiWords(failure);
    expect(words).toMatchObject({ title, text, again });
    expect(words.step).toMatch(/\.$/u);
  });

  it("keeps the raw text where it took words from it", () => {
    expect(apiWords({ text: JSON_529, status: 529 }).raw).toBe(JSON_529);
    expect(apiWords({ text: "odd" })).not.toHaveProperty("raw");
  });

  it("reads a broken or hostile text without failing", () => {
    for (const text of ['{"message":"\\q"}', `{"message":"${"\\".repeat(5000)}`, "", "API Error:", "\u202E{}"])
      expect(apiWords({ text }).title).toBeTypeOf("string");
  });
});

it("says why a retry is made", () => {
  expect(retryWords({ status: 529, error: "overloaded" })).toBe("Claude is overloaded");
  expect(retryWords({ status: null, error: "connection reset" })).toBe("No connection to the API");
  expect(retryWords({ status: null, error: "unknown" })).toBe("No connection to the API");
  expect(retryWords({ status: null, error: "strange" })).toBe("strange");
});
