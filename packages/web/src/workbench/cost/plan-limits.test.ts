import { expect, it } from "vitest";
import { planRows } from "./plan-limits.ts";

it("joins what the CLI answers with what it reported since, by limit", () => {
  const usage = {
    rate_limits: {
      five_hour: { utilization: 42, resets_at: "2026-11-18T10:00:00Z" },
      seven_day: { utilization: null, resets_at: null },
      model_scoped: [{ display_name: "Fable", utilization: 5, resets_at: null }],
    },
  };
  const limits = {
    five_hour: { status: "allowed_warning", resetsAt: 1_794_996_000, utilization: 0.91, at: 1 },
    overage: { status: "rejected", at: 2 },
  };
  expect(planRows(usage, limits)).toEqual([
    { name: "5 hours", share: 0.91, resetsAt: 1_794_996_000_000, status: "allowed_warning" },
    { name: "Fable", share: 0.05 },
    { name: "Extra usage", status: "rejected" },
  ]);
  expect(planRows({ rate_limits: null }, undefined)).toEqual([]);
});
