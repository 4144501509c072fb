// The list above the composer during a completion. The textarea keeps the focus; the list shows the selected choice.

import type { FileSuggestion } from "@quarterdeck/client";
import { useEffect, useRef } from "react";
import { Icon, type IconName } from "../parts/icon.tsx";
import type { Completion, Completions } from "./use-completions.ts";
import { pieces } from "./completion.ts";
import type { CommandChoice } from "./slash.ts";
import { WORDS } from "./extra-words.ts";
import "./completion-list.css";

const ICONS: Readonly<Record<FileSuggestion["kind"], IconName>> = {
  file: "file",
  folder: "folder",
  server: "server",
  resource: "link",
  agent: "helm",
};

export interface CompletionListProps {
  readonly id: string;
  readonly choices: Completions;
  readonly active: number;
  readonly onChoose: (choice: Completion) => void;
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
      aria-label={WORDS.completions}
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
      {command.aliases.length > 0 && WORDS.also(command.aliases)}
    </span>
    {command.own !== undefined && <span className="badge">{WORDS.opensHere}</span>}
  </>
);

const FileLine = ({ suggestion }: { readonly suggestion: FileSuggestion }) => (
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
