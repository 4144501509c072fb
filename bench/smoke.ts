// `npm run bench -- --smoke`: each bench runs once, small. It checks the counts, the names of the figures and their
// targets, but not the measured values.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

import type { Bench } from "./call.ts";
import { LINE_TEXTS } from "./long-line.ts";

/** Matches any number. */
export const NUMBER = Symbol("a number");

/** An object may have more fields. A list may not have more entries. */
export type Expected =
  | typeof NUMBER
  | number
  | string
  | boolean
  | readonly Expected[]
  | { readonly [field: string]: Expected };

interface Smoke {
  readonly sizes: readonly string[];
  readonly expected: Expected;
  /** Checks that a shape cannot express. */
  readonly check?: (json: unknown) => readonly string[];
}

const READING = {
  deltas: 500,
  bytes: NUMBER,
  textLength: NUMBER,
  milliseconds: { drain: [NUMBER], bare: [NUMBER], ours: [NUMBER], sdk: [NUMBER] },
  messagesPerSecond: { ours: NUMBER },
} as const;
const SLOW = { retainedBytes: NUMBER, peakResidentBytes: NUMBER, taken: NUMBER, isAllRead: true } as const;
const LOAD = { p50: NUMBER, p99: NUMBER, cpuShare: NUMBER, deliveriesPerSecond: NUMBER, lost: 0 } as const;
const PAGE = { shownMs: NUMBER, wireBytes: NUMBER, codeGzipBytes: NUMBER } as const;
const STORE_SIZES = ["--sessions", "5", "--events", "4000", "--rounds", "1"];
const READY = { empty: [{ sessions: 0 }], many: [{ sessions: 5 }] } as const;

