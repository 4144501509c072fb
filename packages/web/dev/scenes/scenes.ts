// Scenes that no recording has at once: every tool, every kind of row, streaming text.

import { hostile } from "./hostile.ts";
import { long, markdown, said, stream } from "./long.ts";
import type { Scene } from "./parts.ts";
import { agents, rows } from "./rows.ts";
import { tools } from "./tools.ts";

export const SCENES: Readonly<Partial<Record<string, Scene>>> = {
  tools,
  markdown,
  rows,
  agents,
  hostile,
  said,
  long,
  stream,
};
