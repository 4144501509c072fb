// What sessions cost.

import { z } from "zod";
import { method, Path } from "./shapes.ts";

const usageSum = {
  costUsd: z.number(),
  turns: z.number(),
  apiMs: z.number(),
  byModel: z.record(
    z.string(),
    z.object({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
      costUsd: z.number(),
    }),
  ),
};

export const USAGE_METHODS = {
  "usage/report": method(
    "What sessions cost, by day, project, model and session. A fork counts its own turns only.",
    z.object({
      from: z.number().optional().describe("Milliseconds. Whole hours count."),
      to: z.number().optional(),
      project: Path.optional(),
      timeZone: z.string().max(64).optional().describe("An IANA name, for the borders of days. Default: the server's."),
      limit: z.number().int().min(1).max(1000).optional().describe("Most sessions that are named. Default: 100."),
    }),
    z.object({
      total: z.object(usageSum),
      days: z.array(z.object({ day: z.string().describe("`2026-11-18`"), ...usageSum })),
      projects: z.array(z.object({ path: z.string(), ...usageSum })),
      sessions: z.array(
        z.object({
          id: z.string(),
          title: z.string().optional(),
          project: z.string(),
          forkOf: z.string().optional(),
          ...usageSum,
        }),
      ),
      sessionCount: z.number(),
    }),
  ),
} as const;
