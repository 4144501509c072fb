import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { permissionsDocument } from "./permissions-document.ts";

const document = readFileSync(new URL("../docs/permissions.md", import.meta.url), "utf8");

describe("docs/permissions.md", () => {
  it("is what the check and the recorded verdicts say (else: npm run docs)", () => {
    expect(document).toBe(permissionsDocument(document));
  });

  it("knows the cause of every disagreement", () => {
    expect(document).not.toContain("No cause was found yet.");
  });
});
