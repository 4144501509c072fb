// What in the settings does not do what it seems to do.

import { notBuilt } from "./not-built.ts";
import type { Problem, SettingsSource } from "./types.ts";

export const problemsOf = (
  _settings: readonly SettingsSource[],
  _options?: { readonly cliVersion?: string | undefined; readonly folderTrusted?: boolean | undefined },
): readonly Problem[] => notBuilt("problemsOf");
