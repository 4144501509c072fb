// One line at the bottom: the state of the connection and of the session.

import type { ConnectionState, SessionView } from "@quarterdeck/client";
import { isRunning } from "@quarterdeck/client/content";
import { useClient, useConnection, useServerInfo } from "../store/client.tsx";
import { may } from "../store/may.ts";
import { useHead, useLastTurn, useWatchers } from "../store/session.ts";
import { useNow } from "../store/now.ts";
import { formatCost, formatCount, formatShare, formatSpan } from "../words/format.ts";
import { modelName, modeName, PHASE_WORDS } from "../words/names.ts";
import { WORDS } from "./words.ts";

/** After this time without an event, the line calls a running turn silent. Nothing else happens. */
const SILENT_MS = 30_000;

export const StatusLine = ({ view }: { readonly view: SessionView | undefined }) => {
  const state = useConnection();
  const info = useServerInfo();
  return (
    <footer className="status" aria-label={WORDS.status}>
      <Connection state={state} />
      {info?.agent.kind === "demo" && (
        <span className="status-part" title={WORDS.tour}>
          {WORDS.demoMode}
        </span>
      )}
      {view !== undefined && <SessionStatus key={view.id} view={view} />}
    </footer>
  );
};

const TONES: Readonly<Partial<Record<ConnectionState["status"], string>>> = { open: "go", connecting: "sea" };

const Connection = ({ state }: { readonly state: ConnectionState }) => {
  const latency =
    state.status === "open" && state.latencyMs !== undefined ? WORDS.latency(Math.round(state.latencyMs)) : undefined;
  return (
    <span className="status-part" title={latency}>
      <i className={`dot dot-${TONES[state.status] ?? "stop"}`} aria-hidden="true" /> {WORDS.states[state.status]}
    </span>
  );
};

const SessionStatus = ({ view }: { readonly view: SessionView }) => {
  const client = useClient();
  const head = useHead(view);
  const turn = useLastTurn(view);
  const watchers = useWatchers(view);
  const now = useNow();
  // Nothing of the session has arrived. A machine that is away sends nothing.
  if (head.lastEventAt === 0) return null;
  const { context, costUsd } = head.gauges;
  const age = now - head.lastEventAt;
  const running = isRunning(head.phase);
  const share = context?.window === undefined ? undefined : context.used / context.window;
  return (
    <>
      <span className="status-part num">
        {PHASE_WORDS[head.phase]}
        {running && head.requests.length === 0 && age > SILENT_MS
          ? ` · ${WORDS.quiet(formatSpan(age))}`
          : ` · ${age < 2000 ? WORDS.busy : WORDS.active(formatSpan(age))}`}
      </span>
      {/* The message has them, for devices that may write one. */}
      {!may(client, "session/prompt") && (
        <span className="status-part" title={head.model}>
          {modelName(head.model)} · {modeName(head.mode)}
        </span>
      )}
      <span className="status-end num">
        {context !== undefined && (
          <span
            className="status-part"
            title={
              context.window === undefined
                ? WORDS.tokens(formatCount(context.used))
                : WORDS.filled(formatCount(context.used), formatCount(context.window))
            }
          >
            {WORDS.used}{" "}
            {share === undefined ? (
              WORDS.tokens(formatCount(context.used))
            ) : (
              <>
                <Gauge share={share} /> {formatShare(share)}
              </>
            )}
          </span>
        )}
        <span className="status-part">
          {WORDS.costs(formatCost(costUsd))}
          {turn !== undefined && ` · ${WORDS.turn(formatCost(turn.costUsd))}`}
        </span>
        {watchers.length > 1 && (
          <span className="status-part" title={watchers.map(({ name }) => name).join(", ")}>
            {WORDS.devices(watchers.length)}
          </span>
        )}
      </span>
    </>
  );
};

const FULL = 0.8;

const Gauge = ({ share }: { readonly share: number }) => (
  <span className="gauge" aria-hidden="true">
    <i className={share >= FULL ? "gauge-full" : ""} style={{ width: `${Math.min(100, share * 100)}%` }} />
  </span>
);
