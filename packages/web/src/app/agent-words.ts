// What the page says about the agent behind it: what is wrong, and what to do.

import type { ServerInfo } from "@quarterdeck/client";
import type { ConnectionNote } from "./connection-words.ts";

export const agentNote = ({ agent, machine, notice }: ServerInfo): ConnectionNote | undefined => {
  if (agent.kind === "demo")
    return {
      // A requested demo needs no note. A demo in place of a missing CLI does.
      tone: agent.problem === undefined ? "plain" : "bad",
      title: agent.problem === undefined ? "Demo mode" : "Demo mode: Claude Code was not found",
      detail:
        agent.problem === undefined
          ? "You see a built-in tour. Nothing is sent to Claude. Start the server without --demo to use Claude Code."
          : `${agent.problem} Then restart the server on ${machine.hostname}.`,
      retry: false,
    };
  if (agent.problem !== undefined)
    return { tone: "bad", title: "Claude Code can't run", detail: agent.problem, retry: false };
  if (agent.loggedIn === false)
    return {
      tone: "bad",
      title: "Claude Code is not logged in",
      detail: `On ${machine.hostname}, run “claude” in a terminal and log in with /login. Then your sessions work.`,
      retry: false,
    };
  return notice === undefined ? undefined : { tone: "plain", title: notice, detail: "", retry: false };
};
