// Where policies are kept: one private file of the data folder, always replaced as a whole. A use is counted before the answer is
// sent, so a limit holds across a crash. A file that cannot be read stops the start, because a deny must not be lost in silence.

import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "@quarterdeck/protocol";
import type { Actor } from "@quarterdeck/session";
import { HostError } from "../host-error.ts";
import { FileError, readRegularSync } from "../trust/contained-file.ts";
import { mustBePolicy, policyStateOf } from "./policy.ts";
import type { NewPolicy, Policy } from "./policy.ts";

export interface PolicyChange {
  readonly isOn?: boolean;
  /** Null removes the limit. A new limit counts from now. */
  readonly times?: number | null;
  readonly until?: number | null;
}

export interface PolicyStore {
  /** The oldest first. */
  readonly list: () => readonly Policy[];
  readonly get: (id: string) => Policy | undefined;
  readonly add: (policy: NewPolicy, by?: Actor, id?: string) => Policy;
  readonly change: (id: string, change: PolicyChange) => Policy;
  readonly remove: (id: string) => void;
  /** Counts one use. Returns false if the policy is gone, off, used up or expired. */
  readonly take: (id: string) => boolean;
}

interface Options {
  readonly path?: string;
  readonly now?: () => number;
}

const MOST_BYTES = 16 * 1024 * 1024;
const MOST_POLICIES = 1000;

/** Without a path, in memory. */
export const openPolicies = ({ path, now = Date.now }: Options = {}): PolicyStore => {
  const policies = new Map((path === undefined ? [] : readPolicies(path)).map((policy) => [policy.id, policy]));
  const save = (): void => {
    if (path === undefined) return;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const next = `${path}.${String(process.pid)}.new`;
    writeFileSync(next, `${JSON.stringify([...policies.values()], null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(next, path);
  };
  const must = (id: string): Policy => {
    const policy = policies.get(id);
    if (policy === undefined) throw new HostError("unknown-policy", "This policy does not exist any more.", { id });
    return policy;
  };
  const put = (policy: Policy): Policy => {
    policies.set(policy.id, policy);
    save();
    return policy;
  };
  return {
    list: () => [...policies.values()],
    get: (id) => policies.get(id),
    add: (given, by, id = randomUUID()) => {
      mustBePolicy(given);
      const known = policies.get(id);
      if (known !== undefined) return known;
      if (policies.size >= MOST_POLICIES)
        throw new HostError("invalid-policy", `There are ${String(MOST_POLICIES)} policies. Remove some first.`);
      return put({ ...given, id, isOn: true, used: 0, createdAt: now(), ...(by !== undefined && { by }) });
    },
    change: (id, { isOn, times, until }) => {
      const { times: oldTimes, until: oldUntil, ...policy } = must(id);
      const limit = times === undefined ? oldTimes : (times ?? undefined);
      const end = until === undefined ? oldUntil : (until ?? undefined);
      const changed: Policy = {
        ...policy,
        ...(isOn !== undefined && { isOn }),
        ...(typeof times === "number" && { used: 0 }),
        ...(limit !== undefined && { times: limit }),
        ...(end !== undefined && { until: end }),
      };
      mustBePolicy(changed);
      return put(changed);
    },
    remove: (id) => {
      must(id);
      policies.delete(id);
      save();
    },
    take: (id) => {
      const policy = policies.get(id);
      if (policy === undefined || policyStateOf(policy, now()) !== "on") return false;
      put({ ...policy, used: policy.used + 1, lastUsedAt: now() });
      return true;
    },
  };
};

const readPolicies = (path: string): Policy[] => {
  let text: string;
  try {
    text = readRegularSync(path, MOST_BYTES).toString("utf8");
  } catch (error) {
    if (error instanceof FileError && error.problem === "missing") return [];
    throw error;
  }
  try {
    const read: unknown = JSON.parse(text);
    if (!Array.isArray(read)) throw new TypeError("It is not a list.");
    for (const policy of read) mustBeStored(policy);
    return read as Policy[];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HostError(
      "invalid-policy",
      `${path} cannot be read, so nobody knows what your policies deny. Repair the file, or delete it to start without policies. ${why}`,
      { path },
      { cause: error },
    );
  }
};

const mustBeStored = (value: unknown): void => {
  const isOne =
    isRecord(value) &&
    ["id", "name", "behavior"].every((key) => typeof value[key] === "string") &&
    ["used", "createdAt"].every((key) => typeof value[key] === "number") &&
    typeof value["isOn"] === "boolean" &&
    ["allow", "deny", "ask"].includes(value["behavior"] as string) &&
    Array.isArray(value["rules"]) &&
    value["rules"].every((rule) => typeof rule === "string");
  if (!isOne) throw new TypeError("An entry is not a policy.");
  mustBePolicy(value as unknown as Policy);
};
