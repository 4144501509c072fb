// One change of a rule: what it would allow, what is wrong with it, and the file before it is saved.

import { BridgeError, type ResultOf } from "@quarterdeck/client";
import { useId, useRef, useState } from "react";
import { DiffView } from "../content/diff/diff-view.tsx";
import { ChoicesProvider, KeptChoices } from "../content/kept-choices.ts";
import { TrueText } from "../content/text/true-text.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Segments } from "../parts/segments.tsx";
import { useClient } from "../store/client.tsx";
import type { RulesPlace } from "../store/route.ts";
import { useSettled } from "../store/settled.ts";
import { scopeWords } from "../words/scopes.ts";
import { WRITABLE_SCOPES, type WritableScope } from "@quarterdeck/permissions/words";
import { BEHAVIOR_WORDS, fileName, type RuleChange, type RulePlace } from "./rule-list.ts";
import { WORDS } from "./words.ts";
import { fill } from "../parts/fill.tsx";
import { sentence } from "../words/sentences.ts";

export type ChangeKind = "add" | "edit" | "move" | "remove";

export interface RuleDialogProps {
  readonly kind: ChangeKind;
  readonly place: RulesPlace;
  readonly folder: string;
  readonly home: string | undefined;
  /** The rule that is changed. Absent for a new one. */
  readonly from?: RulePlace;
  /** What the fields begin with. */
  readonly begin: RulePlace;
  readonly onClose: () => void;
  readonly onSaved: (saved: ResultOf<"rules/save">, kind: ChangeKind) => void;
}

