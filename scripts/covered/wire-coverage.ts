// Messages and control requests, with the code that handles them and the tests that show it. All of it is read from the
// tables of the code: a message is in FATES, a request in CONTROL and REQUEST_ROLES. Nothing is listed by hand, except what
// no table can tell.

import { CONTROL, INTERNAL_CONTROL, MESSAGE_KEYS } from "@quarterdeck/protocol";
import { FATES } from "@quarterdeck/session";
import { REQUEST_ROLES } from "@quarterdeck/session/bridge/policy";
import { CASES } from "../../e2e/conformance/cases/index.ts";
import { CLI_REQUESTS, NOT_FOR_CLIENTS } from "./requests.ts";
import { textOf } from "./repository.ts";
import type { Code, Covered, Shown } from "./repository.ts";

const FOLD = "packages/session/src/fold.ts";
const FAMILIES = ["conversation", "notices", "work", "turns", "prompts", "requests", "gauges"].map(
  (name) => `packages/session/src/${name}.ts`,
);

/** The function that the table of fates names for a message, and its file. */
const handlerOf = (key: string): Code => {
  const name = /^[a-z_]+$/u.test(key) ? key : `"${key}"`;
  const line = textOf(FOLD)
    .split("\n")
    .find((text) => text.startsWith(`  ${name}: `));
  const symbol = /\((?:\w+\.)?(\w+)\),?$/u.exec(line ?? "")?.[1];
  const file = FAMILIES.find((path) => textOf(path).includes(`export const ${symbol} = `));
  return file === undefined ? `${FOLD} ${key}` : `${file as "x.ts"} ${symbol!}`;
};

const FATE_WORDS = {
  row: "a row",
  head: "state of the session",
  silent: "kept in the log, shown in the wire panel",
} as const;

export const messageCoverage = (): readonly Covered[] =>
  MESSAGE_KEYS.filter((key) => !key.startsWith("control_request/")).map((key) => ({
    name: key,
    about: FATE_WORDS[FATES[key as keyof typeof FATES].fate],
    code: [handlerOf(key)],
    tests: ["packages/session/src/fates.test.ts [F10]"],
  }));

/** Cases of the conformance suite that send the request to a real CLI. */
const casesOf = (subtype: string): readonly string[] =>
  CASES.filter(({ phases }) => JSON.stringify(phases.map(({ host }) => host)).includes(`"subtype":"${subtype}"`)).map(
    ({ name }) => name,
  );

/** Files that send it themselves. All others go through `session/request`. */
const SENDERS = [
  "packages/host/src/session/session.ts",
  "packages/host/src/session/session-process.ts",
  "packages/host/src/session/prompt-queue.ts",
  "packages/host/src/host.ts",
];

const senderOf = (subtype: string): Code => {
  const file = SENDERS.find((path) =>
    new RegExp(`(?:subtype: "${subtype}"|control\\.${subtype}\\b)`, "u").test(textOf(path)),
  );
  if (file === undefined) return "packages/server/src/bridge/methods/session.ts session/request";
  return `${file as "x.ts"} ${SENDING_SYMBOLS[file]!}`;
};
const SENDING_SYMBOLS: Readonly<Record<string, string>> = {
  "packages/host/src/session/session.ts": "Session",
  "packages/host/src/session/session-process.ts": "SessionProcess",
  "packages/host/src/session/prompt-queue.ts": "PromptQueue",
  "packages/host/src/host.ts": "Host",
};

const shownByCases = (subtype: string): readonly Shown[] =>
  casesOf(subtype)
    .flatMap((name): Shown[] => {
      const file = CASE_FILES.find((path) => textOf(path).includes(`"${name}"`));
      return file === undefined ? [] : [`${file as "x.ts"} ${name}`];
    })
    .slice(0, 2);
const CASE_FILES = [
  "agents",
  "control-questions",
  "control",
  "failures",
  "hooks-and-mcp",
  "input-and-end",
  "permission-modes",
  "permissions",
  "plain",
  "questions",
  "queue",
  "sessions",
  "tools",
].map((name) => `e2e/conformance/cases/${name}.ts`);

const SHAPE_TEST = "packages/protocol/src/control-requests.test.ts is known, also with a new field" as const;

export const hostRequestCoverage = (): readonly Covered[] =>
  Object.entries(REQUEST_ROLES).map(([subtype, role]) => ({
    name: subtype,
    about: role === null ? (NOT_FOR_CLIENTS[subtype] ?? "") : `role ${role}`,
    code: [
      ...(role === null && senderOf(subtype).includes("bridge/methods/session.ts") ? [] : [senderOf(subtype)]),
      "packages/host/src/session/controls.ts controlsOver",
    ],
    tests: [...shownByCases(subtype), SHAPE_TEST],
  }));

export const cliRequestCoverage = (): readonly Covered[] =>
  Object.entries(CONTROL)
    .filter(([, { from }]) => from !== "host")
    .map(([subtype]) => ({ name: subtype, ...(CLI_REQUESTS[subtype] ?? { about: "", code: [], tests: [] }) }));

export const internalRequestCoverage = (): readonly Covered[] =>
  INTERNAL_CONTROL.map((subtype) => ({
    name: subtype,
    about: "if the CLI asks, the answer is an error that says so",
    code: ["packages/protocol/src/control.ts INTERNAL_CONTROL", "packages/host/src/session/answers.ts offer"],
    tests: [
      "packages/protocol/src/control-requests.test.ts of the vendor's own surfaces, is known with any fields",
      "packages/host/src/session/session.test.ts [H52]",
    ],
  }));
