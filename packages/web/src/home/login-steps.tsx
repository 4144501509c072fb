// What to do while Claude Code has no login. The server looks again by itself, and a running login is followed.

import type { SessionView } from "@quarterdeck/client";
import { CopyButton } from "../parts/text-button.tsx";
import { useLoggedIn } from "../store/agent-login.ts";
import { useServerInfo, useSessionList, useSessionView } from "../store/client.tsx";
import { fill } from "../parts/fill.tsx";
import { useHead } from "../store/session.ts";
import { WORDS } from "./words.ts";

const steps = [
  [WORDS.runCommand, "claude"],
  [WORDS.typeCommand, "/login"],
] as const;

export const LoginSteps = () => {
  const loggedIn = useLoggedIn();
  const info = useServerInfo();
  const { sessions } = useSessionList();
  // A process reports its login with `auth_status`.
  const live = sessions.find((summary) => summary.live && summary.origin === "quarterdeck");
  const view = useSessionView(loggedIn === false ? live?.id : undefined);
  if (loggedIn !== false || info === undefined) return null;
  return (
    <section className="home-login" aria-label={WORDS.logIn}>
      <h2>{WORDS.logIn}</h2>
      <p>{WORDS.logInAbout(info.machine.hostname)}</p>
      <ol>
        <li>{fill(WORDS.openTerminal, { machine: <b>{info.machine.hostname}</b> })}</li>
        {steps.map(([text, command]) => (
          <li key={command}>
            {fill(text, { command: <code>{command}</code>, copy: <CopyButton text={command} label={WORDS.copy} /> })}
          </li>
        ))}
      </ol>
      <p className="home-login-now" role="status">
        {view === undefined ? <Waiting /> : <LoginOf view={view} />}
      </p>
    </section>
  );
};

const Waiting = () => (
  <>
    <i className="dot dot-sea" aria-hidden="true" /> {WORDS.notYet}
  </>
);

const LoginOf = ({ view }: { readonly view: SessionView }) => {
  const { auth } = useHead(view).about;
  if (auth?.isAuthenticating !== true) return <Waiting />;
  return (
    <>
      <i className="dot dot-sea" aria-hidden="true" /> {WORDS.loggingIn}
    </>
  );
};
