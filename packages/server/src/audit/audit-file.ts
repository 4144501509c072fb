// The audit as a file that somebody keeps: CSV for a spreadsheet, JSON for a program. A cell of the CSV is never a formula, and shows
// characters that cannot be seen.

import { readableText } from "@quarterdeck/session";
import type { Download } from "../http/contract.ts";
import { allOfAudit } from "./audit.ts";
import type { AuditEntry, AuditFilter, AuditParts } from "./audit.ts";

export type AuditFormat = "csv" | "json";

export const exportAudit = (parts: AuditParts, filter: AuditFilter, format: AuditFormat): Download => ({
  name: `audit-${new Date().toISOString().slice(0, 10)}.${format}`,
  mediaType: format === "csv" ? "text/csv; charset=utf-8" : "application/json",
  body: inTurns(format === "csv" ? csvOf(allOfAudit(parts, filter)) : jsonOf(allOfAudit(parts, filter))),
});

const COLUMNS: readonly (readonly [name: string, of: (entry: AuditEntry) => string | undefined])[] = [
  ["time", ({ at }) => new Date(at).toISOString()],
  ["decision", ({ behavior }) => behavior],
  ["decided by", ({ decider }) => decider],
  ["device", ({ by }) => by?.name],
  ["device id", ({ by }) => by?.id],
  ["rule", ({ rule }) => rule],
  ["file", ({ place }) => place],
  ["policy", ({ policy }) => policy?.name],
  ["asked by policy", ({ askedBy }) => askedBy],
  ["mode", ({ mode }) => mode],
  ["reason", ({ reason }) => reason],
  ["tool", ({ tool }) => tool],
  ["input", ({ input }) => JSON.stringify(input)],
  ["input edited", ({ edited }) => (edited === true ? "yes" : undefined)],
  ["folder", ({ folder }) => folder],
  ["session", ({ session }) => session],
  ["title", ({ title }) => title],
];

function* csvOf(entries: Iterable<AuditEntry | undefined>): Generator<string> {
  yield `${COLUMNS.map(([name]) => cellOf(name)).join(",")}\r\n`;
  for (const entry of entries)
    yield entry === undefined ? "" : `${COLUMNS.map(([, of]) => cellOf(of(entry) ?? "")).join(",")}\r\n`;
}

/** A spreadsheet runs a cell that begins like a formula, also behind spaces. An apostrophe makes it text. */
export const cellOf = (text: string): string => {
  const shown = readableText(text);
  const safe = /^[\s\p{Cf}\p{Cc}]*[=+\-@\t\r|%＝＋－＠]/u.test(text) ? `'${shown}` : shown;
  return `"${safe.replaceAll('"', '""')}"`;
};

function* jsonOf(entries: Iterable<AuditEntry | undefined>): Generator<string> {
  let between = "[\n";
  for (const entry of entries) {
    if (entry === undefined) {
      yield "";
      continue;
    }
    const { order: _order, at, ...rest } = entry;
    yield `${between}${JSON.stringify({ at: new Date(at).toISOString(), ...rest })}`;
    between = ",\n";
  }
  yield between === "[\n" ? "[]\n" : "\n]\n";
}

/** Others have their turn between two pieces. */
async function* inTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  let gathered = "";
  let count = 0;
  for (const piece of pieces) {
    gathered += piece;
    count += 1;
    if (count % 50 !== 0) continue;
    if (gathered !== "") yield gathered;
    gathered = "";
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield gathered;
}
