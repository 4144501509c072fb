// Policies that decide about calls by themselves, and the audit of all decisions.

import { appliesTo, PRESETS, policyStateOf } from "@quarterdeck/host";
import type { NewPolicy, Policy } from "@quarterdeck/host";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { listAudit } from "../../audit/audit.ts";
import type { Device } from "../../access/contract.ts";
import { unknownSession } from "../../refusal.ts";
import { actorOf, sightOf } from "../parts.ts";
import type { Handlers, Params, Parts } from "../parts.ts";

type Shown = ResultOf<"policies/add">["policy"];

export const policiesMethods = (
  parts: Parts,
): Handlers<"policies/list" | "policies/add" | "policies/change" | "policies/remove" | "audit/list"> => {
  const { policies, host, store, log } = parts;

  /** Live sessions that cannot ask before each call. */
  const waitingFor = (policy: Policy): string[] =>
    policy.behavior === "allow"
      ? []
      : store.sessions().flatMap(({ id, cwd }) => {
          const session = host.opened(id);
          if (session?.isLive !== true || session.head.process?.asksPolicies === true) return [];
          return appliesTo(policy, id, session.head.cwd ?? cwd) ? [id] : [];
        });
  const shown = (policy: Policy): Shown => {
    const { isOn: _isOn, rules, ...rest } = policy;
    return { ...rest, rules: [...rules], state: policyStateOf(policy, Date.now()), waiting: waitingFor(policy) };
  };

  const placeOf = async ({ folder, session }: Params<"policies/add">, device: Device): Promise<object> => {
    if (session !== undefined && store.session(session) === undefined) throw unknownSession(session);
    return {
      ...(folder !== undefined && { folder: await sightOf(parts, device).paths.resolve(folder) }),
      ...(session !== undefined && { session }),
    };
  };

  return {
    "policies/list": async ({ session, cwd }, { device }) => {
      const record = session === undefined ? undefined : store.session(session);
      if (session !== undefined && record === undefined) throw unknownSession(session);
      const folder = cwd === undefined ? record?.cwd : await sightOf(parts, device).paths.resolve(cwd);
      const all = policies.list();
      const wanted =
        folder === undefined
          ? all
          : all.filter(
              (policy) =>
                appliesTo(policy, session ?? "", folder) ||
                (session === undefined &&
                  policy.session !== undefined &&
                  store.session(policy.session)?.cwd === folder),
            );
      return {
        policies: wanted.map(shown),
        presets: PRESETS.map((preset) => ({ ...preset, rules: [...preset.rules] })),
      };
    },

    "policies/add": async (params, { device }) => {
      const { commandId, name, behavior, rules, outside, times, until } = params;
      const policy: NewPolicy = {
        name,
        behavior,
        rules,
        ...(outside !== undefined && { outside }),
        ...(times !== undefined && { times }),
        ...(until !== undefined && { until }),
        ...(await placeOf(params, device)),
      };
      const added = policies.add(policy, actorOf(device), commandId);
      log.info("policy added", { by: device.id, policy: added.id, behavior });
      return { policy: shown(added) };
    },

    "policies/change": ({ id, isOn, times, until }, { device }) => {
      const changed = policies.change(id, {
        ...(isOn !== undefined && { isOn }),
        ...(times !== undefined && { times }),
        ...(until !== undefined && { until }),
      });
      log.info("policy changed", { by: device.id, policy: id, on: changed.isOn });
      return { policy: shown(changed) };
    },

    "policies/remove": ({ id }, { device }) => {
      policies.remove(id);
      log.info("policy removed", { by: device.id, policy: id });
      return {};
    },

    "audit/list": async ({ folder, ...params }, { device }) => {
      if (params.session !== undefined && store.session(params.session) === undefined)
        throw unknownSession(params.session);
      const real = folder === undefined ? {} : { folder: await sightOf(parts, device).paths.resolve(folder) };
      return listAudit(parts, { ...params, ...real });
    },
  };
};
