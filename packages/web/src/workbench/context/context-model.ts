// What the context panel shows, as data: the drawn parts always sum to the window.

import type { ContextReport, Row } from "@quarterdeck/client";

type Part = ContextReport["categories"][number];

/** Older CLIs report no kind. */
export const partKindOf = ({ kind, name }: Pick<Part, "kind" | "name">): string => {
  if (kind !== undefined) return kind;
  if (/free/iu.test(name)) return "free";
  if (/buffer/iu.test(name)) return "buffer";
  return /deferred/iu.test(name) ? "deferred" : "used";
};

export interface ContextParts {
  readonly used: readonly Part[];
  readonly free: number;
  /** Space that the CLI keeps for compaction. */
  readonly buffer: number;
  /** Tools that take no space until they are loaded. */
  readonly deferred: readonly Part[];
}

/** If the conversation continued after the report, the gauge is newer. The difference is shown as its own part. */
export const contextPartsOf = (
  { used, window, categories }: ContextReport,
  now: number = used,
): ContextParts & { readonly since: number } => {
  const ofKind = (kind: string): Part[] => categories.filter((part) => partKindOf(part) === kind && part.tokens > 0);
  const buffer = ofKind("buffer").reduce((sum, { tokens }) => sum + tokens, 0);
  const taken = Math.max(now, used);
  return {
    used: ofKind("used").toSorted((a, b) => b.tokens - a.tokens),
    since: taken - used,
    buffer: Math.min(buffer, Math.max(0, window - taken)),
    free: Math.max(0, window - taken - buffer),
    deferred: ofKind("deferred"),
  };
};

export interface TurnBar {
  readonly rowId: string;
  readonly tokens: number;
  /** A compaction came before this turn. */
  readonly compacted: boolean;
}

/** The context at the end of each turn, of the rows that are loaded. */
export const turnBars = (rows: readonly Row[]): TurnBar[] => {
  const bars: TurnBar[] = [];
  let compacted = false;
  for (const row of rows) {
    if (row.kind === "compaction" && row.failed === undefined) compacted = true;
    if (row.kind !== "turn" || row.parent !== undefined || row.context === undefined) continue;
    bars.push({ rowId: row.id, tokens: row.context, compacted });
    compacted = false;
  }
  return bars;
};

/** Average growth of the context in the last turns. Undefined until there are two turns without a compaction between them. */
export const growthOf = (bars: readonly TurnBar[]): number | undefined => {
  const steps = bars.slice(-6).flatMap((bar, at, last) => {
    const before = last[at - 1];
    return before === undefined || bar.compacted || bar.tokens <= before.tokens ? [] : [bar.tokens - before.tokens];
  });
  return steps.length === 0 ? undefined : steps.reduce((sum, step) => sum + step, 0) / steps.length;
};

const WARNS_AT = 0.8;

export interface Outlook {
  readonly left: number;
  /** Estimated number of turns like the last ones. */
  readonly turns?: number;
  readonly warns: boolean;
}

/** The space until the next compaction, or until the window is full if the CLI does not compact by itself. */
export const outlookOf = (
  now: number,
  { window, compactsAt }: Pick<ContextReport, "window" | "compactsAt">,
  growth: number | undefined,
): Outlook => {
  const end = compactsAt ?? window;
  const left = Math.max(0, end - now);
  return {
    left,
    ...(growth !== undefined && growth > 0 && { turns: Math.floor(left / growth) }),
    warns: now / window >= WARNS_AT,
  };
};
