// Signing in to an MCP server: the CLI gives the address, and listens on this machine for the browser's way back. A browser
// elsewhere ends on a page that does not load; its address is then pasted here.

import { useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useClient } from "../../store/client.tsx";
import { requestOf, textOf } from "../use-request.ts";

interface SignInProps {
  readonly session: string;
  readonly server: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export const SignIn = ({ session, server, onClose, onDone }: SignInProps) => {
  const client = useClient();
  const [address, setAddress] = useState<string>();
  const [pasted, setPasted] = useState("");
  const [problem, setProblem] = useState<string>();
  const tell = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
  useEffect(() => {
    requestOf(client, session, { subtype: "mcp_authenticate", serverName: server }).then((answer) => {
      const found = textOf(answer["authUrl"]) || textOf(answer["url"]);
      if (/^https?:\/\//u.test(found)) setAddress(found);
      else setProblem("Claude Code gave no address to sign in at. The server may be signed in already: reconnect it.");
    }, tell);
  }, [client, session, server]);
  const finish = (): void => {
    requestOf(client, session, {
      subtype: "mcp_oauth_callback_url",
      serverName: server,
      callbackUrl: pasted.trim(),
    }).then(() => {
      onDone();
      onClose();
    }, tell);
  };
  return (
    <Dialog
      title={`Sign in to ${server}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button tone="main" disabled={!/^https?:\/\//u.test(pasted.trim())} onClick={finish}>
            Finish sign-in
          </Button>
        </>
      }
    >
      {problem !== undefined && <p role="alert">{problem}</p>}
      {address === undefined && problem === undefined && <p>Asking Claude Code for the address…</p>}
      {address !== undefined && (
        <>
          <p>
            1.{" "}
            <a href={address} target="_blank" rel="noreferrer">
              Open the sign-in page
            </a>{" "}
            and sign in there.
          </p>
          <p>
            2. On the machine where Claude Code runs, you are done: press Refresh. Elsewhere the browser ends on a page
            that does not load. Copy its address and paste it here.
          </p>
          <label className="field">
            <span className="label">Address of that page</span>
            <input
              value={pasted}
              placeholder="http://localhost:…"
              onChange={(event) => setPasted(event.target.value)}
            />
          </label>
        </>
      )}
    </Dialog>
  );
};