export const RuleDialog = ({ kind, place, folder, home, from, begin, onClose, onSaved }: RuleDialogProps) => {
  const client = useClient();
  const [to, setTo] = useState(begin);
  const [round, setRound] = useState(0);
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string>();
  const isSaving = useRef(false);
  const [choices] = useState(() => new KeptChoices());
  const ruleName = useId();
  const rule = to.rule.trim();
  const change: RuleChange = {
    ...(from !== undefined && { from }),
    ...(kind !== "remove" && { to: { ...to, rule } }),
  };
  const isSame =
    from !== undefined &&
    from.rule === rule &&
    from.scope === to.scope &&
    from.behavior === to.behavior &&
    kind !== "remove";
  const key = rule === "" || isSame ? undefined : JSON.stringify([change, round]);
  const { value: seen, problem, isCurrent } = useSettled(key, () => client.call("rules/preview", { ...place, change }));
  const changes = seen?.files.some(({ hunks }) => hunks.length > 0) === true;
  const ready = isCurrent && problem === undefined && changes && !saving;

  const save = async (): Promise<void> => {
    if (!ready || seen === undefined || isSaving.current) return;
    isSaving.current = true;
    setSaving(true);
    setFailure(undefined);
    try {
      const hashes = seen.files.map(({ hash }) => hash);
      onSaved(await client.command("rules/save", { ...place, change, hashes }), kind);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
      // The file is another one by now: show what the change would do to it.
      if (error instanceof BridgeError && error.code === "changed") setRound(round + 1);
      setSaving(false);
      isSaving.current = false;
    }
  };

  return (
    <Dialog
      title={WORDS.titles[kind]}
      about={kind === "remove" ? <code className="rule-name">{begin.rule}</code> : undefined}
      onClose={onClose}
      footer={
        <>
          <p className="note" role="status">
            {failure ?? (ready ? whereWords(to.scope, kind) : "")}
          </p>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button
            tone={kind === "remove" ? "danger" : "main"}
            disabled={!ready}
            busy={saving}
            data-autofocus={kind === "remove" ? true : undefined}
            onClick={() => void save()}
          >
            {kind === "remove" ? WORDS.titles.remove : WORDS.save}
          </Button>
        </>
      }
    >
      <div className="rule-form">
        {kind !== "remove" && (
          <>
            <Segments
              label={WORDS.effect}
              value={to.behavior}
              choices={BEHAVIOR_WORDS}
              onChange={(behavior) => setTo({ ...to, behavior })}
            />
            <div className="field">
              <label htmlFor={ruleName} className="label">
                {WORDS.rule}
              </label>
              <input
                id={ruleName}
                className="input mono"
                placeholder="Bash(npm test:*)"
                spellCheck={false}
                autoComplete="off"
                autoCapitalize="off"
                data-autofocus={kind === "move" ? undefined : true}
                value={to.rule}
                aria-invalid={problem !== undefined && isCurrent}
                onChange={(event) => setTo({ ...to, rule: event.target.value })}
                onKeyDown={(event) => {
                  if (event.key === "Enter") void save();
                }}
              />
              <small>{WORDS.ruleHow}</small>
            </div>
            <div className="field">
              <span id={`${ruleName}-where`} className="label">
                {WORDS.savedIn}
              </span>
              <select
                className="input"
                aria-labelledby={`${ruleName}-where`}
                data-autofocus={kind === "move" ? true : undefined}
                value={to.scope}
                onChange={(event) => setTo({ ...to, scope: event.target.value as WritableScope })}
              >
                {WRITABLE_SCOPES.map((scope) => (
                  <option key={scope} value={scope}>
                    {`${scopeWords(scope).name} (${scopeWords(scope).file})`}
                  </option>
                ))}
              </select>
            </div>
          </>
        )}
        {key === undefined ? (
          isSame && <p className="rule-idle">{WORDS.same}</p>
        ) : problem !== undefined && isCurrent ? (
          <p className="flag" role="alert">
            <Icon name="warn" size={14} />
            <span>{problem}</span>
          </p>
        ) : seen === undefined ? (
          <p className="rule-idle">{WORDS.looking}</p>
        ) : (
          <div className={isCurrent ? "" : "rule-stale"}>
            <Effects seen={seen} />
            {seen.files.map((file) => (
              <section key={file.path} className="rule-file" aria-label={WORDS.changesOf(file.path)}>
                <h3>
                  <TrueText text={fileName(file.path, folder, home)} />
                  {file.creates && <small>{WORDS.newFile}</small>}
                </h3>
                {file.hunks.length === 0 ? (
                  <p className="rule-idle">{WORDS.noChange}</p>
                ) : (
                  <ChoicesProvider value={choices}>
                    <DiffView hunks={file.hunks} name={file.path} />
                  </ChoicesProvider>
                )}
              </section>
            ))}
          </div>
        )}
      </div>
    </Dialog>
  );
};

const Effects = ({ seen: { risk, problems, reach, looked } }: { readonly seen: ResultOf<"rules/preview"> }) => (
  <div className="rule-effects">
    {risk !== undefined && (
      <p className="flag">
        <Icon name="warn" size={14} />
        <span>
          <span className="bad">{WORDS.risky}</span> {sentence(risk.words)}
        </span>
      </p>
    )}
    {problems.map(({ words, instead }) => (
      <p key={words} className="flag">
        <Icon name="warn" size={14} />
        <span>
          {sentence(words)}
          {instead !== undefined && <> {fill(WORDS.useInstead, { rule: <code>{instead}</code> })}</>}
        </span>
      </p>
    ))}
    {reach !== undefined && looked.calls > 0 && (
      <p>
        {reach.newly === 0 ? WORDS.reachNone(looked.calls) : WORDS.reach(reach.newly, looked.calls)}
        {reach.newly > 0 && <Examples texts={reach.examples} />}
      </p>
    )}
  </div>
);

const Examples = ({ texts }: { readonly texts: readonly string[] }) =>
  texts.map((text, at) => (
    <span key={text}>
      {at > 0 && WORDS.and}
      <code>
        <TrueText text={text} />
      </code>
    </span>
  ));

const whereWords = (scope: WritableScope, kind: ChangeKind): string =>
  kind === "remove"
    ? ""
    : scope === "userSettings"
      ? WORDS.everywhere
      : scope === "projectSettings"
        ? WORDS.shared
        : "";
