// What /help opens: commands, tools, skills, agents, plugins, servers and versions of the open session, with a search.

import type { SessionView } from "@quarterdeck/client";
import { useState, useSyncExternalStore } from "react";
import { TrueText } from "../content/text/true-text.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useClient, useServerInfo, useSessionView } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { useRoute } from "../store/route.ts";
import { openSurface } from "../store/surfaces.ts";
import { listOf } from "../content/fields.ts";
import { useRequest } from "../workbench/use-request.ts";
import { helpParts, searchParts, type HelpPart } from "./help-parts.ts";
import { WORDS } from "./words.ts";
import "../sessions/dialogs.css";
import "./help-dialog.css";

const PAGE = String(import.meta.env["VITE_VERSION"]);
const nothing = (): (() => void) => () => undefined;

/** Asked of a process that runs, if this device may. */
const useServers = (view: SessionView | undefined) => {
  const client = useClient();
  const head = useSyncExternalStore(view?.subscribe.bind(view) ?? nothing, () => view?.snapshot.head);
  const isAsked =
    head?.process?.running === true && may(client, "session/request", { request: { subtype: "mcp_status" } });
  const { answer } = useRequest(client, view?.id ?? "", "mcp_status", isAsked, head?.servers);
  return { head, servers: listOf(answer?.["mcpServers"]) };
};

export const HelpDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const route = useRoute();
  const view = useSessionView(route.screen === "session" ? route.id : undefined);
  const info = useServerInfo();
  const { head, servers } = useServers(view);
  const [query, setQuery] = useState("");
  const [only, setOnly] = useState<string>();
  const all = helpParts({ head, info, page: PAGE, servers });
  const found = searchParts(all, query);
  const shown = found.filter(({ id }) => only === undefined || id === only);
  const count = shown.reduce((sum, { entries }) => sum + entries.length, 0);
  return (
    <Dialog
      title={WORDS.title}
      size="wide"
      light
      onClose={onClose}
      footer={<Button onClick={() => openSurface({ kind: "keys" })}>{WORDS.keys}</Button>}
    >
      <div className="help-search">
        <input
          type="search"
          className="input"
          aria-label={WORDS.search}
          placeholder={WORDS.placeholder}
          data-autofocus
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <div className="help-kinds" role="group" aria-label={WORDS.parts}>
          {[undefined, ...all].map((part) => (
            <button
              key={part?.id ?? "all"}
              type="button"
              aria-pressed={only === part?.id}
              onClick={() => setOnly(part?.id)}
            >
              {part === undefined ? WORDS.all : part.id === "lacks" ? WORDS.lacksShort : part.title}
            </button>
          ))}
        </div>
        <p className="sr-only" role="status">
          {query === "" ? "" : WORDS.entries(count)}
        </p>
      </div>
      {query === "" && only === undefined && <Basics />}
      {shown.length === 0 && <p className="settings-note">{WORDS.nothing}</p>}
      {shown.map((part) => (
        <Part key={part.id} part={part} />
      ))}
    </Dialog>
  );
};

const Basics = () => (
  <section className="help-part">
    <h3>{WORDS.how}</h3>
    <p>{WORDS.howAsks}</p>
    <p>{WORDS.howKeeps}</p>
  </section>
);

const Part = ({ part: { title, entries, note, plain } }: { readonly part: HelpPart }) => (
  <section className="help-part" aria-label={title}>
    <h3>
      {title} {entries.length > 0 && <span className="num">{entries.length}</span>}
    </h3>
    {note !== undefined && <p>{note}</p>}
    {note === undefined && entries.length === 0 && <p>{WORDS.none}</p>}
    <dl className="facts">
      {entries.map(({ name, about }, at) => (
        <div key={`${at} ${name}`}>
          <dt className={plain === true ? "" : "mono"}>
            <TrueText text={name} />
          </dt>
          <dd>
            <TrueText text={about} />
          </dd>
        </div>
      ))}
    </dl>
  </section>
);
