// `npm run conformance -- shell`: compares what bash starts with what the matcher sees, for 2,000 lines. Exit code 1 if it missed one.
import { parseArgs } from "node:util";
import { compareWithBash } from "./compare.ts";

export const runShell = (argv: readonly string[]): number => {
  const { lines, seed } = parseArgs({
    args: [...argv],
    options: { lines: { type: "string", default: "2000" }, seed: { type: "string", default: "1" } },
  }).values;
  const { understood, started, missed } = compareWithBash(Number(lines), Number(seed));
  for (const one of missed) console.log(`missed ${one.missed.join(", ")} in ${JSON.stringify(one.line)}`);
  console.log(
    `${lines} lines, ${String(started)} programs started, ${String(understood)} lines understood, ${String(missed.length)} with a program that was not seen`,
  );
  return missed.length > 0 ? 1 : 0;
};
