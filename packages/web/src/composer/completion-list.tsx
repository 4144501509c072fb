// The list above the composer during a completion. The textarea keeps the focus; the list shows the selected choice.

import type { Suggestion } from "@quarterdeck/client";
import { useEffect, useMemo, useRef, useState } from "react";
import { Icon, type IconName } from "../parts/icon.tsx";
import { useClient } from "../store/client.tsx";
import { pieces, type Completing } from "./completion.ts";
import { rankCommands, type CommandChoice } from "./slash.ts";

export type Choice =
  | { readonly kind: "command"; readonly command: CommandChoice }
  | { readonly kind: "mention"; readonly suggestion: Suggestion };

export interface Choices {
  readonly list: readonly Choice[];
  readonly busy: boolean;
}

/** Where files are looked for: in the folder of a session, or in a folder that has none yet. */
export type FilePlace = { readonly session: string } | { readonly cwd: string };

const NOTHING: Choices = { list: [], busy: false };
const PAUSE_MS = 40;

/** Choices at the caret. Files come from the server. Until they arrive, the last ones stay. */
export const useChoices = (
  at: Completing | undefined,
  place: FilePlace | undefined,
  commands: readonly CommandChoice[],
): Choices => {
  const client = useClient();
  const [files, setFiles] = useState<{ readonly query: string; readonly found: readonly Suggestion[] }>();
  const mention = at?.kind === "mention" ? at.query : undefined;
  useEffect(() => {
    if (mention === undefined || place === undefined) {
      setFiles(undefined);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      client
        .call("files/suggest", { ...place, query: mention, limit: 30 }, { signal: stop.signal })
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
      .map((suggestion): Choice => ({ kind: "mention", suggestion }));
    return { list, busy: files?.query !== mention };
  }, [slash, mention, files, commands]);
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

const ICONS: Readonly<Record<Suggestion["kind"], IconName>> = {
  file: "file",
  folder: "folder",
  server: "server",
  resource: "link",
  agent: "helm",
};

export interface CompletionListProps {
  readonly id: string;
  readonly choices: Choices;
  readonly active: number;
  readonly onChoose: (choice: Choice) => void;
  readonly onHover: (index: number) => void;
}

export const CompletionList = ({ id, choices, active, onChoose, onHover }: CompletionListProps) => {
  const box = useRef<HTMLUListElement>(null);
  useEffect(() => {
    box.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <ul
      ref={box}
      id={id}
      role="listbox"
      aria-label="Completions"
      className="completions"
      aria-busy={choices.busy}
      tabIndex={0}
      // Keeps the focus, and a phone's keyboard, in the textarea.
      onMouseDown={(event) => event.preventDefault()}
    >
      {choices.list.map((choice, index) => (
        <li
          key={choice.kind === "command" ? choice.command.name : `${choice.suggestion.kind} ${choice.suggestion.value}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          onClick={() => onChoose(choice)}
          onPointerMove={() => {
            if (index !== active) onHover(index);
          }}
        >
          {choice.kind === "command" ? (
            <CommandLine command={choice.command} />
          ) : (
            <FileLine suggestion={choice.suggestion} />
          )}
        </li>
      ))}
    </ul>
  );
};

const CommandLine = ({ command }: { readonly command: CommandChoice }) => (
  <>
    <span className="completion-name">
      /{command.name} {command.hint !== "" && <em>{command.hint}</em>}
    </span>
    <span className="completion-about">
      {command.description}
      {command.aliases.length > 0 && ` (also /${command.aliases.join(", /")})`}
    </span>
    {command.own !== undefined && <span className="badge">opens here</span>}
  </>
);

const FileLine = ({ suggestion }: { readonly suggestion: Suggestion }) => (
  <>
    <Icon name={ICONS[suggestion.kind]} />
    <span className="completion-path">
      {pieces(suggestion.value, suggestion.matches).map(({ text, match }, at) =>
        match ? <mark key={at}>{text}</mark> : text,
      )}
    </span>
    {suggestion.about !== undefined && <span className="completion-about">{suggestion.about}</span>}
  </>
);
