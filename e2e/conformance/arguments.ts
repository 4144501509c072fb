// The command line of a conformance run, and which cases `--only` selects.
import { parseArgs } from "node:util";

export const USAGE = `usage: npm run conformance -- [--only NAME]... [--versions a,b] [--jobs N] [--json] [--record FOLDER] [--resume FOLDER] [--excluded]
  --only NAME      the case of exactly that name; if there is none, every case with NAME in its name
  --versions LIST  CLI versions and "simulator", with commas (default: all)
  --jobs N         how many cases run at a time (default: 2)
  --json           print one JSON document and nothing else
  --record FOLDER  write what was said on the wire, a file for each run
  --resume FOLDER  keep what real CLIs did, and take from there what was kept of the same case (a run that was broken off goes on)
  --excluded       run only what is excluded, to see how it fails (a whole run tries it, too)
       npm run conformance -- permissions [--help]    measures the permission verdicts of real CLIs again
       npm run conformance -- shell [--lines N]       compares what bash starts with what the permission matcher sees`;

export interface Arguments {
  readonly only: readonly string[] | undefined;
  readonly versions: readonly string[] | undefined;
  readonly jobs: number;
  readonly json: boolean;
  readonly record: string | undefined;
  readonly resume: string | undefined;
  readonly excluded: boolean;
  readonly help: boolean;
}

/** Returns a string that says what is wrong, if the arguments are invalid. */
export const argumentsOf = (argv: readonly string[]): Arguments | string => {
  const values = valuesOf(argv);
  if (typeof values === "string") return values;
  const { only, versions, jobs, json, record, resume, excluded, help } = values;
  if (!/^[1-9]\d*$/.test(jobs)) return `--jobs must be a number from 1, not '${jobs}'`;
  const wanted = versions?.split(",").map((version) => version.trim());
  const odd = wanted?.find((version) => version !== "simulator" && !/^\d+\.\d+\.\d+$/.test(version));
  if (odd !== undefined) return `--versions takes versions like 2.1.325 and 'simulator', not '${odd}'`;
  return { only, versions: wanted, jobs: Number(jobs), json, record, resume, excluded, help };
};

const valuesOf = (argv: readonly string[]) => {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        only: { type: "string", multiple: true },
        versions: { type: "string" },
        jobs: { type: "string", default: "2" },
        json: { type: "boolean", default: false },
        record: { type: "string" },
        resume: { type: "string" },
        excluded: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    // The first sentence says what is wrong. The others explain quoting.
    return (error instanceof Error ? error.message : String(error)).split(/\.\s/)[0] ?? "";
  }
};

/** The named cases in their order, or as a string the first name that matches no case. */
export const casesNamed = <C extends { readonly name: string }>(
  cases: readonly C[],
  only: readonly string[] | undefined,
): readonly C[] | string => {
  if (only === undefined) return cases;
  const wanted = new Set<C>();
  for (const name of only) {
    const exact = cases.filter((one) => one.name === name);
    const found = exact.length > 0 ? exact : cases.filter((one) => one.name.includes(name));
    if (found.length === 0) return name;
    for (const one of found) wanted.add(one);
  }
  return cases.filter((one) => wanted.has(one));
};
