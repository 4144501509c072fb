// What a session did in a part of its timeline, according to its rows: which files its edit tools wrote, and whether it
// ran something else that can write files.

import { READING_TOOLS, WRITING_TOOLS } from "@quarterdeck/permissions/words";
import { filePathIn } from "@quarterdeck/protocol";
import type { Row, ToolRow } from "@quarterdeck/session";

export interface WorkDone {
  /** As the tools named them: absolute, or from the folder of the session. */
  readonly paths: ReadonlySet<string>;
  readonly shell: boolean;
}

const EDITS: ReadonlySet<string> = new Set(WRITING_TOOLS);

/** They write no files, and run nothing that could. Agents are not among them: some CLIs do not show what an agent does. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...READING_TOOLS,
  ...["WebFetch", "WebSearch", "TodoWrite", "TodoRead", "ToolSearch"],
  ...["TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode"],
  ...["ListMcpResourcesTool", "ReadMcpResourceTool", "BashOutput", "TaskOutput", "KillShell", "TaskStop"],
]);

export const workIn = (rows: readonly Row[]): WorkDone => {
  const paths = new Set<string>();
  let shell = false;
  for (const row of rows) {
    if (row.kind === "hook") shell = true;
    if (row.kind !== "tool" || row.state === "denied" || row.state === "asking") continue;
    const path = EDITS.has(row.name) ? pathOf(row) : undefined;
    if (path !== undefined) paths.add(path);
    else if (!HARMLESS.has(row.name)) shell = true;
  }
  return { paths, shell };
};

const pathOf = ({ input, decision }: ToolRow): string | undefined => {
  const path = filePathIn({ ...input, ...decision?.updatedInput });
  return typeof path === "string" ? path : undefined;
};
