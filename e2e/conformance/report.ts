// docs/conformance.md: which case passes on which version, what differs by version, and where the simulator differs
// from the newest CLI. Nothing in it depends on the date, the machine or the speed, so a new run changes only what
// changed.
import { AREAS } from "./case.ts";
import type { Case } from "./case.ts";
import type { Agreement } from "./agreement.ts";
import type { Done } from "./suite.ts";

export const reportOf = (
  cases: readonly Case[],
  players: readonly string[],
  done: readonly Done[],
  agreement: Agreement,
): string => {
  const marks = new Map(done.map((one) => [`${one.wanted.name}@${one.player.version}`, markOf(one)]));
  const runs = done.filter(({ outcome }) => outcome.kind !== "excluded").length;
  const failed = done.filter(({ outcome }) => outcome.kind === "failed").length;
  return [
    "# Conformance: the real CLI is the judge",
    "",
    "Written by `npm run conformance`; do not edit. Each case plays one scripted model to a real CLI of each version and,",
    "where it claims the feature, to the simulator. In every run each line must decode, each scripted block must be seen",
    "once and in order, each tool use must have its result, each prompt must be settled and the exit code must be right.",
    "",
    `${String(cases.length)} cases, ${String(runs)} runs, ${String(failed)} failed.`,
    "",
    "`ok`: holds. `ok*`: holds in the way of that version, see below. `-`: does not apply, see below. `FAILED`: does not hold.",
    "",
    ...AREAS.flatMap((area) => tableOf(area, cases, players, marks)),
    ...versionDifferences(cases),
    ...exclusions(cases),
    ...simulatorPart(agreement),
    "",
  ].join("\n");
};

const markOf = ({ wanted, player, outcome }: Done): string => {
  if (outcome.kind === "failed") return "**FAILED**";
  if (outcome.kind === "excluded") return "-";
  const differs = wanted.differs?.some(({ versions }) => (versions as readonly string[]).includes(player.version));
  return differs === true ? "ok\\*" : "ok";
};

const tableOf = (
  area: string,
  cases: readonly Case[],
  players: readonly string[],
  marks: ReadonlyMap<string, string>,
): readonly string[] => {
  const rows = cases.filter((one) => one.area === area);
  if (rows.length === 0) return [];
  return [
    `## ${area.charAt(0).toUpperCase()}${area.slice(1)}`,
    "",
    `| case | ${players.join(" | ")} | what it shows |`,
    `| --- | ${players.map(() => "---").join(" | ")} | --- |`,
    ...rows.map(
      ({ name, about }) =>
        `| \`${name}\` | ${players.map((player) => marks.get(`${name}@${player}`) ?? "").join(" | ")} | ${cell(about)} |`,
    ),
    "",
  ];
};

const versionDifferences = (cases: readonly Case[]): readonly string[] => [
  "## What differs by version",
  "",
  "| case | versions | what differs |",
  "| --- | --- | --- |",
  ...cases.flatMap(({ name, differs = [] }) =>
    differs.map(({ versions, why }) => `| \`${name}\` | ${versions.join(", ")} | ${cell(why)} |`),
  ),
  "",
];

const exclusions = (cases: readonly Case[]): readonly string[] => [
  "## What does not apply",
  "",
  "| case | where | why |",
  "| --- | --- | --- |",
  ...cases.flatMap(({ name, excluded = [], simulator }) => [
    ...excluded.map(({ versions, why }) => `| \`${name}\` | ${versions.join(", ")} | ${cell(why)} |`),
    ...(simulator === true ? [] : [`| \`${name}\` | simulator | ${cell(simulator)} |`]),
  ]),
  "",
];

const simulatorPart = ({ compared, known, unknown }: Agreement): readonly string[] => [
  "## Simulator and newest CLI",
  "",
  `${String(compared)} cases ran on both and were compared line by line: kinds, fields, types and order for each message id,`,
  "tool id, prompt uuid and request id. The order between ids is racy and not compared.",
  "",
  `Known differences: ${String(known.length)}.`,
  ...(known.length === 0 ? [] : ["", "| line | difference | field | cases | why |", "| --- | --- | --- | --- | --- |"]),
  ...known.map(
    ({ entry, count }) =>
      `| \`${entry.kind}\` | ${entry.issue} | ${entry.what === "" ? "" : `\`${cell(entry.what)}\``} | ${String(count)} | ${cell(entry.why)} |`,
  ),
  "",
  `Unknown differences: ${String(unknown.length)}.`,
  ...(unknown.length === 0 ? [] : ["", "| line | difference | field | cases |", "| --- | --- | --- | --- |"]),
  ...unknown.map(
    ({ difference: { kind, issue, what }, cases }) =>
      `| \`${kind}\` | ${issue} | \`${cell(what)}\` | ${String(cases.length)} |`,
  ),
];

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
