// What the page says about the agent behind it: what is wrong, and what to do.

import type { ServerInfo } from "@quarterdeck/client";
import type { ConnectionNote } from "./connection-words.ts";

export const agentNote = ({ agent, machine, notice }: ServerInfo): ConnectionNote | undefined => {
  if (agent.kind === "demo")
    return {
      // Asked for, it is no news; in place of a CLI that is missing it is.
      tone: agent.problem === undefined ? "plain" : "bad",
      title: "The demo agent answers",
      detail:
        agent.problem === undefined
          ? "It plays a built-in tour, and nothing reaches Claude. Without --demo the server looks for Claude Code."
          : `${agent.problem} Then start the server on ${machine.hostname} again.`,
      retry: false,
    };
  if (agent.problem !== undefined)
    return { tone: "bad", title: "Claude Code cannot run", detail: agent.problem, retry: false };
  if (agent.loggedIn === false)
    return {
      tone: "bad",
      title: "Claude Code is not logged in",
      detail: `On ${machine.hostname}, run “claude” in a terminal and log in with /login. Sessions work from then on.`,
      retry: false,
    };
  return notice === undefined ? undefined : { tone: "plain", title: notice, detail: "", retry: false };
};
