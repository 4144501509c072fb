// The tables of docs/protocol.md, written from the types and the recordings.

import { CONTROL, INTERNAL_CONTROL, keyOf, MESSAGE_KEYS, SCHEMAS, SOURCES } from "@quarterdeck/protocol";
import type { Schema } from "@quarterdeck/protocol";
import { recordedLines } from "../packages/protocol/src/recordings.fixture.ts";

/** Versions in which each message was seen, by direction: `out` is what the CLI wrote. */
const seen = (dir: "in" | "out"): ReadonlyMap<string, ReadonlySet<string>> => {
  const versions = new Map<string, Set<string>>();
  for (const line of recordedLines()) {
    if (line.dir !== dir || line.msg === undefined) continue;
    const key = keyOf(line.msg);
    versions.set(key, (versions.get(key) ?? new Set()).add(line.version));
  }
  return versions;
};

const ENVELOPE = new Set(["type", "subtype", "uuid", "session_id"]);
const fieldsOf = (schema: Schema<unknown>): { required: string; optional: string } => {
  const named = Object.entries(schema.fields ?? {}).filter(([name]) => !ENVELOPE.has(name));
  const list = (wanted: boolean) =>
    named
      .filter(([, field]) => (field.optional === true) === wanted)
      .map(([name]) => `\`${name}\``)
      .join(", ");
  return { required: list(false), optional: list(true) };
};
const versionsOf = (table: ReadonlyMap<string, ReadonlySet<string>>, key: string): string =>
  [...(table.get(key) ?? [])].toSorted(byVersion).join(", ") || "–";
const byVersion = (a: string, b: string): number => Number(a.split(".").at(-1)) - Number(b.split(".").at(-1));

export const messageTable = (): string => {
  const written = seen("out");
  const rows = MESSAGE_KEYS.filter((key) => !key.startsWith("control_request/")).map((key) => {
    const { required, optional } = fieldsOf(SCHEMAS.get(key)!);
    const sources = (SOURCES as Readonly<Record<string, readonly string[]>>)[key]!.join(" ");
    return `| \`${key}\` | ${versionsOf(written, key)} | ${sources} | ${required} | ${optional} |`;
  });
  return [
    "| message | recorded from | named by | asserted | asserted where present |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
};

export const controlTable = (): string => {
  const written = seen("out");
  const sent = seen("in");
  const rows = Object.entries(CONTROL).map(([subtype, entry]) => {
    const key = `control_request/${subtype}`;
    const recorded = versionsOf(entry.from === "cli" ? written : sent, key);
    const { required, optional } = fieldsOf(entry.request);
    return `| \`${subtype}\` | ${entry.from} | ${recorded} | ${required} | ${optional} |`;
  });
  return [
    "| subtype | asked by | recorded with | asserted | asserted where present |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
    `Recognised, with an open shape (${INTERNAL_CONTROL.length}): ${INTERNAL_CONTROL.map((name) => `\`${name}\``).join(", ")}.`,
  ].join("\n");
};

/** The text with what stands between `<!-- name -->` and `<!-- /name -->` replaced. */
export const withSection = (text: string, name: string, content: string): string => {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(open);
  const to = text.indexOf(close);
  if (from === -1 || to < from) throw new Error(`docs/protocol.md has no section ${open} … ${close}`);
  return `${text.slice(0, from + open.length)}\n\n${content}\n\n${text.slice(to)}`;
};

export const protocolDocument = (current: string): string =>
  withSection(withSection(current, "messages", messageTable()), "control", controlTable());
