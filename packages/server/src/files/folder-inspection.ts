// What a folder would run by itself when a session starts in it, told before anybody trusts it: the files that the CLI acts on, word
// for word, and the commands and servers in them.

import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { gitRunsIn, readFolder, trustOf } from "@quarterdeck/host";
import type { TrustStore } from "@quarterdeck/host";
import { isRecord } from "@quarterdeck/protocol";
import { canonicalJson } from "@quarterdeck/session/bridge";
import type { FolderInspection } from "@quarterdeck/session/bridge";
import { openGit, readGitState } from "./git.ts";

type Contents = Awaited<ReturnType<typeof readFolder>>;

export const inspectFolder = async (
  folder: string,
  trust: TrustStore,
  configDir: string,
): Promise<FolderInspection> => {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) return { folder, exists: false, trust: "unknown", hash: "", files: [], runs: false };
  const git = await openGit(real);
  const [contents, known, state] = await Promise.all([
    readFolder(real, { configDir }),
    trustOf(real, trust, { configDir }),
    git && readGitState(git),
  ]);
  const files = contents.files.map(({ path, text }) => ({
    path,
    ...(text !== undefined && { text }),
    runs: text === undefined ? [] : (gitRunsIn(path, text) ?? runsIn(text)),
  }));
  const branch = state?.branch === undefined ? {} : { branch: state.branch };
  return {
    folder: contents.folder,
    exists: true,
    trust: known,
    hash: createHash("sha256")
      .update(canonicalJson({ folder: contents.folder, files }))
      .digest("hex"),
    files,
    runs: files.some(({ runs }) => runs.length > 0),
    ...(git !== undefined && { git: { root: git.root, ...branch, dirty: state!.files.length > 0 } }),
  };
};

/** What was shown, as trust is given to it. */
export const contentsOf = ({ folder, files }: FolderInspection): Contents => ({
  folder,
  files: files.map(({ path, text }) => ({ path, ...(text !== undefined && { text }) })),
});

/** Settings whose value is a command line. */
const COMMANDS = ["apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper"];

const runsIn = (text: string): string[] => {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch {
    // The CLI cannot read it either.
    return [];
  }
  if (!isRecord(settings)) return [];
  const { hooks, statusLine, mcpServers, env } = settings;
  return [
    ...COMMANDS.flatMap((name) => (typeof settings[name] === "string" ? [`${name}: ${settings[name]}`] : [])),
    ...(isRecord(statusLine) && typeof statusLine["command"] === "string"
      ? [`status line: ${statusLine["command"]}`]
      : []),
    ...hookCommands(hooks),
    ...serverCommands(mcpServers),
    ...(isRecord(env) ? Object.entries(env).map(([name, value]) => `sets ${name}=${String(value)}`) : []),
  ];
};

const firstText = (...values: readonly unknown[]): string => values.find((value) => typeof value === "string") ?? "?";

const hookCommands = (hooks: unknown): string[] =>
  isRecord(hooks)
    ? Object.entries(hooks).flatMap(([event, matchers]) =>
        (Array.isArray(matchers) ? matchers : []).flatMap((matcher: unknown) =>
          (isRecord(matcher) && Array.isArray(matcher["hooks"]) ? matcher["hooks"] : []).flatMap((hook: unknown) =>
            isRecord(hook) ? [`hook ${event}: ${firstText(hook["command"], hook["url"], hook["prompt"])}`] : [],
          ),
        ),
      )
    : [];

const serverCommands = (servers: unknown): string[] =>
  isRecord(servers)
    ? Object.entries(servers).map(([name, server]) => {
        if (!isRecord(server)) return `server ${name}`;
        const { command, args, url } = server;
        const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
        return `server ${name}: ${words.length > 0 ? words.join(" ") : firstText(url)}`;
      })
    : [];
