#!/usr/bin/env -S node --conditions=source
// The command `quarterdeck-sim`: a stand-in for the `claude` binary, a player of recordings, and (as `quarterdeck-sim
// api`) a scripted Messages API. It removes its own flags first, and loads only the modules that it needs.
import { UsageError } from "./usage-error.ts";

const OWN_FLAGS = ["scenario", "replay", "speed", "fault"] as const;
type OwnFlag = (typeof OWN_FLAGS)[number];

const takeOwnFlags = (
  argv: readonly string[],
): { readonly own: Readonly<Partial<Record<OwnFlag, string>>>; readonly rest: readonly string[] } => {
  const own: Partial<Record<OwnFlag, string>> = {};
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    const flag = OWN_FLAGS.find((name) => word === `--${name}` || word.startsWith(`--${name}=`));
    if (flag === undefined) rest.push(word);
    else {
      const value = word.includes("=") ? word.slice(word.indexOf("=") + 1) : argv[++at];
      if (value === undefined) throw new UsageError(`--${flag} needs a value.`);
      own[flag] = value;
    }
  }
  return { own, rest };
};

const HELP = `quarterdeck-sim: a stand-in for the claude binary (stream-json protocol of 2.1.325), without any model

  quarterdeck-sim [flags of claude]            speak the protocol and play a scenario
  quarterdeck-sim --replay FILE [--speed N]    play a recording back, waiting where the host spoke
  quarterdeck-sim api --scenario FILE          serve a scenario as a Messages API to a real claude
  quarterdeck-sim demo                         list the prompts of the built-in tour

Own flags:
  --scenario FILE|demo   what the model says (default: $QUARTERDECK_SCENARIO, else the built-in demo)
  --fault PLAN           misbehave: what[:arg][@point[#n]],... (default: $QUARTERDECK_SIM_FAULT)
  -v, --version          print the version
  -h, --help             print this text

Flags of claude that matter here:
  -p, --print   --input-format stream-json   --output-format stream-json   --verbose
  --include-partial-messages   --replay-user-messages   --include-hook-events   --forward-subagent-text
  --permission-prompt-tool stdio   --permission-prompts none   --permission-mode MODE   --dangerously-skip-permissions
  --allowedTools RULES   --disallowedTools RULES   --tools NAMES   --add-dir DIRS   --settings FILE|JSON
  --session-id UUID   --resume ID|TITLE   --continue   --fork-session   --no-session-persistence   --name TITLE
  --model NAME   --agents JSON   --json-schema JSON   --max-turns N   --max-budget-usd N   --disable-slash-commands
`;

const main = async (): Promise<void> => {
  const argv = process.argv.slice(2);
  if (argv[0] === "api") {
    const { runApi } = await import("./api.ts");
    process.exitCode = await runApi(argv.slice(1));
    return;
  }
  if (argv[0] === "demo" && argv.length === 1) {
    const { DEMO_PROMPTS } = await import("./demo.ts");
    for (const { text, shows } of DEMO_PROMPTS) console.log(`${text.padEnd(10)} ${shows}`);
    return;
  }
  const { own, rest } = takeOwnFlags(argv);
  if (rest.includes("--version") || rest.includes("-v")) {
    console.log("2.1.325 (Claude Code, simulated by quarterdeck-sim)");
    return;
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    console.log(HELP);
    return;
  }
  const faults = own.fault ?? process.env.QUARTERDECK_SIM_FAULT ?? "";
  if (own.replay !== undefined) {
    const { replay } = await import("./replay.ts");
    await replay(own.replay, speedOf(own.speed), faults);
    return;
  }
  const { run } = await import("./run.ts");
  await run(rest, own.scenario ?? process.env.QUARTERDECK_SCENARIO, faults);
};

const speedOf = (text: string | undefined): number => {
  const speed = text === undefined ? Infinity : Number(text);
  if (!(speed > 0)) throw new UsageError(`--speed must be a number above 0, not '${text ?? ""}'.`);
  return speed;
};

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  // A quoted file may contain line breaks.
  console.error(`quarterdeck-sim: ${error.message.replaceAll(/\s+/g, " ")}`);
  process.exitCode = 2;
}
