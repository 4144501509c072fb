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
import { plural } from "../words/format.ts";
import "./policies.css";

type Listed = ResultOf<"policies/list">;
type Policy = Listed["policies"][number];
type NewPolicy = Omit<ParamsOf<"policies/add">, "commandId">;

const BEHAVIORS = { allow: "Allow without asking", ask: "Always ask", deny: "Deny" } as const;
const STATES = { on: "on", off: "off", "used-up": "used up", expired: "expired" } as const;
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
      title: `Turn on “${policy.name}”?`,
      text: "Matching calls run without a question to you. Each one shows the policy, and you can turn it off at any time.",
      action: "Turn on",
      tone: "danger",
      run: () => run(client.command("policies/add", policy)),
    });
  return (
    <section className="policies" aria-label="Policies">
      <h2>Policies</h2>
      <p className="rules-note">Above the rules of Claude Code, in this folder only. They are off until you add one.</p>
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
  const uses =
    times === undefined ? `used ${plural(used, "time")}` : `used ${String(used)} of ${plural(times, "time")}`;
  return (
    <div className="policy">
      <b>
        <TrueText text={name} />
      </b>{" "}
      <span className="policy-state">{STATES[state]}</span>
      <span className="policy-about">
        {BEHAVIORS[behavior]} · {uses}
        {until === undefined ? "" : ` · until ${new Date(until).toLocaleString()}`}
        {policy.session === undefined ? "" : " · this session only"}
        {outside === true ? " · outside of the folder" : ""}
      </span>
      {rules.length > 0 && (
        <details>
          <summary>{plural(rules.length, "rule")}</summary>
          <code>
            <TrueText text={rules.join("\n")} />
          </code>
        </details>
      )}
      {waiting.length > 0 && state === "on" && (
        <p className="policy-waits">
          {plural(waiting.length, "running session")} started before this policy. There it decides only when Claude Code
          asks. Stop and resume {waiting.length === 1 ? "it" : "them"} to apply it fully.
        </p>
      )}
      {mayChange && (
        <span className="policy-acts">
          {state === "on" || state === "off" ? (
            <Button small onClick={() => onSwitch(state === "off")}>
              {state === "off" ? "Turn on" : "Turn off"}
            </Button>
          ) : (
            <Button small onClick={onRenew}>
              Renew
            </Button>
          )}
          <Button small tone="quiet" onClick={onRemove}>
            Remove
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

const PolicyForm = ({ presets, session, onAdd }: FormProps) => {
  const [kind, setKind] = useState("");
  const [behavior, setBehavior] = useState<keyof typeof BEHAVIORS>("ask");
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
        ? { name: `${BEHAVIORS[behavior]}: ${own.join(", ")}`.slice(0, 200), behavior, rules: own }
        : {
            name: preset.name,
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
      <select className="input" aria-label="New policy" value={kind} onChange={(event) => setKind(event.target.value)}>
        <option value="">New policy…</option>
        {presets.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        <option value="own">By own rules</option>
      </select>
      {preset !== undefined && <p className="rules-note">{preset.about}</p>}
      {kind === "own" && (
        <>
          <select
            className="input"
            aria-label="What it does"
            value={behavior}
            onChange={(event) => setBehavior(event.target.value as keyof typeof BEHAVIORS)}
          >
            {Object.entries(BEHAVIORS).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
          <textarea
            className="input mono"
            aria-label="Rules, one per line"
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
            placeholder="Max uses"
            aria-label="Max uses"
            value={times}
            onChange={(event) => setTimes(event.target.value)}
          />
          <input
            className="input"
            inputMode="decimal"
            placeholder="Hours"
            aria-label="Hours until it ends"
            value={hours}
            onChange={(event) => setHours(event.target.value)}
          />
          {session !== undefined && (
            <label>
              <input type="checkbox" checked={forSession} onChange={(event) => setForSession(event.target.checked)} />
              This session only
            </label>
          )}
          <Button small type="submit" tone="main" disabled={kind === "own" && rules.trim() === ""}>
            Add policy
          </Button>
        </span>
      )}
    </form>
  );
};
