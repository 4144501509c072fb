// Policies of the host: what they do, how often they did, and a switch for each. New ones start from a preset or from rules.

import type { ParamsOf, ResultOf } from "@quarterdeck/client";
import { needs } from "@quarterdeck/client/policy";
import { useCallback, useEffect, useState, type FormEvent } from "react";
import { TrueText } from "../content/text/true-text.tsx";
import { Button } from "../parts/button.tsx";
import { toastError } from "../parts/toast.tsx";
import { useClient } from "../store/client.tsx";
import { may } from "../store/may.ts";
import type { RulesPlace } from "../store/route.ts";
import { afterConfirm } from "../store/surfaces.ts";
import { WORDS } from "./words.ts";
import { locale } from "../words/language.ts";
import "./policies.css";

type Listed = ResultOf<"policies/list">;
type Policy = Listed["policies"][number];
type NewPolicy = Omit<ParamsOf<"policies/add">, "commandId">;

type Behavior = keyof typeof WORDS.behaviors;
const HOUR = 3_600_000;

/** `folder` is a real path, `place` may name a session. */
export const Policies = ({ folder, place }: { readonly folder: string; readonly place: RulesPlace | undefined }) => {
  const client = useClient();
  const [listed, setListed] = useState<Listed>();
  const [problem, setProblem] = useState<string>();
  const mayChange = may(client, "policies/change");
  const session = place?.session;
  const load = useCallback(async (): Promise<void> => {
    try {
      setListed(await client.call("policies/list", { cwd: folder, ...(session !== undefined && { session }) }));
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, [client, folder, session]);
  useEffect(() => void load(), [load]);
  if (!may(client, "policies/list")) return null;
  const run = (work: Promise<unknown>): void => void work.then(load, toastError);
  const add = (policy: NewPolicy): void =>
    afterConfirm(needs("policies/add", policy), {
      title: WORDS.turnOnTitle(policy.name),
      text: WORDS.turnOnText,
      action: WORDS.turnOn,
      tone: "danger",
      run: () => run(client.command("policies/add", policy)),
    });
  return (
    <section className="policies" aria-label={WORDS.policies}>
      <h2>{WORDS.policies}</h2>
      <p className="rules-note">{WORDS.policiesHow}</p>
      {problem !== undefined && (
        <p className="rules-failed" role="alert">
          {problem}
        </p>
      )}
      <ul>
        {listed?.policies.map((policy) => (
          <li key={policy.id}>
            <PolicyLine
              policy={policy}
              mayChange={mayChange}
              onSwitch={(isOn) => run(client.command("policies/change", { id: policy.id, isOn }))}
              onRenew={() => run(client.command("policies/change", { id: policy.id, ...renewedLimit(policy) }))}
              onRemove={() => run(client.command("policies/remove", { id: policy.id }))}
            />
          </li>
        ))}
      </ul>
      {mayChange && listed !== undefined && (
        <PolicyForm
          presets={listed.presets}
          session={session}
          onAdd={(policy, forSession) =>
            add({ ...policy, ...(forSession && session !== undefined ? { session } : { folder }) })
          }
        />
      )}
    </section>
  );
};

/** The same limits again, counted from now. */
const renewedLimit = ({ times, until, createdAt }: Policy): { times?: number; until?: number } => ({
  ...(times !== undefined && { times }),
  ...(until !== undefined && { until: Date.now() + Math.max(until - createdAt, HOUR) }),
});

interface LineProps {
  readonly policy: Policy;
  readonly mayChange: boolean;
  readonly onSwitch: (isOn: boolean) => void;
  readonly onRenew: () => void;
  readonly onRemove: () => void;
}

const PolicyLine = ({ policy, mayChange, onSwitch, onRenew, onRemove }: LineProps) => {
  const { name, behavior, rules, outside, state, used, times, until, waiting } = policy;
  const about = [
    WORDS.behaviors[behavior],
    WORDS.usedTimes(used, times),
    ...(until === undefined ? [] : [WORDS.until(new Date(until).toLocaleString(locale))]),
    ...(policy.session === undefined ? [] : [WORDS.sessionOnly]),
    ...(outside === true ? [WORDS.outside] : []),
  ];
  return (
    <div className="policy">
      <b>
        <TrueText text={name} />
      </b>{" "}
      <span className="policy-state">{WORDS.states[state]}</span>
      <span className="policy-about">{about.join(" · ")}</span>
      {rules.length > 0 && (
        <details>
          <summary>{WORDS.rulesCount(rules.length)}</summary>
          <code>
            <TrueText text={rules.join("\n")} />
          </code>
        </details>
      )}
      {waiting.length > 0 && state === "on" && <p className="policy-waits">{WORDS.waits(waiting.length)}</p>}
      {mayChange && (
        <span className="policy-acts">
          {state === "on" || state === "off" ? (
            <Button small onClick={() => onSwitch(state === "off")}>
              {state === "off" ? WORDS.turnOn : WORDS.turnOff}
            </Button>
          ) : (
            <Button small onClick={onRenew}>
              {WORDS.renew}
            </Button>
          )}
          <Button small tone="quiet" onClick={onRemove}>
            {WORDS.remove}
          </Button>
        </span>
      )}
    </div>
  );
};

interface FormProps {
  readonly presets: Listed["presets"];
  readonly session: string | undefined;
  readonly onAdd: (policy: NewPolicy, forSession: boolean) => void;
}

/** Presets have texts by id. One of a newer server has only its own. */
const presetWords = (preset: Listed["presets"][number]): { readonly name: string; readonly about: string } =>
  Object.hasOwn(WORDS.presets, preset.id) ? WORDS.presets[preset.id]! : preset;

const PolicyForm = ({ presets, session, onAdd }: FormProps) => {
  const [kind, setKind] = useState("");
  const [behavior, setBehavior] = useState<Behavior>("ask");
  const [rules, setRules] = useState("");
  const [times, setTimes] = useState("");
  const [hours, setHours] = useState("");
  const [forSession, setForSession] = useState(false);
  const preset = presets.find(({ id }) => id === kind);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const own = rules.split("\n").flatMap((line) => line.trim() || []);
    const base =
      preset === undefined
        ? { name: WORDS.policyName(WORDS.behaviors[behavior], own).slice(0, 200), behavior, rules: own }
        : {
            name: presetWords(preset).name,
            behavior: preset.behavior,
            rules: preset.rules,
            ...(preset.outside === true && { outside: true as const }),
          };
    onAdd(
      {
        ...base,
        ...(Number(times) > 0 && { times: Math.floor(Number(times)) }),
        ...(Number(hours) > 0 && { until: Date.now() + Number(hours) * HOUR }),
      },
      forSession,
    );
    setKind("");
    setRules("");
    setTimes("");
    setHours("");
  };
  return (
    <form className="policy-form" onSubmit={submit}>
      <select
        className="input"
        aria-label={WORDS.newPolicy}
        value={kind}
        onChange={(event) => setKind(event.target.value)}
      >
        <option value="">{WORDS.newPolicyHow}</option>
        {presets.map((each) => (
          <option key={each.id} value={each.id}>
            {presetWords(each).name}
          </option>
        ))}
        <option value="own">{WORDS.ownRules}</option>
      </select>
      {preset !== undefined && <p className="rules-note">{presetWords(preset).about}</p>}
      {kind === "own" && (
        <>
          <select
            className="input"
            aria-label={WORDS.does}
            value={behavior}
            onChange={(event) => setBehavior(event.target.value as Behavior)}
          >
            {Object.entries(WORDS.behaviors).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
          <textarea
            className="input mono"
            aria-label={WORDS.rulesHow}
            placeholder="Bash(git push:*)"
            value={rules}
            onChange={(event) => setRules(event.target.value)}
          />
        </>
      )}
      {kind !== "" && (
        <span className="policy-limits">
          <input
            className="input"
            inputMode="numeric"
            placeholder={WORDS.maxUses}
            aria-label={WORDS.maxUses}
            value={times}
            onChange={(event) => setTimes(event.target.value)}
          />
          <input
            className="input"
            inputMode="decimal"
            placeholder={WORDS.hours}
            aria-label={WORDS.hoursHow}
            value={hours}
            onChange={(event) => setHours(event.target.value)}
          />
          {session !== undefined && (
            <label>
              <input type="checkbox" checked={forSession} onChange={(event) => setForSession(event.target.checked)} />
              {WORDS.forSession}
            </label>
          )}
          <Button small type="submit" tone="main" disabled={kind === "own" && rules.trim() === ""}>
            {WORDS.addPolicy}
          </Button>
        </span>
      )}
    </form>
  );
};
