// The root of the page: finds the credentials of this browser, connects, and shows the pairing screen or the frame.

import { connect, forgetDevice, loadDevice, type Client, type DeviceCredentials } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import { afterFirstScreen, later } from "../parts/later.tsx";
import { ClientProvider, useClient, useConnection, useServerInfo } from "../store/client.tsx";
import { useNow } from "../store/now.ts";
import { Broken } from "./broken.tsx";
import { connectionNote } from "./connection-words.ts";
import { PageFrame } from "./frame.tsx";
import { pairingCodeOf } from "../store/route.ts";
import { Splash } from "../parts/splash.tsx";
import { WORDS } from "./words.ts";

const OfflineSessions = later(async () => (await import("../notify/offline-sessions.tsx")).OfflineSessions);
const PairScreen = later(async () => (await import("../pairing/pair-screen.tsx")).PairScreen);

type Standing =
  | { readonly is: "looking" }
  | { readonly is: "stranger"; readonly code?: string; readonly device?: DeviceCredentials | undefined }
  | { readonly is: "in"; readonly client: Client };

/** A code is used once; it must not stay in the address, the history or a bookmark. */
const takeCode = (): string | undefined => {
  const code = pairingCodeOf(location.hash);
  if (code !== undefined) history.replaceState(null, "", `${location.pathname}#/`);
  return code;
};

const enter = (credentials: DeviceCredentials): Standing => ({
  is: "in",
  client: connect({
    // A first screen and what is near it.
    firstRows: 24,
    // People do not read faster than this, and phones wake up less often.
    paceMs: 50,
    url: location.origin,
    credentials,
    client: { name: "web", version: String(import.meta.env["VITE_VERSION"]) },
  }),
});

export const App = () => {
  const [standing, setStanding] = useState<Standing>({ is: "looking" });
  useEffect(() => {
    const find = async (): Promise<void> => {
      const code = takeCode();
      const device = await loadDevice(location.origin);
      if (code !== undefined) setStanding({ is: "stranger", code, device });
      else setStanding(device === undefined ? { is: "stranger" } : enter(device));
    };
    find().catch(() => setStanding({ is: "stranger" }));
    // If a pairing link is opened in this tab, only the part after the # changes, and the page is not loaded again.
    const onHash = (): void => {
      if (pairingCodeOf(location.hash) !== undefined) find().catch(() => setStanding({ is: "stranger" }));
    };
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);

  if (standing.is === "looking") return null;
  if (standing.is === "stranger")
    return (
      <PairScreen
        key={standing.code}
        {...(standing.code !== undefined && { code: standing.code })}
        {...(standing.device !== undefined && { onLeave: () => setStanding(enter(standing.device!)) })}
        onPaired={(device) => setStanding(enter(device))}
      />
    );
  return (
    <ClientProvider client={standing.client}>
      <Door onForgotten={() => setStanding({ is: "stranger" })} />
    </ClientProvider>
  );
};

/** Shows the frame once the server has let us in, and keeps it while the connection comes and goes. */
const Door = ({ onForgotten }: { readonly onForgotten: () => void }) => {
  const client = useClient();
  const state = useConnection();
  const info = useServerInfo();
  const now = useNow();
  /** Also the other machines, if there are any. */
  const [deck, setDeck] = useState<Client>();

  useEffect(() => {
    let made: Client | undefined;
    let gone = false;
    client
      .call("fleet/status", {})
      .then(async ({ fleet }) => {
        if (fleet === undefined || fleet.machines.length === 0 || gone) return;
        made = await (await import("../fleet/open-fleet.ts")).openFleet(client, fleet);
      })
      // An older server has no fleet.
      .catch(() => undefined)
      .finally(() => (gone ? made?.close() : setDeck(made ?? client)));
    return () => {
      gone = true;
      made?.close();
    };
  }, [client]);

  useEffect(() => {
    let gone = false;
    const kept = afterFirstScreen()
      .then(() => import("../notify/keep-page.ts"))
      .then(
        ({ keepPage }) => (gone ? undefined : keepPage(client)),
        () => undefined,
      );
    return () => {
      gone = true;
      void kept.then((stop) => stop?.());
    };
  }, [client]);

  if (state.status === "refused" && state.code === "version")
    return (
      <Splash title={WORDS.old}>
        <p>{state.reason}</p>
        <Button tone="main" onClick={() => location.reload()}>
          {WORDS.reload}
        </Button>
      </Splash>
    );
  if (state.status === "refused")
    return (
      <Splash title={state.code === "revoked" ? WORDS.revoked : WORDS.stranger}>
        <p>{state.reason}</p>
        <Button
          tone="main"
          onClick={() => {
            client.close();
            void forgetDevice(location.origin).finally(onForgotten);
          }}
        >
          {WORDS.pairAgain}
        </Button>
      </Splash>
    );
  // A link to another machine waits for the fleet.
  if (info !== undefined && (deck !== undefined || !location.hash.startsWith("#/m/")))
    return (
      <Broken what={WORDS.parts.whole}>
        <ClientProvider client={deck ?? client}>
          <PageFrame />
        </ClientProvider>
      </Broken>
    );
  const note = connectionNote(state, { wasOpen: false, shuttingDown: false, unsent: 0 }, now);
  return (
    <Splash title={note?.title ?? WORDS.connecting} busy={state.status === "connecting"}>
      <p className="sr-only" role="status">
        {note?.title}
      </p>
      <p>{note?.detail}</p>
      {note?.retry === true && <Button onClick={() => client.retryNow()}>{WORDS.retryNow}</Button>}
      {(state.status === "waiting" || (state.status === "connecting" && state.attempt > 1)) && <OfflineSessions />}
    </Splash>
  );
};
