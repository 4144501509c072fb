// The command palette: actions, sessions, files, commands and settings in one list. A combobox: the focus stays in the field,
// and the list shows which item Enter chooses.

import type { Client, SessionView, FileSuggestion } from "@quarterdeck/client";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { flushSync } from "react-dom";
import { actionsFor, actionContextOf } from "../actions/action-list.ts";
import { openSearch } from "../actions/open-search.ts";
import { pieces } from "../composer/completion.ts";
import { runOwnCommand } from "../composer/own-command.ts";
import { commandChoices, offeredCommands, type CommandChoice } from "../composer/slash.ts";
import { capsOf, isKey, isKeyId, keysOf } from "../keys/key-table.ts";
import { useFocusBack } from "../parts/focus-back.ts";
import { Icon } from "../parts/icon.tsx";
import { useClient, useSessionList, useSessionView } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { useNow } from "../store/now.ts";
import { go, hrefOf, useRoute } from "../store/route.ts";
import { showInBench } from "../store/workbench.ts";
import { insertCommand, openModels } from "./insert-command.ts";
import {
  actionItems,
  commandItems,
  fileItems,
  itemGroupsOf,
  ITEM_KINDS,
  sessionItems,
  THIS_SESSION,
  type FoundItem,
  type Item,
  type ItemKind,
} from "./palette-items.ts";
import { noteUse, readRecent } from "./recent.ts";
import { WORDS } from "./words.ts";
import "./palette.css";

const PAUSE_MS = 60;

