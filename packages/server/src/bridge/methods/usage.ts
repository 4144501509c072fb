// What sessions cost.

import { usageReport } from "../../usage/usage-report.ts";
import type { Handlers, Parts } from "../parts.ts";
import { Refusal } from "../../refusal.ts";

const MOST_SESSIONS = 100;

export const usageMethods = ({ summaries }: Parts): Handlers<"usage/report"> => ({
  "usage/report": ({ project, timeZone, limit = MOST_SESSIONS, ...range }) => {
    const sessions = summaries.withProjects().filter((each) => project === undefined || each.project === project);
    const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    try {
      return usageReport(sessions, { ...range, timeZone: zone, limit });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new Refusal("bad-request", `"${zone}" is not a time zone. Use a name such as Europe/Berlin.`);
    }
  },
});
