// MCP servers of the session: where each comes from, its tools, its errors, and what can be done about it.

import type { SessionView } from "@quarterdeck/client";
import { useState } from "react";
import { Dot } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { toastError } from "../../parts/toast.tsx";
import { TextButton } from "../../parts/text-button.tsx";
import { useClient } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { useHead } from "../../store/session.ts";
import { useKept } from "../../content/kept-choices.ts";
import { plural } from "../../words/format.ts";
import type { TabProps } from "../tab.ts";
import { fieldsOf, listOf, requestOf, textOf, useRequest } from "../use-request.ts";
import type { CliRequest, Fields } from "../use-request.ts";
import { SignIn } from "./sign-in.tsx";
import "../panel.css";
import "./mcp.css";

export const Mcp = ({ view }: TabProps) => {
  const client = useClient();
  const head = useHead(view);
  const isLive = head.process?.running === true;
  const { answer, problem, load } = useRequest(client, view.id, "mcp_status", isLive, head.servers);
  const known = listOf(answer?.["mcpServers"]);
  // Before the first answer and after the end of the process: what the last messages said.
  const servers = onceEach(known.length > 0 ? known : listOf(head.servers));
  return (
    <div className="bench-scroll mcp" tabIndex={0} role="region" aria-label="MCP">
      {problem !== undefined && <p className="panel-warning">{problem}</p>}
      {!isLive && servers.length > 0 && (
        <p className="panel-note">The process has ended. This is how its servers stood.</p>
      )}
      {servers.length === 0 && (
        <p className="bench-empty">
          This session has no MCP servers. Add one with <code>claude mcp add</code>, or a .mcp.json in the project.
        </p>
      )}
      <ul className="section">
        {servers.map((server) => (
          <Server key={textOf(server["name"])} server={server} view={view} isLive={isLive} onChange={load} />
        ))}
      </ul>
      {isLive && (
        <p className="panel-note">
          <Button small onClick={load}>
            Refresh
          </Button>
        </p>
      )}
    </div>
  );
};

const STATES: Readonly<Record<string, readonly ["go" | "stop" | "brass" | "sea" | "plain", string]>> = {
  connected: ["go", "connected"],
  failed: ["stop", "failed"],
  "needs-auth": ["brass", "needs sign-in"],
  pending: ["sea", "connecting"],
  disabled: ["plain", "off"],
};

const SCOPES: Readonly<Record<string, string>> = {
  user: "all your projects",
  project: "this project, shared",
  local: "this project, only you",
  dynamic: "this session",
  enterprise: "managed",
  claudeai: "your Claude account",
};

interface ServerProps {
  readonly server: Fields;
  readonly view: SessionView;
  readonly isLive: boolean;
  readonly onChange: () => void;
}

const Server = ({ server, view, isLive, onChange }: ServerProps) => {
  const client = useClient();
  const name = textOf(server["name"]);
  const status = textOf(server["status"]);
  const [tone, words] = STATES[status] ?? ["plain", status];
  const tools = onceEach(listOf(server["tools"]));
  const config = fieldsOf(server["config"]);
  const info = fieldsOf(server["serverInfo"]);
  const scope = textOf(server["scope"]);
  const [isOpen, setOpen] = useKept(`mcp/${view.id}/${name}`, false);
  const [isSigning, setSigning] = useState(false);
  const mayAsk = (subtype: string): boolean => isLive && may(client, "session/request", { request: { subtype } });
  const run = (request: CliRequest): void => {
    requestOf(client, view.id, request).then(onChange, toastError);
  };
  const facts = [
    words,
    SCOPES[scope] ?? scope,
    textOf(server["transport"]) || textOf(config["type"]),
    [textOf(info["name"]), textOf(info["version"])].filter((text) => text !== "").join(" "),
    tools.length > 0 ? plural(tools.length, "tool") : "",
  ].filter((fact) => fact !== "");
  return (
    <li className="server">
      <p className="server-name">
        <Dot tone={tone} /> <b>{name}</b> <span className="server-facts">{facts.join(" · ")}</span>
      </p>
      {textOf(server["error"]) !== "" && <pre className="server-error">{textOf(server["error"])}</pre>}
      <p className="server-actions">
        {tools.length > 0 && (
          <TextButton expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide tools" : "Show tools"}
          </TextButton>
        )}
        {status !== "disabled" && mayAsk("mcp_reconnect") && (
          <Button small tone="quiet" onClick={() => run({ subtype: "mcp_reconnect", serverName: name })}>
            Reconnect
          </Button>
        )}
        {mayAsk("mcp_toggle") && (
          <Button
            small
            tone="quiet"
            onClick={() => run({ subtype: "mcp_toggle", serverName: name, enabled: status === "disabled" })}
          >
            {status === "disabled" ? "Turn on" : "Turn off"}
          </Button>
        )}
        {status === "needs-auth" && mayAsk("mcp_authenticate") && (
          <Button small onClick={() => setSigning(true)}>
            Sign in
          </Button>
        )}
        {status === "connected" && isRemote(server, config) && mayAsk("mcp_clear_auth") && (
          <Button small tone="quiet" onClick={() => run({ subtype: "mcp_clear_auth", serverName: name })}>
            Sign out
          </Button>
        )}
      </p>
      {isSigning && <SignIn session={view.id} server={name} onClose={() => setSigning(false)} onDone={onChange} />}
      {isOpen && (
        <ul className="server-tools">
          {tools.map((tool) => (
            <li key={textOf(tool["name"])}>
              <code>{textOf(tool["name"])}</code>
              <p>{textOf(tool["description"]) || "No description"}</p>
              <p className="server-facts">{hintsOf(fieldsOf(tool["annotations"])).join(" · ")}</p>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
};

/** 2.1.38 lists a server and its tools twice if the server came in mid-session. */
const onceEach = (list: readonly Fields[]): readonly Fields[] => [
  ...new Map(list.map((entry) => [textOf(entry["name"]), entry])).values(),
];

const isRemote = (server: Fields, config: Fields): boolean =>
  /http|sse/u.test(textOf(server["transport"]) || textOf(config["type"]));

/** What the server says about a tool. The CLI uses short names, the protocol long ones. */
const hintsOf = (hints: Fields): string[] => [
  ...(hints["readOnly"] === true || hints["readOnlyHint"] === true ? ["reads only"] : []),
  ...(hints["destructive"] === true || hints["destructiveHint"] === true ? ["may destroy"] : []),
  ...(hints["openWorld"] === true || hints["openWorldHint"] === true ? ["reaches the outside"] : []),
];
