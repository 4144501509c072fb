// Where rules and policies are changed. If a server runs, it makes the change, so that its sessions and its trust stay
// correct. Otherwise the files are changed directly, under the lock of the data directory.

import { homedir } from "node:os";
import { join } from "node:path";
import { BridgeError } from "@quarterdeck/client";
import type { ParamsOf, ResultOf } from "@quarterdeck/client";
import {
  configFolder,
  fileTrustStore,
  Host,
  HostError,
  openPolicies,
  openSqliteStore,
  PRESETS,
  policyStateOf,
  StoreError,
} from "@quarterdeck/host";
import type { Policy } from "@quarterdeck/host";
import { RuleChanges } from "@quarterdeck/server/rules";
import { connectLocally } from "../serve/local-client.ts";
import type { LocalClientOptions } from "../serve/local-client.ts";
import { UserError } from "../user-error.ts";

export type RuleChange = ParamsOf<"rules/preview">["change"];
export type PreviewedFiles = ResultOf<"rules/preview">["files"];
export type ShownPolicy = Omit<ResultOf<"policies/add">["policy"], "waiting"> & {
  readonly waiting?: readonly string[];
};
export type NewPolicy = Omit<ParamsOf<"policies/add">, "commandId">;

export interface RulesDesk {
  preview(cwd: string, change: RuleChange): Promise<PreviewedFiles>;
  save(cwd: string, change: RuleChange, hashes: readonly string[]): Promise<void>;
  policies(): Promise<readonly ShownPolicy[]>;
  addPolicy(policy: NewPolicy): Promise<ShownPolicy>;
  switchPolicy(id: string, isOn: boolean): Promise<ShownPolicy>;
  removePolicy(id: string): Promise<void>;
  close(): Promise<void>;
}

export const presets = PRESETS;

export const atRulesDesk = async <T>(
  options: LocalClientOptions,
  work: (desk: RulesDesk) => Promise<T>,
): Promise<T> => {
  const desk = (await runningDesk(options)) ?? (await lockedDesk(options.dataDir));
  try {
    return await work(desk);
  } catch (error) {
    const isTold = error instanceof BridgeError || error instanceof HostError || isRefusal(error);
    throw isTold ? new UserError((error as Error).message) : error;
  } finally {
    await desk.close();
  }
};

/** What the parts of the server throw for a caller's fault. */
const isRefusal = (error: unknown): boolean => error instanceof Error && error.name === "Refusal";

const runningDesk = async (options: LocalClientOptions): Promise<RulesDesk | undefined> => {
  const client = await connectLocally(options);
  if (client === undefined) return undefined;
  return {
    preview: async (cwd, change) => (await client.call("rules/preview", { cwd, change })).files,
    save: async (cwd, change, hashes) =>
      void (await client.command("rules/save", { cwd, change, hashes: [...hashes] })),
    policies: async () => (await client.call("policies/list", {})).policies,
    addPolicy: async (policy) => (await client.command("policies/add", policy)).policy,
    switchPolicy: async (id, isOn) => (await client.command("policies/change", { id, isOn })).policy,
    removePolicy: async (id) => void (await client.command("policies/remove", { id })),
    close: async () => client.close(),
  };
};

const lockedDesk = async (dataDir: string): Promise<RulesDesk> => {
  const store = await openSqliteStore(dataDir).catch((error: unknown) => {
    if (error instanceof StoreError) throw new UserError(`${error.message} Use --data-dir to choose another folder.`);
    throw error;
  });
  try {
    const trust = fileTrustStore(join(dataDir, "trusted-folders.json"));
    const policies = openPolicies({ path: join(dataDir, "policies.json") });
    const environment = (): Record<string, string> =>
      Object.fromEntries(
        Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
      );
    // It starts nothing: only its trust is needed.
    const host = await Host.open({ store, trust, environment, claude: { command: "claude" } });
    const changes = new RuleChanges({
      host,
      store,
      trust,
      dataDir,
      configFolder: configFolder(environment()),
      machine: { home: homedir() },
      agent: { kind: "claude" },
    });
    const shown = (policy: Policy): ShownPolicy => {
      const { isOn: _isOn, rules, ...rest } = policy;
      return { ...rest, rules: [...rules], state: policyStateOf(policy, Date.now()) };
    };
    return {
      preview: async (cwd, change) => [...(await changes.preview(cwd, change))],
      save: async (cwd, change, hashes) => void (await changes.save(cwd, change, hashes)),
      policies: async () => policies.list().map(shown),
      addPolicy: async (policy) => shown(policies.add(policy, { id: "terminal" })),
      switchPolicy: async (id, isOn) => shown(policies.change(id, { isOn })),
      removePolicy: async (id) => policies.remove(id),
      close: () => host.close(),
    };
  } catch (error) {
    await store.close();
    throw error instanceof HostError ? new UserError(error.message) : error;
  }
};
