// Whether a phone can reach this server, and what to do if it cannot. If the server has TLS, a pairing link is enough.

import type { ResultOf } from "@quarterdeck/client";
import { useEffect, useState } from "react";
import { fill } from "../parts/fill.tsx";
import { useClient } from "../store/client.tsx";
import { WORDS } from "./device-words.ts";

type Found = ResultOf<"devices/reach">;

export const ServerReach = () => {
  const client = useClient();
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    // Without an answer the link still works on this machine.
    client.call("devices/reach", {}).then(setFound, () => undefined);
  }, [client]);
  if (found === undefined || found.fromOutside) return null;
  const { tailscale, commands } = found;
  return (
    <div className="settings-note" role="note" aria-label={WORDS.reach}>
      <p>
        {tailscale === undefined
          ? fill(WORDS.needsHttps, { help: <code>npx quarterdeck serve --help</code> })
          : WORDS.tailscale(tailscale.name)}
      </p>
      {commands.length > 0 && <pre>{commands.join("\n")}</pre>}
    </div>
  );
};
