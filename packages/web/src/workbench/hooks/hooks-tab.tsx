// Hooks: which are configured and where, and what fired in this session.

import type { HookRow } from "@quarterdeck/client";
import { useClient, useSnapshot } from "../../store/client.tsx";
import { useHead } from "../../store/session.ts";
import { hrefOf } from "../../store/route.ts";
import { Dot } from "../../parts/badge.tsx";
import { TrueText } from "../../content/text/true-text.tsx";
import { Output } from "../../content/text/output.tsx";
import { formatLength, formatTime } from "../../words/format.ts";
import { byKey } from "../../words/by-key.ts";
import type { TabProps } from "../tab.ts";
import { fieldsOf, listOf, textOf, type Fields } from "../../content/fields.ts";
import { useRequest } from "../use-request.ts";
import { hookEffects } from "./hook-words.ts";
import { WORDS } from "./words.ts";
import "../panel.css";
import "./hooks.css";

export const HooksTab = ({ view }: TabProps) => {
  const client = useClient();
  const isLive = useHead(view).process?.running === true;
  const { answer, problem } = useRequest(client, view.id, "get_hooks_listing", isLive);
  const fired = useSnapshot(view).rows.filter((row): row is HookRow => row.kind === "hook");
  const events = new Map(
    listOf(answer?.["eventCatalog"]).map((event) => [textOf(event["name"]), textOf(event["summary"])]),
  );
  const byEvent = Map.groupBy(listOf(answer?.["hooks"]), (hook) => textOf(hook["event"]));
  const policy = fieldsOf(answer?.["policy"]);
  return (
    <div className="bench-scroll hooks" tabIndex={0} role="region" aria-label={WORDS.hooks}>
      <section className="section">
        <h3>
          {WORDS.configured} <span className="num">{listOf(answer?.["hooks"]).length}</span>
        </h3>
        {!isLive && <p className="panel-note">{WORDS.ended}</p>}
        {problem !== undefined && <p className="panel-note">{WORDS.notListed}</p>}
        {policy["allDisabled"] === true && <p className="panel-warning">{WORDS.allOff}</p>}
        {policy["disabledByPolicy"] === true && <p className="panel-warning">{WORDS.policyOff}</p>}
        {isLive && answer !== undefined && byEvent.size === 0 && <p className="panel-note">{WORDS.noneConfigured}</p>}
        {[...byEvent].map(([event, hooks]) => (
          <div key={event}>
            <h4 className="hooks-event">
              {event} <small>{events.get(event)}</small>
            </h4>
            <ul>
              {hooks.map((hook, at) => (
                <Configured key={at} hook={hook} />
              ))}
            </ul>
          </div>
        ))}
      </section>
      <section className="section">
        <h3>
          {WORDS.fired} <span className="num">{fired.length}</span>
        </h3>
        {fired.length === 0 && <p className="panel-note">{WORDS.noneFired}</p>}
        <ul>
          {fired.toReversed().map((row) => (
            <li key={row.id} className="hook">
              <p>
                <Dot tone={toneOf(row)} /> <b>{row.event}</b> <code>{row.name}</code>{" "}
                <span className="num hooks-facts">
                  {outcomeOf(row)} · {formatTime(row.at)}
                  {row.endedAt !== undefined && ` · ${formatLength(row.endedAt - row.at)}`}
                </span>{" "}
                <a href={hrefOf(view.id, row.id)}>{WORDS.showInConversation}</a>
              </p>
              {hookEffects(row.output, row.exitCode).map((effect) => (
                <p key={effect} className="hooks-effect">
                  <TrueText text={effect} />
                </p>
              ))}
              {row.output !== "" && <Output text={row.output} name={`hook/${row.id}`} />}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
};

const Configured = ({ hook }: { readonly hook: Fields }) => {
  const what = textOf(hook["command"]) || textOf(hook["url"]) || textOf(hook["prompt"]) || textOf(hook["displayText"]);
  const scope = textOf(hook["source"]);
  const source = textOf(hook["sourceFile"]) || textOf(hook["path"]) || (FILES[scope] ?? scope);
  return (
    <li className="hook">
      <p>
        {textOf(hook["matcher"]) !== "" && <code>{textOf(hook["matcher"])}</code>}{" "}
        <code className="hooks-command">{what}</code>
      </p>
      <p className="hooks-facts">{[textOf(hook["type"]), source].filter((text) => text !== "").join(" · ")}</p>
    </li>
  );
};

/** The CLI names the scope. These are its files. */
const FILES: Readonly<Record<string, string>> = {
  userSettings: "~/.claude/settings.json",
  projectSettings: ".claude/settings.json",
  localSettings: ".claude/settings.local.json",
  policySettings: WORDS.managed,
};

const BLOCKED = 2;

const outcomeOf = ({ outcome, exitCode }: HookRow): string => {
  if (exitCode === BLOCKED) return WORDS.outcomes.blocked;
  if (outcome !== undefined) return byKey(WORDS.outcomes, outcome);
  return exitCode === undefined ? WORDS.outcomes.runs : WORDS.exit(exitCode);
};
const toneOf = ({ outcome, exitCode }: HookRow): "go" | "stop" | "sea" => {
  if (outcome === undefined && exitCode === undefined) return "sea";
  return exitCode === 0 || (exitCode === undefined && outcome === "success") ? "go" : "stop";
};
