// The mode that the CLI starts in if no flag names one: `defaultMode` of its settings. Measured: local wins over project over user.

import { modeOf, SCOPES } from "@quarterdeck/permissions/words";
import type { FileScope } from "@quarterdeck/permissions/words";
import { isRecord } from "@quarterdeck/protocol";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import { readSettingsFiles } from "./settings-files.ts";
import type { SettingsFolders } from "./settings-files.ts";

const SOURCES: Readonly<Record<FileScope, string | undefined>> = {
  policySettings: undefined,
  localSettings: "local",
  projectSettings: "project",
  userSettings: "user",
};

/** Undefined if no settings that this process loads name a mode. */
export const defaultModeIn = async (
  folders: SettingsFolders,
  { settings, settingSources }: Pick<ClaudeOptions, "settings" | "settingSources">,
): Promise<string | undefined> => {
  const files = (await readSettingsFiles(folders)).filter(({ scope }) => {
    const source = SOURCES[scope];
    return source === undefined || settingSources === undefined || (settingSources as string[]).includes(source);
  });
  const all = [...files, ...(isRecord(settings) ? [{ scope: "flagSettings", value: settings } as const] : [])];
  return all
    .toSorted((a, b) => SCOPES[b.scope].precedence - SCOPES[a.scope].precedence)
    .map(({ value }) => modeIn(value))
    .find((mode) => mode !== undefined);
};

const modeIn = (settings: Readonly<Record<string, unknown>> | undefined): string | undefined => {
  const permissions = settings?.["permissions"];
  return isRecord(permissions) ? modeOf(permissions["defaultMode"]) : undefined;
};
