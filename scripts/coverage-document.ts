// docs/coverage.md: every message, every control request and every section of the sources, against the code that handles
// it and the test that shows it.

import { readFileSync } from "node:fs";
import { ABILITIES } from "./covered/abilities.ts";
import { codeProblem, linked, testProblem } from "./covered/repository.ts";
import type { Ability, Covered } from "./covered/repository.ts";
import { SECTIONS } from "./covered/sections.ts";
import {
  cliRequestCoverage,
  hostRequestCoverage,
  internalRequestCoverage,
  messageCoverage,
} from "./covered/wire-coverage.ts";
import { withSection } from "./protocol-table.ts";

export const TITLES = JSON.parse(
  readFileSync(new URL("covered/seed-sections.json", import.meta.url), "utf8"),
) as Readonly<Record<string, string>>;

const abilities: Readonly<Record<string, Ability>> = ABILITIES;

/** Why a row is open: it has no code, no test, or a part of it is known to be missing. */
const whyOpen = ({ code, tests, open }: Ability): string | undefined => {
  if (open !== undefined) return open;
  if (code.length === 0) return "no code";
  return tests.length === 0 ? "no test" : undefined;
};

const tables = () => ({
  messages: messageCoverage(),
  "requests of the CLI": cliRequestCoverage(),
  "requests of the host": hostRequestCoverage(),
  "other requests": internalRequestCoverage(),
});

export const openRows = (): readonly string[] => [
  ...Object.values(tables())
    .flat()
    .filter((row) => whyOpen(row) !== undefined)
    .map(({ name }) => name),
  ...Object.entries(abilities)
    .filter(([, ability]) => whyOpen(ability) !== undefined)
    .map(([name]) => name),
  ...Object.keys(TITLES).filter((id) => (SECTIONS[id] ?? []).length === 0),
];

/** References that lead nowhere. */
export const wrongReferences = (): readonly string[] => {
  const all: readonly (readonly [string, Ability])[] = [
    ...Object.values(tables())
      .flat()
      .map((row) => [row.name, row] as const),
    ...Object.entries(abilities),
  ];
  return all.flatMap(([name, { code, tests }]) =>
    [...code.map(codeProblem), ...tests.map(testProblem)].flatMap((problem) =>
      problem === undefined ? [] : [`${name}: ${problem}`],
    ),
  );
};

const cell = (refs: readonly string[]): string => refs.map(linked).join("<br>");

const coveredTable = (rows: readonly Covered[], head: string): string =>
  [
    `| ${head} | what becomes of it | code | tests |`,
    "| --- | --- | --- | --- |",
    ...rows.map(({ name, about, code, tests, ...rest }) => {
      const open = whyOpen({ code, tests, ...rest });
      return `| \`${name}\` | ${open === undefined ? about : `**open**: ${open}`} | ${cell(code)} | ${cell(tests)} |`;
    }),
  ].join("\n");

/** All have the same code and the same tests. */
const otherRequests = (rows: readonly Covered[]): string =>
  [
    rows.map(({ name }) => `\`${name}\``).join(", "),
    "",
    ...[...new Set(rows.flatMap(({ about, code, tests }) => [about, ...code.map(linked), ...tests.map(linked)]))].map(
      (text) => `- ${text}`,
    ),
  ].join("\n");

const anchorOf = (name: string): string => `can-${name.toLowerCase().replaceAll(" ", "-")}`;

const abilityTable = (): string =>
  [
    "| ability | code | tests |",
    "| --- | --- | --- |",
    ...Object.entries(abilities)
      .toSorted(([a], [b]) => a.localeCompare(b, "en"))
      .map(([name, ability]) => {
        const open = whyOpen(ability);
        const mark = open === undefined ? "" : ` **open**: ${open}`;
        return `| <a id="${anchorOf(name)}"></a>${name}${mark} | ${cell(ability.code)} | ${cell(ability.tests)} |`;
      }),
  ].join("\n");

const sectionTable = (): string =>
  [
    "| section | title | what must work |",
    "| --- | --- | --- |",
    ...Object.entries(TITLES).map(([id, title]) => {
      const named = (SECTIONS[id] ?? []).map((name) => {
        const mark = whyOpen(abilities[name]!) === undefined ? "" : " (**open**)";
        return `[${name}](#${anchorOf(name)})${mark}`;
      });
      return `| ${id} | ${title.replaceAll("|", "\\|").replaceAll("<", "\\<")} | ${named.join(", ") || "**open**"} |`;
    }),
  ].join("\n");

const summary = (): string => {
  const lines = Object.entries(tables()).map(([what, rows]) => [what, rows.length, rows.filter(whyOpen).length]);
  const named = Object.values(abilities);
  const sections = Object.keys(TITLES);
  const openSections = sections.filter((id) => {
    const names = SECTIONS[id] ?? [];
    return names.length === 0 || names.some((name) => whyOpen(abilities[name]!) !== undefined);
  });
  const rows = [
    ...lines,
    ["sections of the sources", sections.length, openSections.length],
    ["abilities that sections name", named.length, named.filter(whyOpen).length],
  ];
  return ["| what | rows | open |", "| --- | --- | --- |", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
};

export const coverageDocument = (current: string): string =>
  Object.entries({
    summary: summary(),
    messages: coveredTable(messageCoverage(), "message"),
    "cli-requests": coveredTable(cliRequestCoverage(), "request"),
    "host-requests": coveredTable(hostRequestCoverage(), "request"),
    "other-requests": otherRequests(internalRequestCoverage()),
    sections: sectionTable(),
    abilities: abilityTable(),
  }).reduce((text, [name, content]) => withSection(text, name, content), current);
