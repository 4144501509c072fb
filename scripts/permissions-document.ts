// The generated part of docs/permissions.md: how often the check agrees with real CLIs, and why it does not where it does not.

import { readFileSync } from "node:fs";
import { KNOWN_DIFFERENCES } from "../packages/permissions/src/known-differences.fixture.ts";
import { BEHAVIORS, checkRecorded } from "../packages/permissions/src/recorded-case.fixture.ts";
import type { RecordedCase, RecordedCorpus } from "../packages/permissions/src/recorded-case.fixture.ts";
import { withSection } from "./protocol-table.ts";

const VERSIONS = ["2.1.38", "2.1.200", "2.1.325"] as const;
const FILES = ["verdicts.json", "corpus.json"] as const;

interface Disagreement {
  readonly one: RecordedCase;
  readonly version: string;
  readonly cli: string;
  readonly ours: string;
}

interface Agreement {
  readonly file: string;
  readonly version: string;
  readonly compared: number;
  readonly disagreements: readonly Disagreement[];
  readonly groups: ReadonlyMap<string, { readonly compared: number; readonly agreed: number }>;
}

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../packages/permissions/fixtures/${name}`, import.meta.url), "utf8"));

const agreements = (): readonly Agreement[] =>
  FILES.flatMap((file) => {
    const corpus = fixture(file) as RecordedCorpus;
    return VERSIONS.map((version) => agreementOf(file, corpus, version));
  });

const agreementOf = (file: string, { base, cases }: RecordedCorpus, version: string): Agreement => {
  const disagreements: Disagreement[] = [];
  const groups = new Map<string, { compared: number; agreed: number }>();
  let compared = 0;
  for (const one of cases) {
    const cli = one.verdicts[version]?.verdict;
    // The CLI did not start, or refused the input before it came to permissions.
    if (cli === undefined || !BEHAVIORS.includes(cli)) continue;
    const ours = checkRecorded(one, base, version).behavior;
    const group = groups.get(one.group) ?? { compared: 0, agreed: 0 };
    groups.set(one.group, group);
    compared++;
    group.compared++;
    if (ours === cli) group.agreed++;
    else disagreements.push({ one, version, cli, ours });
  }
  return { file, version, compared, disagreements, groups };
};

const causeOf = ({ one, version }: Disagreement): string =>
  KNOWN_DIFFERENCES.find(({ cases }) => cases.includes(one.id) || cases.includes(`${one.id} ${version}`))?.cause ??
  "No cause was found yet.";

export const permissionsDocument = (current: string): string => {
  const all = agreements();
  return withSection(
    withSection(withSection(current, "agreement", agreementTable(all)), "groups", groupTable(all)),
    "disagreements",
    disagreementList(all),
  );
};

const percent = (part: number, whole: number): string => `${(Math.floor((part / whole) * 1000) / 10).toFixed(1)} %`;

const agreementTable = (all: readonly Agreement[]): string =>
  table(
    ["record", "version", "compared", "agree", "share", "we allow, the CLI does not"],
    all.map(({ file, version, compared, disagreements }) => {
      const agree = compared - disagreements.length;
      const wrong = disagreements.filter(({ ours }) => ours === "allow").length;
      return [`\`${file}\``, version, String(compared), String(agree), percent(agree, compared), String(wrong)];
    }),
  );

const groupTable = (all: readonly Agreement[]): string => {
  const own = all.filter(({ file }) => file === "corpus.json");
  const names = [...new Set(own.flatMap(({ groups }) => [...groups.keys()]))];
  const cell = (version: string, name: string): string => {
    const found = own.find((one) => one.version === version)?.groups.get(name);
    return found === undefined ? "–" : `${String(found.agreed)} of ${String(found.compared)}`;
  };
  return table(
    ["kind of case", ...VERSIONS],
    names.map((name) => [name, ...VERSIONS.map((version) => cell(version, name))]),
  );
};

const disagreementList = (all: readonly Agreement[]): string => {
  const found = all.flatMap(({ disagreements }) => disagreements);
  if (found.length === 0) return "There is none.";
  const byCause = Map.groupBy(found, causeOf);
  return [...byCause]
    .map(([cause, list]) => {
      const rows = list.map(({ one, version, cli, ours }) => [
        one.id,
        version,
        cli,
        ours,
        escaped(`${one.note}${one.call.tool === "Bash" ? "" : ` (${one.call.tool})`}`),
      ]);
      return `**${cause}**\n\n${table(["case", "version", "CLI", "check", "what"], rows)}`;
    })
    .join("\n\n");
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

const escaped = (text: string): string =>
  JSON.stringify(text.length > 90 ? `${text.slice(0, 90)}...` : text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("|", String.raw`\|`)
    .replaceAll(/[<>*_`]/g, String.raw`\$&`);
