// Settings of the session: what holds now, and what can be changed while it runs. Values come from the head, so a change that another
// device makes is shown here too.

import type { Client, ResultOf } from "@quarterdeck/client";
import { useEffect, useId, useState, type ReactNode } from "react";
import { setMode, setModel } from "../../composer/pickers.tsx";
import { AmountField } from "../../budget/amount-field.tsx";
import { useBudget } from "../../budget/budget.ts";
import { Button } from "../../parts/button.tsx";
import { Segments } from "../../parts/segments.tsx";
import { toastError } from "../../parts/toast.tsx";
import { useClient, useServerInfo } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { SERVER_HREF } from "../../store/route.ts";
import { useHead } from "../../store/session.ts";
import { openSurface } from "../../store/surfaces.ts";
import { formatCost, formatCount, shortPath } from "../../words/format.ts";
import { MODE_LIST, modelName } from "../../words/names.ts";
import { byKey } from "../../words/by-key.ts";
import type { TabProps } from "../tab.ts";
import { requestOf, useRequest } from "../use-request.ts";
import { Defaults } from "./defaults.tsx";
import { canTurnOnFast, fastWords, allowedFolders, priceOf, shownOf } from "./settings-model.ts";
import { WORDS } from "./words.ts";
import { fill } from "../../parts/fill.tsx";
import "../panel.css";
import "./settings.css";

type SessionSettings = ResultOf<"session/settings">;