/** `bridge-first-text` is left out, because CloudCLI is too large to download here. */
const SMOKES: Readonly<Record<Exclude<Bench, "bridge-first-text">, Smoke>> = {
  decode: {
    sizes: ["--deltas", "500", "--rounds", "1"],
    expected: {
      ratioToParseLimit: NUMBER,
      ratioToSdk: NUMBER,
      ratioToParseLimitAccented: NUMBER,
      ratioToSdkAccented: NUMBER,
      targets: { ratioToParseLimit: { atLeast: 0.85 }, ratioToSdk: { atLeast: 1.3 } },
      details: { decode: { rounds: 1, plain: READING, accented: READING } },
    },
  },
  lines: {
    sizes: ["--mib", "1,2", "--rounds", "1"],
    expected: {
      splitTimeRatio: NUMBER,
      decodeTimeRatio: NUMBER,
      splitMemoryRatio: NUMBER,
      decodeMemoryRatio: NUMBER,
      targets: {
        splitTimeRatio: { atMost: 5 },
        decodeTimeRatio: { atMost: 5 },
        splitMemoryRatio: { atMost: 2 },
        decodeMemoryRatio: { atMost: 5 },
      },
    },
    check: (json) => {
      const { cases } = (json as { details: { lines: { cases: { work: string; text: string; mib: number }[] } } })
        .details.lines;
      const seen = new Set(cases.map(({ work, text, mib }) => `${work} ${text} ${String(mib)}`)).size;
      const wanted = 2 * LINE_TEXTS.length * 2;
      return seen === wanted ? [] : [`details.lines.cases: ${String(seen)} different ones, not ${String(wanted)}`];
    },
  },
  session: {
    sizes: ["--deltas", "400", "--rounds", "1"],
    expected: {
      sessionRatioToSdk: NUMBER,
      slowBytesPerMessage: NUMBER,
      slowBytesPerMessageSdk: NUMBER,
      foldCostRatio: NUMBER,
      targets: { sessionRatioToSdk: { atLeast: 1 }, foldCostRatio: { atMost: 1.5 } },
      details: {
        session: {
          milliseconds: { host: [NUMBER], sdk: [NUMBER] },
          microsecondsPerStage: {
            split: NUMBER,
            decode: NUMBER,
            fold: NUMBER,
            handOver: NUMBER,
            iterate: NUMBER,
            log: NUMBER,
            logHere: NUMBER,
          },
          slowConsumer: { host: { short: [SLOW], long: [SLOW] }, sdk: { short: [SLOW], long: [SLOW] } },
        },
      },
    },
  },
  "first-text": {
    sizes: ["--rounds", "2"],
    expected: {
      firstTextRatio: NUMBER,
      targets: { firstTextRatio: { atMost: 1.2 } },
      details: { "first-text": { rounds: 2, milliseconds: { bare: [NUMBER, NUMBER], host: [NUMBER, NUMBER] } } },
    },
  },
  store: {
    sizes: STORE_SIZES,
    expected: {
      readyRatio: NUMBER,
      idleSessionKB: NUMBER,
      firstScreenRatio: NUMBER,
      catchUpRatio: NUMBER,
      searchCpuP95: NUMBER,
      searchP95: NUMBER,
      targets: {
        readyRatio: { atMost: 2 },
        idleSessionKB: { atMost: 150 },
        firstScreenRatio: { atMost: 1.5 },
        catchUpRatio: { atMost: 1.5 },
        searchCpuP95: { atMost: 100 },
      },
      details: { store: { ready: READY } },
    },
  },
  "bridge-load": {
    sizes: ["--load", "2x4", "--seconds", "1", "--rounds", "1"],
    expected: {
      bridgeP50RatioAt2x4: NUMBER,
      bridgeP99RatioAt2x4: NUMBER,
      bridgeCpuRatioAt2x4: NUMBER,
      bridgeLostAt2x4: 0,
      targets: {
        bridgeP50RatioAt2x4: { atMost: 1.3 },
        bridgeP99RatioAt2x4: { atMost: 1.3 },
        bridgeCpuRatioAt2x4: { atMost: 1.3 },
        bridgeLostAt2x4: { atMost: 0 },
      },
      details: { "bridge-load": { sessions: 2, clients: 4, readings: { server: [LOAD], relay: [LOAD] } } },
    },
  },
  "bridge-rate": {
    sizes: ["--deltas", "2000", "--rounds", "1"],
    expected: { bridgeRatioToSdk: NUMBER, targets: { bridgeRatioToSdk: { atLeast: 0.7 } } },
  },
  "bridge-store": {
    sizes: STORE_SIZES,
    expected: {
      serverFirstScreenRatio: NUMBER,
      serverCatchUpGrowth: NUMBER,
      targets: {
        serverReadyRatio: { atMost: 2 },
        serverIdleSessionKB: { atMost: 150 },
        serverFirstScreenRatio: { atMost: 1.5 },
        serverCatchUpRatio: { atMost: 1.5 },
      },
      details: { "bridge-store": { ready: READY } },
    },
  },
  web: {
    sizes: ["--rows", "200", "--seconds", "2", "--rounds", "1", "--sessions", "60"],
    expected: {
      webWireKB: NUMBER,
      webCodeGzipKB: NUMBER,
      webElements: NUMBER,
      webFirstScreenRatio: NUMBER,
      webBoardRatio: NUMBER,
      webYearCostMs: NUMBER,
      webBusyShare: NUMBER,
      webTasksAbove50: NUMBER,
      webTasksAbove100: NUMBER,
      webHeapRatio: NUMBER,
      webBlocksAgain: 0,
      webKeyP99: NUMBER,
      targets: {
        webWireKB: { atMost: 200 },
        webCodeGzipKB: { atMost: 180 },
        webElements: { atMost: 1500 },
        webFirstScreenRatio: { atMost: 1.5 },
        webBoardRatio: { atMost: 1.5 },
        webYearCostMs: { atMost: 500 },
        webBusyShare: { atMost: 0.6 },
        webTasksAbove50: { atMost: 2 },
        webTasksAbove100: { atMost: 0 },
        webBlocksAgain: { atMost: 0 },
        webKeyP99: { atMost: 50 },
      },
      details: {
        web: { sessions: { short: { rows: 100 }, long: { rows: 200 } }, loads: { short: [PAGE], long: [PAGE] } },
      },
    },
    check: (json) => {
      const { webElements } = json as { webElements: number };
      return webElements < 1500 ? [] : [`webElements: ${String(webElements)}, not below 1500`];
    },
  },
  simulator: {
    sizes: ["--rounds", "1"],
    expected: {
      ratioToCli: NUMBER,
      targets: { ratioToCli: { atMost: 1 / 3 } },
      details: { simulator: { milliseconds: { cli: [NUMBER], simulator: [NUMBER] } } },
    },
  },
  review: {
    sizes: ["--files", "200", "--rounds", "1"],
    expected: {
      reviewSnapshotMs: NUMBER,
      reviewSnapshotToStatus: NUMBER,
      reviewListMs: NUMBER,
      reviewTurnShare: NUMBER,
      diffOpenMs: NUMBER,
      diffAllMs: NUMBER,
      diffOpenReachedMs: NUMBER,
      diffScrollLongestTaskMs: NUMBER,
      targets: {
        reviewSnapshotMs: { atMost: 50 },
        reviewSnapshotToStatus: { atMost: 1.5 },
        reviewListMs: { atMost: 500 },
        reviewTurnShare: { atMost: 0.05 },
        diffOpenMs: { atMost: 300 },
        diffScrollLongestTaskMs: { atMost: 100 },
      },
      details: {
        review: {
          files: 200,
          rounds: 1,
          milliseconds: { snapshot: [NUMBER], list: [NUMBER] },
          diff: { changedLines: 20_000, openMs: [NUMBER], scrollLongestMs: [NUMBER], mostElements: NUMBER },
        },
      },
    },
  },
  kill: {
    sizes: ["--rounds", "2"],
    expected: {
      killsLost: 0,
      killsProcessesLeft: 0,
      details: { kill: { hosts: { rounds: 2, wrong: [] }, stores: { rounds: 2, wrong: [] } } },
    },
  },
  permissions: {
    sizes: ["--rows", "200", "--random", "500", "--rounds", "1"],
    expected: {
      permissionsP99Micros: NUMBER,
      permissionsHostileMs: NUMBER,
      permissionsThrown: 0,
      targets: {
        permissionsP99Micros: { atMost: 50 },
        permissionsHostileMs: { atMost: 5000 },
        permissionsThrown: { atMost: 0 },
      },
      details: { permissions: { p99s: [NUMBER], random: 500 } },
    },
  },
  push: {
    sizes: ["--rounds", "2"],
    expected: {
      pushP95Ms: NUMBER,
      targets: { pushP95Ms: { atMost: 300 } },
      details: { push: { rounds: 2, times: [NUMBER, NUMBER] } },
    },
  },
  claude: {
    sizes: ["--rounds", "2", "--deltas", "2000"],
    expected: {
      claudeFirstTextRatio: NUMBER,
      claudeRateRatio: NUMBER,
      targets: { claudeFirstTextRatio: { atMost: 1.2 }, claudeRateRatio: { atLeast: 0.6 } },
      details: {
        claude: {
          deltas: 2000,
          milliseconds: {
            firstText: { direct: [NUMBER, NUMBER], relayed: [NUMBER, NUMBER] },
            rate: { direct: [NUMBER], relayed: [NUMBER] },
          },
        },
      },
    },
  },
};

