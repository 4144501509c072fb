// What Claude Code logged about a server.

import type { ResultOf } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { useClient } from "../../store/client.tsx";
import { formatTime } from "../../words/format.ts";
import { WORDS } from "./words.ts";

type Log = ResultOf<"mcp/log">;

export const ServerLog = ({ session, server }: { readonly session: string; readonly server: string }) => {
  const client = useClient();
  const [log, setLog] = useState<Log>();
  const [problem, setProblem] = useState<string>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    client
      .call("mcp/log", { session, server })
      .then(setLog, (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [client, session, server, round]);
  if (problem !== undefined) return <p role="alert">{problem}</p>;
  if (log === undefined) return <p className="server-facts">{WORDS.log.loading}</p>;
  if (log.path === undefined) return <p className="server-facts">{WORDS.log.none}</p>;
  return (
    <div className="server-log">
      <pre tabIndex={0} aria-label={WORDS.log.of(server)}>
        {log.lines.length === 0
          ? WORDS.log.empty
          : log.lines
              .map(
                ({ at, level, text }) =>
                  `${at === undefined ? "" : `${formatTime(at)} `}${level === "error" ? "✗ " : ""}${text}`,
              )
              .join("\n")}
      </pre>
      <p className="server-facts">
        {log.path}{" "}
        <Button small tone="quiet" onClick={() => setRound(round + 1)}>
          {WORDS.log.again}
        </Button>
      </p>
    </div>
  );
};
