// What to do while Claude Code has no login. The server looks again by itself, and a running login is followed.

import type { SessionView } from "@quarterdeck/client";
import { isRecord } from "@quarterdeck/client/content";
import { CopyButton } from "../parts/text-button.tsx";
import { useLoggedIn } from "../store/agent-login.ts";
import { useServerInfo, useSessionList, useSessionView } from "../store/client.tsx";
import { useHead } from "../store/session.ts";

export const LoginSteps = () => {
  const loggedIn = useLoggedIn();
  const info = useServerInfo();
  const { sessions } = useSessionList();
  // A process reports its login with `auth_status`.
  const live = sessions.find((summary) => summary.live && summary.origin === "quarterdeck");
  const view = useSessionView(loggedIn === false ? live?.id : undefined);
  if (loggedIn !== false || info === undefined) return null;
  return (
    <section className="home-login" aria-label="Log in to Claude Code">
      <h2>Log in to Claude Code</h2>
      <p>Claude Code on {info.machine.hostname} has no login, so sessions can't answer yet.</p>
      <ol>
        <li>
          Open a terminal on <b>{info.machine.hostname}</b>.
        </li>
        <li>
          Run <code>claude</code> <CopyButton text="claude" label="Copy" />
        </li>
        <li>
          Type <code>/login</code> and follow the steps in your browser. <CopyButton text="/login" label="Copy" />
        </li>
      </ol>
      <p className="home-login-now" role="status">
        {view === undefined ? <Waiting /> : <LoginOf view={view} />}
      </p>
    </section>
  );
};

const Waiting = () => (
  <>
    <i className="dot dot-sea" aria-hidden="true" /> Not logged in yet. This page checks every 15 seconds.
  </>
);

const LoginOf = ({ view }: { readonly view: SessionView }) => {
  const { auth } = useHead(view).about;
  if (!isRecord(auth) || auth["isAuthenticating"] !== true) return <Waiting />;
  return (
    <>
      <i className="dot dot-sea" aria-hidden="true" /> A login is running. Finish it in the browser that it opened.
    </>
  );
};