export const SettingsTab = ({ view }: TabProps) => {
  const client = useClient();
  const head = useHead(view);
  const home = useServerInfo()?.machine.home;
  const isLive = head.process?.running === true;
  const { about, model: modelId, gauges } = head;
  const kept = useStarted(client, view.id, `${modelId ?? ""} ${String(isLive)}`);
  const started = kept?.started;
  const mayAsk = may(client, "session/request", { request: { subtype: "get_settings" } });
  const again = JSON.stringify([modelId, gauges.turns, about["effort"], about["outputStyle"], about["fastMode"]]);
  const { answer, problem } = useRequest(client, view.id, "get_settings", isLive && mayAsk, again);
  const { answer: rules } = useRequest(client, view.id, "list_permission_rules", isLive, gauges.turns);
  const { budget, reload } = useBudget(client, view.id, `${gauges.costUsd} ${head.budget?.limitUsd ?? ""}`);
  const shown = shownOf(head, answer, started);
  const canSteer = isLive && answer !== undefined && maySet(client, { effortLevel: "high" });
  const price = priceOf(shown.model?.about);
  const apply = (settings: Readonly<Record<string, unknown>>): void => {
    requestOf(client, view.id, { subtype: "apply_flag_settings", settings }).catch(toastError);
  };
  const folders = allowedFolders(rules, kept?.cwd ?? head.cwd, started);
  return (
    <div className="bench-scroll" tabIndex={0} role="region" aria-label={WORDS.settings}>
      {!isLive && <p className="panel-note">{WORDS.ended}</p>}
      {isLive && mayAsk && problem !== undefined && (
        <p className="panel-note">{WORDS.notReported(head.cliVersion ?? WORDS.unknownVersion)}</p>
      )}
      <section className="section">
        <h3>{WORDS.thisSession}</h3>
        <dl className="set-rows">
          <Row name={WORDS.model}>
            {(id) => (
              <>
                <select
                  id={id}
                  className="input"
                  value={shown.model?.value ?? ""}
                  disabled={!may(client, "session/setModel")}
                  onChange={(event) => void setModel(client, view.id, event.target.value).catch(toastError)}
                >
                  {shown.model === undefined && <option value="">{modelName(modelId)}</option>}
                  {shown.models.map(({ value, name }) => (
                    <option key={value} value={value}>
                      {name}
                    </option>
                  ))}
                </select>
                <p className="set-about">
                  {modelId !== undefined && <code>{modelId}</code>}
                  {price !== undefined ? ` · ${price}` : WORDS.noPrice}
                </p>
              </>
            )}
          </Row>
          <Row name={WORDS.effort}>
            {(id) =>
              shown.efforts.length > 0 && canSteer ? (
                <select
                  id={id}
                  className="input"
                  value={shown.effort ?? ""}
                  onChange={(event) => apply({ effortLevel: event.target.value })}
                >
                  {shown.effort === undefined && <option value="">{WORDS.default}</option>}
                  {shown.efforts.map((level) => (
                    <option key={level} value={level}>
                      {byKey(WORDS.efforts, level)}
                    </option>
                  ))}
                </select>
              ) : (
                <p id={id}>
                  {shown.effort === undefined ? WORDS.default : byKey(WORDS.efforts, shown.effort)}
                  {shown.efforts.length === 0 && <span className="set-about">{WORDS.noEfforts}</span>}
                </p>
              )
            }
          </Row>
          <Row name={WORDS.mode}>
            {(id) => (
              <select
                id={id}
                className="input"
                value={head.mode ?? "default"}
                disabled={!may(client, "session/setPermissionMode", { mode: "default" })}
                onChange={(event) => setMode(client, view.id, event.target.value)}
              >
                {MODE_LIST.map(({ mode, name }) => (
                  <option
                    key={mode}
                    value={mode}
                    disabled={
                      !may(client, "session/setPermissionMode", { mode }) ||
                      (mode === "bypassPermissions" && head.process?.canBypass !== true && mode !== head.mode)
                    }
                  >
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Row>
          <Thinking
            client={client}
            session={view.id}
            isLive={isLive}
            thinking={shown.thinking}
            canStop={shown.canStopThinking}
          />
          <div className="set-row">
            <dt>{WORDS.fast}</dt>
            <dd>
              {canSteer && canTurnOnFast(shown) ? (
                <Segments
                  label={WORDS.fast}
                  value={shown.fastMode === "on" || shown.fastMode === "cooldown" ? "on" : "off"}
                  choices={{ off: WORDS.off, on: WORDS.on }}
                  onChange={(value) => apply({ fastMode: value === "on" })}
                />
              ) : (
                <span>{byKey(WORDS.fastStates, shown.fastMode ?? "off")}</span>
              )}
              <p className="set-about">{fastWords(shown)}</p>
            </dd>
          </div>
          <Row name={WORDS.style}>
            {(id) =>
              canSteer && shown.outputStyles.length > 0 && maySet(client, { outputStyle: "default" }) ? (
                <select
                  id={id}
                  className="input"
                  value={shown.outputStyle ?? "default"}
                  onChange={(event) => apply({ outputStyle: event.target.value })}
                >
                  {[...new Set([shown.outputStyle ?? "default", ...shown.outputStyles])].map((style) => (
                    <option key={style} value={style}>
                      {style}
                    </option>
                  ))}
                </select>
              ) : (
                <p id={id}>{shown.outputStyle ?? "default"}</p>
              )
            }
          </Row>
        </dl>
      </section>
      <section className="section">
        <h3>
          {WORDS.folders} <span className="num">{folders.length}</span>
        </h3>
        <ul className="set-paths">
          {folders.map(({ path, from }) => (
            <li key={path}>
              <code>{shortPath(path, home)}</code> <span className="set-about">{from}</span>
            </li>
          ))}
        </ul>
        <p className="set-about">
          {kept?.withoutFolderSettings === true && WORDS.withoutFolder}
          {isLive && fill(WORDS.addFolder, { command: <code>/add-dir</code> })}
        </p>
      </section>
      <section className="section">
        <h3>{WORDS.limits}</h3>
        <dl className="set-rows">
          <div className="set-row">
            <dt>{WORDS.spent}</dt>
            <dd className="num">
              {spentWords(budget?.session?.spentUsd ?? gauges.costUsd, budget?.session?.limitUsd)}
            </dd>
          </div>
          <div className="set-row">
            <dt>{WORDS.budget}</dt>
            <dd>
              <AmountField
                label={WORDS.budgetField}
                value={budget?.session?.limitUsd}
                disabled={!may(client, "budgets/set", { limitUsd: 1 })}
                onSave={(limitUsd) => client.command("budgets/set", { session: view.id, limitUsd }).then(reload)}
              />
              <p className="set-about">
                {WORDS.budgetAbout}
                {budget?.dayUsd !== undefined &&
                  WORDS.spentToday(formatCost(budget.spentTodayUsd), formatCost(budget.dayUsd))}
              </p>
            </dd>
          </div>
          <div className="set-row">
            <dt>{WORDS.maxTurns}</dt>
            <dd>{started?.maxTurns ?? WORDS.noLimit}</dd>
          </div>
          <div className="set-row">
            <dt>{WORDS.maxCost}</dt>
            <dd>{started?.maxBudgetUsd === undefined ? WORDS.noLimit : formatCost(started.maxBudgetUsd)}</dd>
          </div>
          <div className="set-row">
            <dt>{WORDS.disallowed}</dt>
            <dd>{started?.disallowedTools?.join(", ") ?? WORDS.none}</dd>
          </div>
        </dl>
      </section>
      <section className="section">
        <h3>{WORDS.newSessions}</h3>
        <Defaults
          cwd={kept?.cwd ?? head.cwd}
          models={shown.models}
          now={{
            ...(shown.model !== undefined && { model: shown.model.value }),
            ...(shown.effort !== undefined && { effort: shown.effort }),
            ...(head.mode !== undefined && { permissionMode: head.mode }),
          }}
        />
      </section>
      <p className="panel-note">
        <Button small onClick={() => openSurface({ kind: "settings" })}>
          {WORDS.ofBrowser}
        </Button>{" "}
        {may(client, "server/settings") && (
          <a className="btn btn-plain btn-small" href={SERVER_HREF}>
            {WORDS.ofServer}
          </a>
        )}
      </p>
    </div>
  );
};

const spentWords = (spent: number, limit: number | undefined): string =>
  limit === undefined ? formatCost(spent) : WORDS.ofLimit(formatCost(spent), formatCost(limit));

const maySet = (client: Client, settings: Readonly<Record<string, unknown>>): boolean =>
  may(client, "session/request", { request: { subtype: "apply_flag_settings", settings } });

const useStarted = (client: Client, session: string, again: string): SessionSettings | undefined => {
  const [found, setFound] = useState<SessionSettings>();
  useEffect(() => {
    // A terminal's session was not started by us. Then only the head is shown.
    client.call("session/settings", { session }).then(setFound, () => setFound(undefined));
  }, [client, session, again]);
  return found;
};

/** A name and its field. The children get the id that the name labels. */
const Row = ({ name, children }: { readonly name: string; readonly children: (id: string) => ReactNode }) => {
  const id = useId();
  return (
    <div className="set-row">
      <dt>
        <label htmlFor={id}>{name}</label>
      </dt>
      <dd>{children(id)}</dd>
    </div>
  );
};

interface ThinkingProps {
  readonly client: Client;
  readonly session: string;
  readonly isLive: boolean;
  readonly thinking: number | null | undefined;
  readonly canStop: boolean;
}

const THINKING = WORDS.thinkingChoices;
const WITHOUT_OFF: Readonly<Record<string, string>> = { auto: THINKING.auto, max: THINKING.max };
const FIRST_TOKENS = 8000;

const Thinking = ({ client, session, isLive, thinking, canStop }: ThinkingProps) => {
  const choice = thinking == null ? "auto" : thinking === 0 ? "off" : "max";
  const [text, setText] = useState(String(thinking ?? FIRST_TOKENS));
  useEffect(() => {
    if (typeof thinking === "number" && thinking > 0) setText(String(thinking));
  }, [thinking]);
  const tokens = Math.floor(Number(text));
  const set = (maxTokens: number | null): void =>
    void client.command("session/setThinking", { session, maxTokens }).catch(toastError);
  const isOff = !isLive || !may(client, "session/setThinking");
  return (
    <div className="set-row">
      <dt>{WORDS.thinking}</dt>
      <dd>
        {isOff ? (
          <span>{choice === "max" ? WORDS.atMost(formatCount(thinking ?? 0)) : WORDS.thinkingNow[choice]}</span>
        ) : (
          <>
            <Segments<string>
              label={WORDS.thinking}
              value={choice}
              choices={canStop || choice === "off" ? THINKING : WITHOUT_OFF}
              onChange={(next) => set(next === "auto" ? null : next === "off" ? 0 : tokens > 0 ? tokens : FIRST_TOKENS)}
            />
            {choice === "max" && (
              <form
                className="set-amount"
                onSubmit={(event) => {
                  event.preventDefault();
                  if (tokens > 0) set(tokens);
                }}
              >
                <input
                  className="input num"
                  aria-label={WORDS.maxThinking}
                  inputMode="numeric"
                  value={text}
                  onChange={(event) => setText(event.target.value)}
                />
                <Button small type="submit" disabled={!(tokens > 0) || tokens === thinking}>
                  {WORDS.set}
                </Button>
              </form>
            )}
          </>
        )}
        {!canStop && <p className="set-about">{WORDS.cannotStop}</p>}
      </dd>
    </div>
  );
};
