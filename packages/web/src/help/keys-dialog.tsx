// The sheet of keys: all keys by place. Each can be changed, conflicts are shown, and the table can be exported and
// imported.

import { useId, useRef, useState, useSyncExternalStore, type KeyboardEvent } from "react";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { toast } from "../parts/toast.tsx";
import { conflictsOf, exportKeys, importKeys, keysProblem, sameKeys, withKeys } from "./key-rules.ts";
import {
  capsOf,
  defaultKeys,
  KEY_IDS,
  keysOf,
  ownKeys,
  setOwnKeys,
  strokeOf,
  subscribeToKeys,
  whereOf,
  type KeyId,
  type OwnKeys,
} from "../keys/key-table.ts";
import { KEY_WORDS, PLACES, WORDS } from "./key-words.ts";
import "../sessions/dialogs.css";
import "./keys-dialog.css";

/** Says what was done, and takes it back. */
const change = (keys: OwnKeys, words: string): void => {
  const before = ownKeys();
  setOwnKeys(keys);
  toast(words, { action: { label: WORDS.undo, run: () => setOwnKeys(before) } });
};

export const KeysDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const own = useSyncExternalStore(subscribeToKeys, ownKeys);
  const [query, setQuery] = useState("");
  const [editing, setEditing] = useState<KeyId>();
  const [problem, setProblem] = useState<string>();
  const file = useRef<HTMLInputElement>(null);
  const fits = (id: KeyId): boolean => {
    const text = `${KEY_WORDS[id]} ${keysOf(id).flatMap(capsOf).join(" ")} ${keysOf(id).join(" ")}`.toLowerCase();
    return query
      .toLowerCase()
      .split(/\s+/u)
      .every((word) => text.includes(word));
  };
  const take = async (given: File | undefined): Promise<void> => {
    if (given === undefined) return;
    const read = given.size > 1e6 ? { problem: WORDS.tooLarge } : importKeys(await given.text());
    if ("problem" in read) setProblem(WORDS.notImported(read.problem));
    else {
      setProblem(undefined);
      change(read.keys, WORDS.imported);
    }
  };
  const places = PLACES.map(([where, name, about]) => ({
    where,
    name,
    about,
    ids: KEY_IDS.filter((id) => whereOf(id) === where && fits(id)),
  })).filter(({ ids }) => ids.length > 0);
  const clashes = KEY_IDS.filter((id) => conflictsOf(id).length > 0).length;
  return (
    <Dialog
      title={WORDS.title}
      size="wide"
      light
      onClose={onClose}
      footer={
        <>
          <Button small onClick={() => download(exportKeys(own))}>
            {WORDS.export}
          </Button>
          <Button small onClick={() => file.current?.click()}>
            {WORDS.import}
          </Button>
          <input
            ref={file}
            type="file"
            hidden
            accept="application/json,.json"
            aria-label={WORDS.importLabel}
            onChange={(event) => {
              take(event.target.files?.[0]).catch(() => setProblem(WORDS.unreadable));
              event.target.value = "";
            }}
          />
          <Button small disabled={Object.keys(own).length === 0} onClick={() => change({}, WORDS.allReset)}>
            {WORDS.resetAll}
          </Button>
        </>
      }
    >
      <input
        type="search"
        className="input keys-search"
        aria-label={WORDS.search}
        placeholder={WORDS.search}
        data-autofocus
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {problem !== undefined && (
        <p className="keys-problem" role="alert">
          {problem}
        </p>
      )}
      {clashes > 0 && (
        <p className="keys-problem" role="status">
          {WORDS.clashes}
        </p>
      )}
      {places.length === 0 && <p className="settings-note">{WORDS.nothing}</p>}
      {places.map(({ where, name, about, ids }) => (
        <section key={where} className="keys-place">
          <h3>{name}</h3>
          {about !== "" && <p className="settings-note">{about}</p>}
          <table className="keys-table">
            <tbody>
              {ids.map((id) => (
                <Line
                  key={id}
                  id={id}
                  isEditing={editing === id}
                  onEdit={() => setEditing(id)}
                  onEnd={() => setEditing(undefined)}
                />
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </Dialog>
  );
};

const download = (text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "quarterdeck-keys.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

interface LineProps {
  readonly id: KeyId;
  readonly isEditing: boolean;
  readonly onEdit: () => void;
  readonly onEnd: () => void;
}

const Line = ({ id, isEditing, onEdit, onEnd }: LineProps) => {
  const button = useRef<HTMLButtonElement>(null);
  const keys = keysOf(id);
  const isOwn = !sameKeys(keys, defaultKeys(id));
  const conflicts = conflictsOf(id);
  const end = (): void => {
    onEnd();
    requestAnimationFrame(() => button.current?.focus());
  };
  return (
    <tr className={isOwn ? "keys-own" : ""}>
      <th scope="row">{isEditing ? <Recorder id={id} onEnd={end} /> : <Caps keys={keys} />}</th>
      <td>
        {KEY_WORDS[id]}
        {conflicts.length > 0 && (
          <span className="keys-clash">
            <Badge tone="stop">{WORDS.conflict}</Badge>{" "}
            {WORDS.alsoFor(conflicts.map((other) => KEY_WORDS[other]).join(WORDS.between))}
          </span>
        )}
      </td>
      <td className="keys-acts">
        {isOwn && (
          <Button
            small
            tone="quiet"
            aria-label={WORDS.resetLabel(KEY_WORDS[id])}
            onClick={() => change(withKeys(ownKeys(), id, undefined), WORDS.wasReset(KEY_WORDS[id]))}
          >
            {WORDS.reset}
          </Button>
        )}
        {!isEditing && (
          <button
            ref={button}
            type="button"
            className="btn btn-quiet btn-small"
            aria-label={WORDS.changeLabel(KEY_WORDS[id])}
            onClick={onEdit}
          >
            {WORDS.change}
          </button>
        )}
      </td>
    </tr>
  );
};

const Caps = ({ keys }: { readonly keys: readonly string[] }) =>
  keys.length === 0 ? (
    <span className="keys-none">{WORDS.none}</span>
  ) : (
    keys.map((each, at) => (
      <span key={each}>
        {at > 0 && <span className="keys-none"> {WORDS.or} </span>}
        <kbd>{capsOf(each).join(" ")}</kbd>
      </span>
    ))
  );

/** Keys that only change others. */
const ALONE = new Set(["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Unidentified", "Process"]);

/** Two presses without Ctrl or Alt are keys of two parts; another press begins again. */
const recorded = (before: string, stroke: string, isPage: boolean): string =>
  isPage && before !== "" && !before.includes(" ") && !/\+./u.test(before) ? `${before} ${stroke}` : stroke;

const Recorder = ({ id, onEnd }: { readonly id: KeyId; readonly onEnd: () => void }) => {
  const note = useId();
  const [typed, setTyped] = useState("");
  const where = whereOf(id);
  const problem = typed === "" ? undefined : keysProblem(typed, where);
  const conflicts = typed === "" || problem !== undefined ? [] : conflictsOf(id, [typed]);
  const save = (keys: readonly string[]): void => {
    setOwnKeys(withKeys(ownKeys(), id, keys));
    onEnd();
  };
  const onKey = (event: KeyboardEvent): void => {
    // Tab leaves the field, as everywhere.
    if (ALONE.has(event.key) || event.nativeEvent.isComposing || (event.key === "Tab" && !event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") onEnd();
    else if (event.key === "Enter" && typed !== "" && strokeOf(event) === "Enter") {
      if (problem === undefined) save([typed]);
    } else setTyped(recorded(typed, strokeOf(event), where === "page"));
  };
  return (
    <span className="keys-recorder">
      <input
        className="input"
        aria-label={WORDS.keysFor(KEY_WORDS[id])}
        aria-describedby={note}
        autoFocus
        readOnly
        value={typed === "" ? "" : capsOf(typed).join(" ")}
        placeholder={WORDS.press}
        onKeyDown={onKey}
      />
      <span className="row">
        <Button small tone="main" disabled={typed === "" || problem !== undefined} onClick={() => save([typed])}>
          {WORDS.save}
        </Button>
        <Button small tone="quiet" onClick={() => save([])}>
          {WORDS.noKeys}
        </Button>
        <Button small tone="quiet" onClick={onEnd}>
          {WORDS.cancel}
        </Button>
      </span>
      <span id={note} role="status" className="keys-note">
        {problem ??
          (conflicts.length > 0
            ? WORDS.used(conflicts.map((other) => KEY_WORDS[other]).join(WORDS.between))
            : WORDS.how)}
      </span>
    </span>
  );
};
