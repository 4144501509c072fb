// Settings: what a session was started with, defaults of new ones, budgets, and the server's own.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { HostError, openProjectVariables, VARIABLES_FILE } from "@quarterdeck/host";
import type { BudgetLimits } from "@quarterdeck/host";
import type { ResultOf } from "@quarterdeck/session/bridge";
import { START_ROLES } from "@quarterdeck/session/bridge/policy";
import { METHODS } from "@quarterdeck/session/bridge/schema";
import { sightOf } from "../parts.ts";
import type { Handlers, Params, Parts } from "../parts.ts";
import { Refusal, unknownSession } from "../../refusal.ts";

const MOST_FILES = 200;
const MOST_DOOMED = 200;

export const settingsMethods = (
  parts: Parts,
): Handlers<
  | "session/settings"
  | "defaults/get"
  | "defaults/set"
  | "budgets/get"
  | "budgets/set"
  | "server/settings"
  | "server/setVariable"
  | "server/revokeTrust"
  | "server/planRetention"
  | "server/setRetention"
> => {
  const { host, store, kept, retention, trust, log, summaries } = parts;
  const variables = openProjectVariables(join(parts.dataDir, VARIABLES_FILE));

  const budgetOf = (session: string | undefined): ResultOf<"budgets/get"> => {
    const { budgets } = host;
    if (budgets === undefined) throw new Refusal("unsupported", "This server keeps no budgets.");
    const { dayUsd, eachUsd, sessions } = budgets.limits;
    const limitUsd = session === undefined ? undefined : budgets.limitOf(session);
    return {
      ...(dayUsd !== undefined && { dayUsd }),
      ...(eachUsd !== undefined && { eachUsd }),
      spentTodayUsd: budgets.spentToday(),
      ...(session !== undefined && {
        session: {
          isOwn: Object.hasOwn(sessions, session),
          spentUsd: budgets.spentBy(session),
          ...(limitUsd !== undefined && { limitUsd }),
        },
      }),
    };
  };

  return {
    "session/settings": ({ session }) => {
      const record = store.session(session);
      if (record === undefined) throw unknownSession(session);
      const { cli, withoutFolderSettings } = record.settings;
      return {
        cwd: host.view(session).head.cwd ?? record.cwd,
        withoutFolderSettings: withoutFolderSettings === true,
        started: startedWith(cli),
      };
    },

    "defaults/get": async ({ cwd }, { device }) => {
      const project =
        cwd === undefined ? undefined : summaries.projectOf(await sightOf(parts, device).paths.resolve(cwd));
      return {
        all: { ...kept.defaultsFor() },
        ...(project !== undefined && { project: { path: project, settings: { ...kept.defaultsFor(project) } } }),
      };
    },

    "defaults/set": async ({ cwd, settings }, { device }) => {
      const project =
        cwd === undefined ? undefined : summaries.projectOf(await sightOf(parts, device).paths.resolve(cwd));
      kept.setDefaults(given(settings), project);
      log.info("defaults set", { by: device.id, project });
      return {};
    },

    "budgets/get": ({ session }) => {
      if (session !== undefined && store.session(session) === undefined) throw unknownSession(session);
      return budgetOf(session);
    },

    "budgets/set": (params, { device }) => {
      const { session } = params;
      if (session !== undefined && store.session(session) === undefined) throw unknownSession(session);
      if (session === undefined && params.limitUsd !== undefined)
        throw new Refusal("bad-request", "Name the session that the budget is for.");
      const { budgets } = host;
      if (budgets === undefined) throw new Refusal("unsupported", "This server keeps no budgets.");
      budgets.change(changedLimits(budgets.limits, params));
      log.info("budgets set", { by: device.id, session });
      return budgetOf(session);
    },

    "server/settings": () => {
      const { live, waiting } = host.load;
      const { sessions, frameBytes, uploadBytes } = parts.limits;
      const { total, sessions: stored } = store.usage();
      return {
        version: parts.version,
        startedAt: parts.startedAt,
        dataDir: parts.dataDir,
        configDir: parts.configFolder,
        roots: [...parts.machine.roots],
        limits: { live, waiting, frameBytes, uploadBytes, ...(sessions !== undefined && { sessions }) },
        environment: [...parts.environment],
        variables: Object.entries(variables.all()).map(([folder, own]) => ({
          folder,
          names: Object.keys(own).toSorted(),
        })),
        trusted: trust
          .folders()
          .map((folder) => {
            const { at, files = {} } = trust.get(folder) ?? {};
            return {
              folder,
              ...(at !== undefined && { at }),
              files: Object.keys(files).slice(0, MOST_FILES),
              exists: existsSync(folder),
            };
          })
          .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0)),
        stored: { sessions: Object.keys(stored).length, bytes: total },
        retention: kept.retention,
      };
    },

    "server/setVariable": async ({ folder, name, value }, { device }) => {
      // A folder that is gone can still lose its variables.
      const isKnown = value === null && Object.hasOwn(variables.all(), folder);
      const path = isKnown ? folder : await sightOf(parts, device).paths.resolve(folder);
      try {
        variables.set(path, name, value ?? undefined);
      } catch (error) {
        if (error instanceof HostError && error.code === "invalid-options")
          throw new Refusal("bad-request", error.message);
        throw error;
      }
      log.info("variable set", { by: device.id, folder: path, name, removed: value === null });
      return {};
    },

    "server/revokeTrust": ({ folder }, { device }) => {
      if (trust.get(folder) === undefined) throw new Refusal("not-found", "This folder is not trusted.", { folder });
      trust.delete(folder);
      log.info("trust revoked", { by: device.id, folder });
      return {};
    },

    "server/planRetention": (wanted) => {
      const doomed = retention.plan(wanted);
      return {
        count: doomed.length,
        bytes: doomed.reduce((sum, { bytes }) => sum + bytes, 0),
        sessions: doomed.slice(0, MOST_DOOMED).map(({ bytes: _bytes, ...session }) => session),
      };
    },

    "server/setRetention": async ({ days, onlyArchived }, { device }) => {
      const { last } = kept.retention;
      kept.setRetention({ days, onlyArchived, ...(last !== undefined && { last }) });
      log.info("retention set", { by: device.id, days: days ?? 0, onlyArchived });
      return { deleted: await retention.run() };
    },
  };
};

