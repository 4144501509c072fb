// MCP servers of the session: where each comes from, its tools, its errors, and what can be done about it.

import type { Client, Head, ResultOf, SessionView } from "@quarterdeck/client";
import { mcpToolName } from "@quarterdeck/client/content";
import { useCallback, useEffect, useState } from "react";
import { Dot } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { toastError } from "../../parts/toast.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { useClient } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { useHead } from "../../store/session.ts";
import { useKept } from "../../content/kept-choices.ts";
import { byKey } from "../../words/by-key.ts";
import type { Tone } from "../../words/tone.ts";
import type { TabProps } from "../tab.ts";
import { fieldsOf, listOf, onceEach, textOf, type Fields } from "../../content/fields.ts";
import { requestOf, useRequest } from "../use-request.ts";
import type { AnyCliRequest } from "../use-request.ts";
import { EMPTY_SERVER, formOf } from "./server-config.ts";
import { ServerDialog, type ServerDialogProps } from "./server-dialog.tsx";
import { ServerLog } from "./server-log.tsx";
import { SignIn } from "./sign-in.tsx";
import { WORDS } from "./words.ts";
import "../panel.css";
import "./mcp.css";

export const McpTab = ({ view }: TabProps) => {
  const client = useClient();
  const head = useHead(view);
  const isLive = head.process?.running === true;
  const { answer, problem, load } = useRequest(client, view.id, "mcp_status", isLive, head.servers);
  const known = listOf(answer?.["mcpServers"]);
  // Before the first answer and after the end of the process: what the last messages said.
  const servers = onceEach(known.length > 0 ? known : listOf(head.servers));
  const mayChange = may(client, "mcp/save");
  const { named, problems, reload } = useNamed(client, view.id, mayChange, head.servers);
  const [dialog, setDialog] = useState<Pick<ServerDialogProps, "kind" | "begin">>();
  const onChange = (): void => {
    reload();
    if (isLive) load();
  };
  // In a file, and not in this process: added since, turned off for it, or without a process.
  const others = named.filter(({ name }) => !servers.some((server) => server["name"] === name));
  return (
    <div className="bench-scroll mcp" tabIndex={0} role="region" aria-label={WORDS.mcp}>
      {problem !== undefined && <p className="panel-warning">{problem}</p>}
      {!isLive && servers.length > 0 && <p className="panel-note">{WORDS.ended}</p>}
      {servers.length === 0 && (
        <p className="bench-empty">
          {WORDS.none} {mayChange ? WORDS.addBelow : WORDS.adminAdds}
        </p>
      )}
      <ul className="section">
        {servers.map((server) => (
          <Server
            key={textOf(server["name"])}
            server={server}
            view={view}
            isLive={isLive}
            prompts={promptsOf(head.commands, textOf(server["name"]))}
            named={named.filter(({ name }) => name === server["name"])}
            onChange={onChange}
            onEdit={setDialog}
          />
        ))}
      </ul>
      {others.length > 0 && (
        <section className="section">
          <h3>{WORDS.inFiles}</h3>
          <ul>
            {others.map((server) => (
              <li key={`${server.scope} ${server.name}`} className="server">
                <p className="server-name">
                  <Dot tone="plain" /> <b>{server.name}</b>{" "}
                  <span className="server-facts">
                    {WORDS.scopes[server.scope]} · {server.path}
                  </span>
                </p>
                <p className="server-actions">
                  <EditButtons server={server} onEdit={setDialog} />
                </p>
              </li>
            ))}
          </ul>
          <p className="panel-note">{WORDS.filesRead}</p>
        </section>
      )}
      {problems.map((text) => (
        <p key={text} className="panel-warning">
          {text}
        </p>
      ))}
      <p className="mcp-foot">
        {mayChange && (
          <Button
            small
            onClick={() => setDialog({ kind: "add", begin: { ...EMPTY_SERVER, scope: isLive ? "session" : "local" } })}
          >
            {WORDS.add}
          </Button>
        )}
        {isLive && (
          <Button small tone="quiet" onClick={load}>
            {WORDS.refresh}
          </Button>
        )}
      </p>
      {dialog !== undefined && (
        <ServerDialog
          {...dialog}
          session={view.id}
          isLive={isLive}
          onClose={() => setDialog(undefined)}
          onSaved={onChange}
        />
      )}
    </div>
  );
};

const TONES: Readonly<Record<string, Tone>> = {
  connected: "go",
  failed: "stop",
  "needs-auth": "brass",
  pending: "sea",
  disabled: "plain",
};

type Named = ResultOf<"mcp/servers">["servers"][number];
type Edit = (dialog: Pick<ServerDialogProps, "kind" | "begin">) => void;

/** What files and the session name, for devices that may change it. */
const useNamed = (client: Client, session: string, mayChange: boolean, again: unknown) => {
  const [found, setFound] = useState<ResultOf<"mcp/servers">>();
  const reload = useCallback(() => {
    // Nothing is known about a terminal's session, so nothing can be changed.
    if (mayChange) client.call("mcp/servers", { session }).then(setFound, () => setFound(undefined));
  }, [client, session, mayChange]);
  useEffect(reload, [reload, again]);
  return { named: found?.servers ?? [], problems: found?.problems ?? [], reload };
};

const EditButtons = ({ server, onEdit }: { readonly server: Named; readonly onEdit: Edit }) => {
  const begin = formOf(server.name, server.scope, server.config);
  return (
    <>
      <Button
        small
        tone="quiet"
        aria-label={WORDS.editOne(server.name)}
        onClick={() => onEdit({ kind: "edit", begin })}
      >
        {WORDS.edit}
      </Button>
      <Button
        small
        tone="quiet"
        aria-label={WORDS.removeOne(server.name)}
        onClick={() => onEdit({ kind: "remove", begin })}
      >
        {WORDS.remove}
      </Button>
    </>
  );
};

