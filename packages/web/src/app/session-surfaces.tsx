// The dialogs of /permissions and /mcp. They show what the CLI answers now.

import type { Client, Head } from "@quarterdeck/client";
import { ruleText } from "@quarterdeck/permissions/words";
import { useCallback, useEffect, useState } from "react";
import { Badge, Dot } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { toastError } from "../parts/toast.tsx";
import { useClient, useSessionView } from "../store/client.tsx";
import { english } from "../words/en/app-dialogs.ts";
import { inLanguage } from "../words/language.ts";
import { scopeWords } from "../words/scopes.ts";
import { may } from "../store/may.ts";
import { fieldsOf, listOf, textOf, type Fields } from "../content/fields.ts";
import { rulesHref } from "../store/route.ts";
import "../sessions/dialogs.css";

const WORDS = inLanguage("appDialogs", english);

const useAnswer = (client: Client, session: string, subtype: string) => {
  const [answer, setAnswer] = useState<Fields>();
  const [problem, setProblem] = useState<string>();
  const load = useCallback(() => {
    client
      .command("session/request", { session, request: { subtype } })
      .then(({ response }) => {
        setAnswer(fieldsOf(response));
        setProblem(undefined);
      })
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [client, session, subtype]);
  useEffect(load, [load]);
  return { answer, problem, load };
};

interface SurfaceProps {
  readonly session: string;
  readonly onClose: () => void;
}

const NO_RULES: Head["rules"] = { allow: [], deny: [], ask: [], directories: [] };

const BEHAVIORS: readonly (readonly [string, string, "go" | "brass" | "stop"])[] = [
  ["allow", WORDS.allow, "go"],
  ["ask", WORDS.ask, "brass"],
  ["deny", WORDS.deny, "stop"],
];

const SERVER_STATES: Readonly<Record<string, string>> = WORDS.states;

/** `{toolName, ruleContent}` or a text, as the CLI's versions give it. */
const listedRule = (rule: Fields): string => {
  const value = fieldsOf(rule["ruleValue"] ?? rule["value"] ?? rule);
  const tool = textOf(value["toolName"]);
  const content = textOf(value["ruleContent"]);
  if (tool === "") return textOf(rule["rule"]) || JSON.stringify(rule);
  return ruleText({ toolName: tool, ruleContent: content || undefined });
};

export const PermissionsDialog = ({ session, onClose }: SurfaceProps) => {
  const client = useClient();
  const { answer, problem } = useAnswer(client, session, "list_permission_rules");
  const state = fieldsOf(answer?.["state"] ?? answer);
  const rules = listOf(state["rules"]);
  const ours = useSessionView(session)?.snapshot.head.rules ?? NO_RULES;
  const behaviorOf = (rule: Fields): string => textOf(rule["ruleBehavior"] ?? rule["behavior"]);
  return (
    <Dialog
      title={WORDS.permissions}
      about={
        <>
          {WORDS.rulesAbout}{" "}
          <a href={rulesHref({ session })} onClick={onClose}>
            {WORDS.testRules}
          </a>
        </>
      }
      light
      scrolls
      onClose={onClose}
    >
      {problem !== undefined && <p role="alert">{problem}</p>}
      {BEHAVIORS.map(([behavior, words, tone]) => {
        const here = ours[behavior as "allow" | "ask" | "deny"];
        const theirs = rules.filter((rule) => behaviorOf(rule) === behavior);
        const known = new Set(theirs.map(listedRule));
        const own = here.filter((rule) => !known.has(rule));
        return (
          <section key={behavior} className="help-part">
            <h3>
              {words} <span className="num">{theirs.length + own.length}</span>
            </h3>
            <ul className="rules">
              {theirs.map((rule, at) => (
                <li key={`${listedRule(rule)} ${at}`}>
                  <Dot tone={tone} />
                  <code>{listedRule(rule)}</code>
                  <Badge>{scopeWords(textOf(rule["source"])).name}</Badge>
                </li>
              ))}
              {own.map((rule) => (
                <li key={rule}>
                  <Dot tone={tone} />
                  <code>{rule}</code>
                  <Badge>{scopeWords("session").name}</Badge>
                </li>
              ))}
              {theirs.length + own.length === 0 && (
                <li className="folder-none">
                  {answer === undefined && problem === undefined ? WORDS.loading : WORDS.none}
                </li>
              )}
            </ul>
          </section>
        );
      })}
      {ours.directories.length > 0 && (
        <section className="help-part">
          <h3>{WORDS.folders}</h3>
          <ul className="rules">
            {ours.directories.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Dialog>
  );
};

export const ServersDialog = ({ session, onClose }: SurfaceProps) => {
  const client = useClient();
  const { answer, problem, load } = useAnswer(client, session, "mcp_status");
  const servers = listOf(answer?.["mcpServers"]);
  const mayAsk = (subtype: string): boolean => may(client, "session/request", { request: { subtype } });
  const ask = async (request: { subtype: string } & Fields): Promise<void> => {
    await client.command("session/request", { session, request });
    load();
  };
  return (
    <Dialog
      title={WORDS.servers}
      about={WORDS.serversAbout}
      light
      onClose={onClose}
      footer={<Button onClick={load}>{WORDS.refresh}</Button>}
    >
      {problem !== undefined && <p role="alert">{problem}</p>}
      <ul className="devices">
        {servers.map((server) => {
          const name = textOf(server["name"]);
          const status = textOf(server["status"]);
          const tools = listOf(server["tools"]);
          const off = status === "disabled";
          return (
            <li key={name}>
              <Dot
                tone={
                  status === "connected"
                    ? "go"
                    : status === "failed"
                      ? "stop"
                      : status === "needs-auth"
                        ? "brass"
                        : "plain"
                }
              />
              <span>
                <b>{name}</b>
                <small>
                  {SERVER_STATES[status] ?? status}
                  {tools.length > 0 && ` · ${WORDS.tools(tools.length)}`}
                  {textOf(server["error"]) !== "" && ` · ${textOf(server["error"])}`}
                </small>
              </span>
              {!off && mayAsk("mcp_reconnect") && (
                <Button
                  small
                  onClick={() => void ask({ subtype: "mcp_reconnect", serverName: name }).catch(toastError)}
                >
                  {WORDS.reconnect}
                </Button>
              )}
              {mayAsk("mcp_toggle") && (
                <Button
                  small
                  tone="quiet"
                  onClick={() => void ask({ subtype: "mcp_toggle", serverName: name, enabled: off }).catch(toastError)}
                >
                  {off ? WORDS.enable : WORDS.disable}
                </Button>
              )}
            </li>
          );
        })}
        {answer !== undefined && servers.length === 0 && <li className="folder-none">{WORDS.noServers}</li>}
      </ul>
    </Dialog>
  );
};
