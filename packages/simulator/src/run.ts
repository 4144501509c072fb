// From a command line to a session that reads stdin: errors, the scenario, resume, signals.
import { readFileSync } from "node:fs";
import { Output } from "./emit.ts";
import { FaultPlan } from "./faults.ts";
import { parseJson, recordAt } from "./json.ts";
import { isUuid, optionsOf, Refusal } from "./options.ts";
import type { Options } from "./options.ts";
import { readScenario } from "./scenario-file.ts";
import { SimulatedSession } from "./session.ts";
import { readLines } from "./stdin-lines.ts";
import { usageOf } from "./usage.ts";

export const run = async (
  argv: readonly string[],
  scenarioName: string | undefined,
  faultPlan: string,
): Promise<void> => {
  let options: Options;
  try {
    options = optionsOf(argv);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refuse(error.message);
    return;
  }
  const faults = new FaultPlan(faultPlan);
  const output = new Output(faults);
  const isDemo = scenarioName === undefined || scenarioName === "demo";
  const scenario = isDemo ? (await import("./demo.ts")).demoScenario : readScenario(scenarioName);
  const session = new SimulatedSession({ options, scenario, output, faults, isDemo });
  if (
    options.sessionId !== undefined &&
    options.resume === undefined &&
    !options.continue &&
    session.store.isTaken(options.sessionId)
  ) {
    refuse(`Error: Session ID ${options.sessionId} is already in use.`);
    return;
  }
  if (!restore(session, options)) return;
  handleSignals(session, faults);
  output.pass("start");
  await session.start(options.resume !== undefined || options.continue ? "resume" : "startup");
  readInput(session, options);
};

const refuse = (text: string): void => {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
};

/** Returns false if the session does not exist. The error is already written then. */
const restore = (session: SimulatedSession, options: Options): boolean => {
  const { resume } = options;
  if (resume === undefined && !options.continue) return true;
  const stored =
    resume === undefined
      ? session.store.newest()
      : isUuid(resume)
        ? session.store.find(resume)
        : session.store.findByTitle(resume);
  if (stored !== undefined) {
    session.restore(stored, options.fork);
    return true;
  }
  if (resume === undefined) {
    refuse("No conversation found to continue");
    return false;
  }
  const text = isUuid(resume)
    ? `No conversation found with session ID: ${resume}`
    : `Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>. Provided value "${resume}" is not a UUID and does not match any session title.`;
  session.voice.emit({
    type: "result",
    subtype: "error_during_execution",
    duration_ms: 0,
    duration_api_ms: 0,
    is_error: true,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: usageOf({ input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }),
    modelUsage: {},
    permission_denials: [],
    errors: [text],
    result_index: 0,
  });
  refuse(text);
  return false;
};

const handleSignals = (session: SimulatedSession, faults: FaultPlan): void => {
  process.on("SIGINT", () => {
    session.endBySignal();
  });
  process.on("SIGTERM", () => {
    if (faults.holds("ignore-sigterm")) return;
    session.killChildren();
    process.exit(143);
  });
};

const readInput = (session: SimulatedSession, options: Options): void => {
  if (!options.streamInput) {
    if (options.prompt !== undefined) {
      session.prompt(options.prompt);
      session.endInput();
      return;
    }
    session.prompt(readFileSync(0, "utf8").trimEnd());
    session.endInput();
    return;
  }
  let isFirst = options.awaitInitialize;
  readLines(
    (line) => {
      if (isFirst && recordAt(parseJson(line), "request").subtype !== "initialize") {
        refuse(
          "Error: --await-initialize requires the initialize control request as the first stdin line, and the first line is a different message.",
        );
        process.exit(1);
      }
      isFirst = false;
      session.receive(line);
    },
    () => {
      session.endInput();
    },
  );
};