type Started = ResultOf<"session/settings">["started"];
const SHOWN = METHODS["session/settings"].result.shape.started;

/** Only options that an operator may set. An option with another shape than today's is left out. */
const startedWith = (cli: unknown): Started => {
  const entries = Object.entries(SHOWN.shape).flatMap(([name, shape]) => {
    const value = (cli as Readonly<Record<string, unknown>> | undefined)?.[name];
    const role = (START_ROLES as Readonly<Record<string, string>>)[name];
    return value !== undefined && role === "operate" && shape.safeParse(value).success ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
};

/** Without fields that are undefined. */
const given = (settings: Params<"defaults/set">["settings"]): Record<string, never> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Record<string, never>;

const changedLimits = (
  { dayUsd, eachUsd, sessions }: BudgetLimits,
  change: Pick<Params<"budgets/set">, "dayUsd" | "eachUsd" | "session" | "limitUsd">,
): BudgetLimits => {
  const day = change.dayUsd === undefined ? dayUsd : (change.dayUsd ?? undefined);
  const each = change.eachUsd === undefined ? eachUsd : (change.eachUsd ?? undefined);
  const { session, limitUsd } = change;
  return {
    ...(day !== undefined && { dayUsd: day }),
    ...(each !== undefined && { eachUsd: each }),
    sessions: session === undefined || limitUsd === undefined ? sessions : { ...sessions, [session]: limitUsd },
  };
};