/** Newer CLIs say `server:prompt (MCP)`, older ones `mcp__server__prompt`. */
const promptsOf = (commands: Head["commands"], server: string): Head["commands"] =>
  commands.filter(({ name }) => name.startsWith(`${server}:`) || name.startsWith(mcpToolName(server, "")));

interface ServerProps {
  readonly server: Fields;
  readonly view: SessionView;
  readonly isLive: boolean;
  readonly prompts: Head["commands"];
  /** Where it is named. The CLI uses one of them. */
  readonly named: readonly Named[];
  readonly onChange: () => void;
  readonly onEdit: Edit;
}

const Server = ({ server, view, isLive, prompts, named, onChange, onEdit }: ServerProps) => {
  const client = useClient();
  const name = textOf(server["name"]);
  const status = textOf(server["status"]);

  const tools = onceEach(listOf(server["tools"]));
  const config = fieldsOf(server["config"]);
  const info = fieldsOf(server["serverInfo"]);
  const scope = textOf(server["scope"]);
  const [isOpen, setOpen] = useKept(`mcp/${view.id}/${name}`, false);
  const [showsLog, setShowsLog] = useState(false);
  const own = named.find((each) => each.scope === (scope === "dynamic" ? "session" : scope)) ?? named[0];
  const [isSigning, setSigning] = useState(false);
  const mayAsk = (subtype: string): boolean => isLive && may(client, "session/request", { request: { subtype } });
  const run = (request: AnyCliRequest): void => {
    requestOf(client, view.id, request).then(onChange, toastError);
  };
  const facts = [
    byKey(WORDS.states, status),
    byKey(WORDS.scopes, scope),
    textOf(server["transport"]) || textOf(config["type"]),
    [textOf(info["name"]), textOf(info["version"])].filter((text) => text !== "").join(" "),
    tools.length > 0 ? WORDS.tools(tools.length) : "",
  ].filter((fact) => fact !== "");
  return (
    <li className="server">
      <p className="server-name">
        <Dot tone={TONES[status] ?? "plain"} /> <b>{name}</b> <span className="server-facts">{facts.join(" · ")}</span>
      </p>
      {textOf(server["error"]) !== "" && <pre className="server-error">{textOf(server["error"])}</pre>}
      <p className="server-actions">
        {tools.length > 0 && (
          <TextButton expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? WORDS.hideTools : WORDS.showTools}
          </TextButton>
        )}
        {status !== "disabled" && mayAsk("mcp_reconnect") && (
          <Button small tone="quiet" onClick={() => run({ subtype: "mcp_reconnect", serverName: name })}>
            {WORDS.reconnect}
          </Button>
        )}
        {mayAsk("mcp_toggle") && (
          <Button
            small
            tone="quiet"
            onClick={() => run({ subtype: "mcp_toggle", serverName: name, enabled: status === "disabled" })}
          >
            {status === "disabled" ? WORDS.turnOn : WORDS.turnOff}
          </Button>
        )}
        {status === "needs-auth" && mayAsk("mcp_authenticate") && (
          <Button small onClick={() => setSigning(true)}>
            {WORDS.signIn}
          </Button>
        )}
        {status === "connected" && isRemote(server, config) && mayAsk("mcp_clear_auth") && (
          <Button small tone="quiet" onClick={() => run({ subtype: "mcp_clear_auth", serverName: name })}>
            {WORDS.signOut}
          </Button>
        )}
        {may(client, "mcp/log") && (
          <TextButton expanded={showsLog} onClick={() => setShowsLog(!showsLog)}>
            {showsLog ? WORDS.hideLog : WORDS.showLog}
          </TextButton>
        )}
        {own !== undefined && <EditButtons server={own} onEdit={onEdit} />}
      </p>
      {showsLog && <ServerLog session={view.id} server={name} />}
      {prompts.length > 0 && (
        <p className="server-facts">{WORDS.prompts(prompts.map(({ name: prompt }) => `/${prompt}`))}</p>
      )}
      {isSigning && <SignIn session={view.id} server={name} onClose={() => setSigning(false)} onDone={onChange} />}
      {isOpen && (
        <>
          {tools.every((tool) => textOf(tool["description"]) === "") && (
            <p className="server-facts">{WORDS.namesOnly}</p>
          )}
          <ul className="server-tools">
            {tools.map((tool) => (
              <li key={textOf(tool["name"])}>
                <code>{textOf(tool["name"])}</code>
                {textOf(tool["description"]) !== "" && <p>{textOf(tool["description"])}</p>}
                {tool["inputSchema"] !== undefined && (
                  <details>
                    <summary>{WORDS.schema}</summary>
                    <pre className="server-error server-schema">{JSON.stringify(tool["inputSchema"], null, 2)}</pre>
                  </details>
                )}
                <p className="server-facts">{hintsOf(fieldsOf(tool["annotations"])).join(" · ")}</p>
              </li>
            ))}
          </ul>
        </>
      )}
    </li>
  );
};

const isRemote = (server: Fields, config: Fields): boolean =>
  /http|sse/u.test(textOf(server["transport"]) || textOf(config["type"]));

/** What the server says about a tool. The CLI uses short names, the protocol long ones. */
const hintsOf = (hints: Fields): string[] => [
  ...(hints["readOnly"] === true || hints["readOnlyHint"] === true ? [WORDS.readsOnly] : []),
  ...(hints["destructive"] === true || hints["destructiveHint"] === true ? [WORDS.mayDestroy] : []),
  ...(hints["openWorld"] === true || hints["openWorldHint"] === true ? [WORDS.reachesOutside] : []),
];
