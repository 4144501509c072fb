// Signing in to an MCP server: the CLI gives the address, and listens on this machine for the browser's way back. A browser
// elsewhere ends on a page that does not load; its address is then pasted here. The dialog closes when the server is connected.

import { useEffect, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useClient } from "../../store/client.tsx";
import { listOf, textOf } from "../../content/fields.ts";
import { requestOf } from "../use-request.ts";
import { WORDS } from "./words.ts";
import { fill } from "../../parts/fill.tsx";

const LOOK_MS = 1000;
const MOST_TRIES = 10;

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
  const [isSent, setSent] = useState(false);
  const end = (): void => {
    onDone();
    onClose();
  };
  const latest = useRef(end);
  latest.current = end;
  const tell = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
  useEffect(() => {
    requestOf(client, session, { subtype: "mcp_authenticate", serverName: server }).then((answer) => {
      const found = textOf(answer["authUrl"]) || textOf(answer["url"]);
      if (/^https?:\/\//u.test(found)) setAddress(found);
      else setProblem(WORDS.sign.noAddress);
    }, tell);
  }, [client, session, server]);
  useEffect(() => {
    if (address === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    let tries = 0;
    const look = async (): Promise<void> => {
      const { mcpServers } = await requestOf(client, session, { subtype: "mcp_status" });
      const own = listOf(mcpServers).find(({ name }) => name === server);
      if (isGone) return;
      if (own?.["status"] === "connected") return latest.current();
      // The CLI takes the token of a pasted address, and does not connect by itself (measured: 2.1.325).
      if (isSent) {
        tries += 1;
        if (tries > MOST_TRIES) {
          setSent(false);
          setProblem(WORDS.sign.stillNot);
          return;
        }
        await requestOf(client, session, { subtype: "mcp_reconnect", serverName: server }).catch(() => undefined);
      }
      if (!isGone) timer = setTimeout(again, LOOK_MS);
    };
    const again = (): void => void look().catch(() => undefined);
    again();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [client, session, server, address, isSent]);
  const finish = (): void => {
    setProblem(undefined);
    requestOf(client, session, {
      subtype: "mcp_oauth_callback_url",
      serverName: server,
      callbackUrl: pasted.trim(),
    }).then(() => setSent(true), tell);
  };
  return (
    <Dialog
      title={WORDS.sign.title(server)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{WORDS.sign.close}</Button>
          <Button tone="main" busy={isSent} disabled={!/^https?:\/\//u.test(pasted.trim())} onClick={finish}>
            {WORDS.sign.finish}
          </Button>
        </>
      }
    >
      {problem !== undefined && <p role="alert">{problem}</p>}
      {address === undefined && problem === undefined && <p>{WORDS.sign.asking}</p>}
      {address !== undefined && (
        <>
          <p>
            {fill(WORDS.sign.first, {
              link: (
                <a href={address} target="_blank" rel="noreferrer">
                  {WORDS.sign.openPage}
                </a>
              ),
            })}
          </p>
          <p>{WORDS.sign.second}</p>
          <label className="field">
            <span className="label">{WORDS.sign.pasted}</span>
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
