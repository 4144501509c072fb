// Since 2.1.200 the CLI ignores the allow rules of shared project settings until its own dialog trusted the folder, and that
// dialog never appears here. If a person trusted the folder here, its rules are given as flags. They come from the
// contents that were trusted, not from the disk.

import { join } from "node:path";
import { factsOf, NEWEST_MEASURED, parseRule } from "@quarterdeck/permissions";
import { isRecord } from "@quarterdeck/protocol";
import type { FolderContents } from "../trust/folder-trust.ts";

/** Allow rules of the folder's shared settings. Empty if this CLI reads them itself. */
export const trustedRules = (contents: FolderContents, version = NEWEST_MEASURED): readonly string[] => {
  if (!factsOf(version).projectAllowNeedsTrust) return [];
  const path = join(contents.folder, ".claude", "settings.json");
  const text = contents.files.find((file) => file.path === path && file.kind === "file")?.text;
  return text === undefined ? [] : allowIn(text);
};

const allowIn = (text: string): readonly string[] => {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch {
    // The CLI cannot read it either, and says so.
    return [];
  }
  const permissions = isRecord(settings) ? settings["permissions"] : undefined;
  const allow = isRecord(permissions) ? permissions["allow"] : undefined;
  if (!Array.isArray(allow)) return [];
  return allow.filter((rule): rule is string => typeof rule === "string" && parseRule(rule).ok).slice(0, MOST);
};

/** Arguments of a process are limited. */
const MOST = 500;
