// The tables of docs/protocol.md, written from the types, the recordings and what the conformance run saw.

import { readFileSync } from "node:fs";
import { CONTROL, INTERNAL_CONTROL, MESSAGE_KEYS, SCHEMAS, SOURCES } from "@quarterdeck/protocol";
import type { Schema } from "@quarterdeck/protocol";
import { byVersion, kindsOf } from "../e2e/conformance/seen.ts";
import type { Kinds, Seen } from "../e2e/conformance/seen.ts";
import { recordedLines } from "@quarterdeck/test-kit/recorded-lines";

const conformance = JSON.parse(readFileSync(new URL("../e2e/conformance/seen.json", import.meta.url), "utf8")) as Seen;

/** Versions by the message that they wrote or answered. */
const seen = (what: keyof Kinds): ReadonlyMap<string, ReadonlySet<string>> => {
  const versions = new Map<string, Set<string>>();
  const add = (version: string, kinds: Kinds): void => {
    for (const key of kinds[what]) versions.set(key, (versions.get(key) ?? new Set()).add(version));
  };
  const recordings = Map.groupBy(recordedLines(), ({ version, recording }) => `${version}/${recording}`);
  for (const lines of recordings.values()) add(lines[0]!.version, kindsOf(lines));
  for (const [version, kinds] of Object.entries(conformance)) add(version, kinds);
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

const messageTable = (): string => {
  const written = seen("wrote");
  const rows = MESSAGE_KEYS.filter((key) => !key.startsWith("control_request/")).map((key) => {
    const { required, optional } = fieldsOf(SCHEMAS.get(key)!);
    const sources = (SOURCES as Readonly<Record<string, readonly string[]>>)[key]!.join(" ");
    return `| \`${key}\` | ${versionsOf(written, key)} | ${sources} | ${required} | ${optional} |`;
  });
  return [
    "| message | seen in | named by | required | checked if present |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
};

const controlTable = (): string => {
  const written = seen("wrote");
  const answered = seen("answered");
  const rows = Object.entries(CONTROL).map(([subtype, entry]) => {
    const key = `control_request/${subtype}`;
    const recorded = versionsOf(entry.from === "host" ? answered : written, key);
    const { required, optional } = fieldsOf(entry.request);
    return `| \`${subtype}\` | ${entry.from} | ${recorded} | ${required} | ${optional} |`;
  });
  return [
    "| subtype | sent by | seen in | required | checked if present |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
    `Recognized, with an open shape (${INTERNAL_CONTROL.length}): ${INTERNAL_CONTROL.map((name) => `\`${name}\``).join(", ")}.`,
  ].join("\n");
};

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
export const withSection = (text: string, name: string, content: string): string => {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(open);
  const to = text.indexOf(close);
  if (from === -1 || to < from) throw new Error(`The document has no section ${open} … ${close}.`);
  return `${text.slice(0, from + open.length)}\n\n${content}\n\n${text.slice(to)}`;
};

export const protocolDocument = (current: string): string =>
  withSection(withSection(current, "messages", messageTable()), "control", controlTable());