/** Files of the session's folder. Until others arrive, the last ones stay. */
const useFiles = (client: Client, session: string | undefined, query: string): readonly FileSuggestion[] => {
  const [found, setFound] = useState<readonly FileSuggestion[]>([]);
  useEffect(() => {
    if (session === undefined || query === "") {
      setFound([]);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      client
        .call("files/suggest", { session, query, limit: 30 }, { signal: stop.signal })
        .then(({ suggestions }) => setFound(suggestions))
        // Offline, or the person typed more. The rest of the palette still works.
        .catch(() => undefined);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, session, query]);
  return found;
};

const commandsOf = (client: Client, view: SessionView | undefined): readonly CommandChoice[] => {
  if (view === undefined || document.querySelector("#composer") === null) return [];
  const { commands } = view.snapshot.head;
  return offeredCommands(commandChoices(commands), (name) =>
    may(client, "session/prompt", { content: `/${name}` }, { commands }),
  );
};

const runCommand = (client: Client, session: string, { name, own, hint }: CommandChoice): void => {
  if (own === undefined || hint.startsWith("<")) insertCommand(name);
  else runOwnCommand(own, "", { client, session, openModels, askAside: () => insertCommand(name) });
};

const useItems = (client: Client, view: SessionView | undefined, query: string): readonly Item[] => {
  const { status, sessions: latest } = useSessionList();
  const now = useNow();
  const files = useFiles(client, view?.id, query);
  // Taken when the palette opens, so that items do not move while a person chooses.
  const [fixed, setFixed] = useState<{ readonly sessions: typeof latest; readonly now: number }>();
  if (fixed === undefined && status === "ready") setFixed({ sessions: latest, now });
  const others = useMemo(() => {
    const context = actionContextOf(client, view);
    const actions = actionItems(actionsFor(context), (action) => action.run(context));
    const isHere = ({ group }: Item): boolean => group === THIS_SESSION;
    return [
      ...actions.filter(isHere),
      ...sessionItems(fixed?.sessions ?? [], view?.id, fixed?.now ?? 0, (id) => go(hrefOf(id))),
      ...actions.filter((item) => !isHere(item)),
      ...commandItems(commandsOf(client, view), (command) => runCommand(client, view!.id, command)),
    ];
  }, [client, view, fixed]);
  return useMemo(
    () => [...others, ...fileItems(files, (path) => showInBench({ tab: "files", path }))],
    [others, files],
  );
};

export const Palette = ({ onClose }: { readonly onClose: () => void }) => {
  const client = useClient();
  const route = useRoute();
  const view = useSessionView(route.screen === "session" ? route.id : undefined);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [query, setQuery] = useState("");
  const [kind, setKind] = useState<"all" | ItemKind>("all");
  const [active, setActive] = useState(0);
  const [recent] = useState(readRecent);
  const wanted = query.trim();
  const items = useItems(client, view, wanted);
  const groups = useMemo(() => itemGroupsOf(items, { query: wanted, kind, recent }), [items, wanted, kind, recent]);
  const options = groups.flatMap(({ found }) => found);
  const at = Math.min(active, options.length - 1);

  useFocusBack();
  useEffect(() => {
    const { current } = dialog;
    current?.showModal();
    current?.querySelector("input")?.focus();
    return () => current?.close();
  }, []);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at, groups]);

  /** Closes the dialog and restores the focus before the action runs. */
  const leave = (run: () => void): void => {
    flushSync(onClose);
    run();
  };
  const choose = (found: FoundItem | undefined): void => {
    if (found === undefined) return;
    noteUse(found.item.id);
    leave(found.item.run);
  };
  const search = (): void => leave(() => openSearch(query.trim()));
  const turn = (by: number): void => {
    const next = (ITEM_KINDS.indexOf(kind) + by + ITEM_KINDS.length) % ITEM_KINDS.length;
    setKind(ITEM_KINDS[next]!);
    setActive(0);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const use = (run: () => void): void => {
      event.preventDefault();
      run();
    };
    if (isKey("palette", event)) use(onClose);
    else if (event.key === "ArrowDown") use(() => setActive(options.length === 0 ? 0 : (at + 1) % options.length));
    else if (event.key === "ArrowUp") use(() => setActive(at <= 0 ? Math.max(0, options.length - 1) : at - 1));
    else if (event.key === "Tab") use(() => turn(event.shiftKey ? -1 : 1));
    else if (event.key === "Enter") use(() => (event.ctrlKey || event.metaKey ? search() : choose(options[at])));
  };

  const nothing =
    kind === "files" && view === undefined
      ? WORDS.openForFiles
      : kind === "files" && wanted === ""
        ? WORDS.typeFile
        : kind === "commands" && options.length === 0 && wanted === ""
          ? WORDS.openForCommands
          : kind === "all"
            ? WORDS.none(wanted)
            : WORDS.noneOf(WORDS.kinds[kind], wanted);
  let index = -1;
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={WORDS.title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="palette-in" onKeyDown={onKey}>
        <div className="palette-field">
          <Icon name="search" size={18} />
          <input
            type="text"
            role="combobox"
            aria-label={WORDS.label}
            aria-expanded={options.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={200}
            placeholder={WORDS.placeholder}
            enterKeyHint="go"
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setActive(0);
            }}
          />
          <button type="button" className="palette-close" tabIndex={-1} onClick={onClose}>
            <span className="sr-only">{WORDS.close} </span>
            <kbd>Esc</kbd>
            <Icon name="close" size={18} />
          </button>
        </div>
        <div className="palette-kinds" role="group" aria-label={WORDS.kindsLabel}>
          {ITEM_KINDS.map((each) => (
            <button
              key={each}
              type="button"
              tabIndex={-1}
              aria-pressed={kind === each}
              // Keeps the focus, and a phone's keyboard, in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => {
                setKind(each);
                setActive(0);
              }}
            >
              {WORDS.kinds[each]}
            </button>
          ))}
        </div>
        <div
          ref={list}
          id={`${id}-list`}
          className="palette-list"
          role="listbox"
          aria-label={WORDS.results}
          tabIndex={-1}
          onMouseDown={(event) => event.preventDefault()}
        >
          {groups.map((group) => (
            <div key={group.name} role="group" aria-label={group.name}>
              <p className="palette-group" aria-hidden="true">
                {group.name}
              </p>
              {group.found.map((found) => {
                index += 1;
                const here = index;
                return (
                  <div
                    key={found.item.id}
                    id={`${id}-${here}`}
                    role="option"
                    className="palette-item"
                    aria-selected={here === at}
                    onClick={() => choose(found)}
                    onPointerMove={() => {
                      if (here !== at) setActive(here);
                    }}
                  >
                    <Line found={found} />
                  </div>
                );
              })}
            </div>
          ))}
        </div>
        {options.length === 0 && <p className="palette-none">{nothing}</p>}
        <p className="sr-only" role="status">
          {WORDS.count(options.length)}
        </p>
        <footer className="palette-foot">
          <span className="palette-hints" aria-hidden="true">
            <span>
              <kbd>↑</kbd> <kbd>↓</kbd> {WORDS.move}
            </span>
            <span>
              <kbd>↵</kbd> {WORDS.open}
            </span>
            <span>
              <kbd>Tab</kbd> {WORDS.next}
            </span>
          </span>
          <button type="button" className="palette-full" tabIndex={-1} onClick={search}>
            {query.trim() === "" ? WORDS.searchAll : WORDS.search(query.trim())}{" "}
            <kbd>{capsOf("Mod+Enter").join(" ")}</kbd>
          </button>
        </footer>
      </div>
    </dialog>
  );
};

const Line = ({ found: { item, marks } }: { readonly found: FoundItem }) => {
  const keys = item.action !== undefined && isKeyId(item.action) ? keysOf(item.action)[0] : undefined;
  return (
    <>
      <Icon name={item.icon} />
      <span className={`palette-title ${item.mono === true ? "mono" : ""}`}>
        {pieces(item.title, marks).map(({ text, match }, at) => (match ? <mark key={at}>{text}</mark> : text))}
      </span>
      {item.about !== "" && (
        <span className={`palette-about ${item.waits === true ? "palette-waits" : ""}`}>{item.about}</span>
      )}
      {keys !== undefined && (
        <span className="palette-keys">
          {capsOf(keys).map((cap) => (
            <kbd key={cap}>{cap}</kbd>
          ))}
        </span>
      )}
    </>
  );
};
