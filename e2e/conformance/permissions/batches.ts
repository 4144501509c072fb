// Which cases may share one process of the CLI. They have the same settings, files, flags and mode, and none of them can change
// what the CLI decides for the next one. Everything else gets its own process.
import type { PermissionCase } from "./case.ts";

const LARGEST = 40;
/** A classifier that denied three calls in a row hands over to the user. */
const LARGEST_COUNTING = 2;
/** These change the mode, or bring rules of their own. */
const STATEFUL_TOOLS = new Set(["EnterPlanMode", "ExitPlanMode", "Skill"]);
/** The CLI keeps the folder of the shell between two calls. */
const MOVES = /\b(cd|pushd|popd)\b/;
/** In these modes a classifier counts its denials. */
const COUNTING = /"(plan|auto)"/;

export const isAlone = (one: PermissionCase): boolean =>
  one.alone === true ||
  (one.before !== undefined && one.grants === undefined) ||
  one.sub !== undefined ||
  one.prefix !== undefined ||
  STATEFUL_TOOLS.has(one.call.tool) ||
  (one.call.tool === "Bash" && MOVES.test(String(one.call.input["command"])));

export const batchesOf = (cases: readonly PermissionCase[]): readonly (readonly PermissionCase[])[] => {
  const batches: PermissionCase[][] = [];
  const open = new Map<string, PermissionCase[]>();
  for (const one of cases) {
    const key = JSON.stringify(setupOf(one));
    const batch = isAlone(one) ? undefined : open.get(key);
    const largest = COUNTING.test(JSON.stringify([one.flags, one.settings])) ? LARGEST_COUNTING : LARGEST;
    if (batch !== undefined && batch.length < largest) {
      batch.push(one);
      continue;
    }
    const next = [one];
    batches.push(next);
    if (!isAlone(one)) open.set(key, next);
  }
  return batches;
};

/** Everything that the cases of one process must have in common. */
const setupOf = (one: PermissionCase): unknown => {
  const { settings, flags, files, git, env, mcp, trusted, start, web, root, before, grants, prompt } = one;
  return [settings, flags, files, git, env, mcp, trusted, start, web, root, before, grants, prompt];
};
