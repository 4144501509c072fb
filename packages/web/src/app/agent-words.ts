// What the page says about the agent behind it: what is wrong, and what to do.

import type { ServerInfo } from "@quarterdeck/client";
import type { ConnectionNote } from "./connection-words.ts";
import { WORDS } from "./words.ts";

export const agentNote = ({ agent, machine, notice }: ServerInfo): ConnectionNote | undefined => {
  if (agent.kind === "demo")
    return {
      // A requested demo needs no note. A demo in place of a missing CLI does.
      tone: agent.problem === undefined ? "plain" : "bad",
      title: agent.problem === undefined ? WORDS.demo : WORDS.noCli,
      detail: agent.problem === undefined ? WORDS.tourAll : WORDS.restart(agent.problem, machine.hostname),
      retry: false,
    };
  if (agent.problem !== undefined) return { tone: "bad", title: WORDS.noRun, detail: agent.problem, retry: false };
  if (agent.loggedIn === false)
    return {
      tone: "bad",
      title: WORDS.noLogin,
      detail: WORDS.logIn(machine.hostname),
      retry: false,
    };
  return notice === undefined ? undefined : { tone: "plain", title: notice, detail: "", retry: false };
};
