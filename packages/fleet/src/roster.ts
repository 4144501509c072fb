// Who is in the fleet and whether it answers, as a value. Times are given by the caller's own clock: the clocks of other machines are
// never compared.

/** A node beats this often. */
export const BEAT_MS = 2000;
/** Two beats are missing. */
export const SILENT_MS = 3 * BEAT_MS;
export const AWAY_MS = 30_000;
/** More names than any fleet has. Only NATS users can appear, so this bounds a mistake, not an attack. */
const MOST_NODES = 1000;

/** What a node says about itself. */
export interface Presence {
  /** `look`: the hub heard that a connection ended. Others find out whose. */
  readonly kind: "hello" | "beat" | "bye" | "look";
  /** Random, new for each start. */
  readonly incarnation: string;
  readonly version: string;
  /** The version of its bridge. */
  readonly bridge: number;
}

export type NodeState = "here" | "not-answering" | "away";

export interface RosterNode {
  readonly name: string;
  readonly state: NodeState;
  /** When the state began. */
  readonly since: number;
  readonly heardAt: number;
  readonly incarnation: string;
  readonly version: string;
  readonly bridge: number;
}

export type Roster = ReadonlyMap<string, RosterNode>;

export interface RosterChange {
  readonly roster: Roster;
  /** Nodes whose state changed. */
  readonly changed: readonly RosterNode[];
  /** Nodes whose virtual connections are dead: they left, went silent or started again. */
  readonly gone: readonly string[];
}

/**
 * All connections ended with the bus. The other node may open a new one before it is heard, so its next presence must not end
 * connections again.
 */
const UNKNOWN = "";

export const EMPTY_ROSTER: Roster = new Map();

export const heard = (roster: Roster, name: string, presence: Presence, now: number): RosterChange => {
  const before = roster.get(name);
  if (before === undefined && roster.size >= MOST_NODES) return { roster, changed: [], gone: [] };
  const { kind, incarnation, version, bridge } = presence;
  // A bye of an earlier start can arrive after the hello of the next one.
  if (kind === "bye" && before !== undefined && before.incarnation !== incarnation)
    return { roster, changed: [], gone: [] };
  const state: NodeState = kind === "bye" ? "away" : "here";
  const isNew = before?.state !== state || before.incarnation !== incarnation || before.version !== version;
  const node: RosterNode = {
    name,
    state,
    since: before?.state === state && before.incarnation === incarnation ? before.since : now,
    heardAt: now,
    incarnation,
    version,
    bridge,
  };
  const isRestart =
    before !== undefined &&
    before.state !== "away" &&
    before.incarnation !== UNKNOWN &&
    before.incarnation !== incarnation;
  return {
    roster: new Map(roster).set(name, node),
    changed: isNew ? [node] : [],
    gone: isRestart || (kind === "bye" && before !== undefined && before.state !== "away") ? [name] : [],
  };
};

/** Time has passed. */
export const ticked = (roster: Roster, now: number): RosterChange => {
  const changed: RosterNode[] = [];
  const gone: string[] = [];
  const next = new Map(roster);
  for (const node of roster.values()) {
    const quiet = now - node.heardAt;
    const state: NodeState =
      node.state === "away" || quiet >= AWAY_MS ? "away" : quiet >= SILENT_MS ? "not-answering" : node.state;
    if (state === node.state) continue;
    // Away since it was last heard, not since somebody noticed.
    const later = { ...node, state, since: node.heardAt };
    next.set(node.name, later);
    changed.push(later);
    if (node.state === "here") gone.push(node.name);
  }
  return changed.length === 0 ? { roster, changed, gone } : { roster: next, changed, gone };
};

/** NATS says that the node has no connection. */
export const lost = (roster: Roster, name: string, now: number): RosterChange => {
  const node = roster.get(name);
  if (node?.state !== "here") return { roster, changed: [], gone: [] };
  const later: RosterNode = { ...node, state: "not-answering", since: now };
  return { roster: new Map(roster).set(name, later), changed: [later], gone: [name] };
};

/** This node lost the bus, so nobody can be reached. */
export const cutOff = (roster: Roster, now: number): RosterChange => {
  const here = [...roster.values()].filter(({ state }) => state === "here");
  const changed = here.map((node): RosterNode => ({
    ...node,
    state: "not-answering",
    since: now,
    incarnation: UNKNOWN,
  }));
  const next = new Map([...roster, ...changed.map((node) => [node.name, node] as const)]);
  return { roster: next, changed, gone: here.map(({ name }) => name) };
};

/** A roster from an earlier run: nobody has been heard yet. */
export const remembered = (nodes: readonly RosterNode[]): Roster =>
  new Map(
    nodes
      .slice(0, MOST_NODES)
      .map((node) => [node.name, node.state === "away" ? node : { ...node, state: "away", since: node.heardAt }]),
  );

export const forgotten = (roster: Roster, name: string): Roster =>
  new Map([...roster].filter(([each]) => each !== name));

export const readPresence = (bytes: Uint8Array): Presence | undefined => {
  if (bytes.length > 500) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // Not a presence.
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, incarnation, version, bridge } = value as Record<string, unknown>;
  const isKnown = kind === "hello" || kind === "beat" || kind === "bye" || kind === "look";
  if (!isKnown || typeof incarnation !== "string" || !/^[\w-]{8,40}$/u.test(incarnation)) return undefined;
  if (typeof version !== "string" || !/^[\w.+-]{1,40}$/u.test(version)) return undefined;
  if (typeof bridge !== "number" || !Number.isSafeInteger(bridge)) return undefined;
  return { kind, incarnation, version, bridge };
};