/** Differences between a value and the expected one, one line each. */
export const differences = (actual: unknown, expected: Expected, at = ""): readonly string[] => {
  if (expected === NUMBER) return typeof actual === "number" ? [] : [`${at}: ${shown(actual)}, not a number`];
  if (typeof expected !== "object")
    return Object.is(actual, expected) ? [] : [`${at}: ${shown(actual)}, not ${shown(expected)}`];
  if (typeof actual !== "object" || actual === null || Array.isArray(actual) !== Array.isArray(expected))
    return [`${at}: ${shown(actual)}, not ${Array.isArray(expected) ? "a list" : "an object"}`];
  if (Array.isArray(actual) && actual.length !== (expected as readonly Expected[]).length)
    return [`${at}: ${String(actual.length)} entries, not ${String((expected as readonly Expected[]).length)}`];
  return Object.entries(expected).flatMap(([field, value]) =>
    differences((actual as Record<string, unknown>)[field], value, at === "" ? field : `${at}.${field}`),
  );
};
const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const run = (args: readonly string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(process.execPath, ["--conditions=source", MAIN, ...args], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });

/** Problems of a small run of one bench. Empty if everything is right. */
export const smoke = async (bench: Bench): Promise<readonly string[]> => {
  if (bench === "bridge-first-text") {
    const { stdout, stderr } = await run([bench, "--without-cloudcli", "--rounds", "1"]);
    const isSaid = /CloudCLI .*not measured in this run[^]*sendToFirstTextMs/u.test(stdout);
    return isSaid ? [] : [`the table does not say that CloudCLI was not measured:\n${stdout}${stderr}`];
  }
  const { sizes, expected, check } = SMOKES[bench];
  const { code, stdout, stderr } = await run([bench, "--json", ...sizes]);
  if (!/^\{.*\}\n$/u.test(stdout)) return [`no JSON object on stdout:\n${stdout}${stderr}`];
  const json = JSON.parse(stdout) as { readonly missed: readonly string[] };
  const wantedCode = json.missed.length === 0 ? 0 : 1;
  const wrong = differences(json, expected);
  return [
    ...(code === wantedCode ? [] : [`exit code ${String(code)}, although it missed ${shown(json.missed)}`]),
    ...wrong,
    ...(wrong.length === 0 ? (check?.(json) ?? []) : []),
  ];
};
