// What can be chosen at the caret: files from the server, and commands.

import type { FileSuggestion } from "@quarterdeck/client";
import { useEffect, useMemo, useState } from "react";
import { useClient } from "../store/client.tsx";
import { shownFile } from "../store/workbench.ts";
import type { Completing } from "./completion.ts";
import { rankCommands, type CommandChoice } from "./slash.ts";

export type Completion =
  | { readonly kind: "command"; readonly command: CommandChoice }
  | { readonly kind: "mention"; readonly suggestion: FileSuggestion };

export interface Completions {
  readonly list: readonly Completion[];
  readonly busy: boolean;
}

/** Where files are looked for: in the folder of a session, or in a folder that has none yet. */
export type FilePlace = { readonly session: string } | { readonly cwd: string };

const NOTHING: Completions = { list: [], busy: false };
const PAUSE_MS = 40;

/** Choices at the caret. Files come from the server. Until they arrive, the last ones stay. */
export const useCompletions = (
  at: Completing | undefined,
  place: FilePlace | undefined,
  commands: readonly CommandChoice[],
): Completions => {
  const client = useClient();
  const [files, setFiles] = useState<{ readonly query: string; readonly found: readonly FileSuggestion[] }>();
  const mention = at?.kind === "mention" ? at.query : undefined;
  useEffect(() => {
    if (mention === undefined || place === undefined) {
      setFiles(undefined);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      client
        .call("files/suggest", { ...place, query: mention, limit: 30, ...openFiles() }, { signal: stop.signal })
        .then(({ suggestions }) => setFiles({ query: mention, found: suggestions }))
        .catch(() => {
          // Offline, or the person typed on. A missing completion is not reported.
        });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, place, mention]);

  const slash = at?.kind === "slash" ? at.query : undefined;
  return useMemo(() => {
    if (slash !== undefined)
      return { busy: false, list: rankCommands(commands, slash).map((command) => ({ kind: "command", command })) };
    if (mention === undefined) return NOTHING;
    const list = (files?.found ?? [])
      // The current folder is not a useful choice.
      .filter(({ value }) => value !== mention && `${value}/` !== mention)
      // Files that were found for a shorter query are shown only if they still match.
      .filter(({ value }) => files?.query === mention || hasLetters(value, mention))
      .map((suggestion): Completion => ({ kind: "mention", suggestion }));
    return { list, busy: files?.query !== mention };
  }, [slash, mention, files, commands]);
};

const openFiles = (): { readonly open?: string[] } => {
  const path = shownFile();
  return path === undefined ? {} : { open: [path] };
};

const hasLetters = (value: string, query: string): boolean => {
  const text = value.toLowerCase();
  let from = 0;
  for (const letter of query.toLowerCase()) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return false;
  }
  return true;
};
