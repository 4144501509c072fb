// Parts of the list of sessions that are loaded later.

import { plural } from "../format.ts";

export const english = {
  home: "Quarterdeck, home",
  new: "New session",
  need: (count: number) => `${plural(count, "session needs", "sessions need")} you`,
  show: "Show sessions",
  width: "Width of the session list",
  hits: "In conversations",
  noHits: "No matching messages",
  session: "Session",
  filters: "Search with filters",
};
