// The screen for a browser that the server does not know. A link from a terminal or from a paired device pairs it,
// once.

import { pairDevice, type DeviceCredentials } from "@quarterdeck/client";
import { useState } from "react";
import { Splash } from "../parts/splash.tsx";
import { Button } from "../parts/button.tsx";
import { deviceName } from "./device-name.ts";

export interface PairScreenProps {
  readonly code?: string;
  readonly onPaired: (device: DeviceCredentials) => void;
  /** Set if this browser is already paired. */
  readonly onLeave?: () => void;
}

/** Accepts a link, or the code in it. */
export const codeOf = (typed: string): string => /#pair=([^&\s]+)/u.exec(typed)?.[1] ?? typed.trim();

export const PairScreen = ({ code: given, onPaired, onLeave }: PairScreenProps) => {
  const [code, setCode] = useState(given ?? "");
  const [name, setName] = useState(() => deviceName(navigator.userAgent));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const linked = given !== undefined && problem === undefined;

  const pair = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      onPaired(await pairDevice({ url: location.origin, code: codeOf(code), name: name.trim() || "Browser" }));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };

  return (
    <Splash title={linked ? "Pair this browser" : "This browser isn't paired yet"}>
      {linked ? (
        <p>
          It gets its own key, which never leaves this browser. You can revoke access at any time in Settings &gt;
          Devices.
        </p>
      ) : (
        <>
          <p>
            Create a link in Settings &gt; Devices of a paired browser, or run this on the machine with Quarterdeck:
          </p>
          <pre>
            <code>npx quarterdeck devices pair</code>
          </pre>
        </>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void pair();
        }}
      >
        {!linked && (
          <label className="field">
            <span>Link or code</span>
            <input
              className="input mono"
              required
              autoComplete="off"
              spellCheck={false}
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          </label>
        )}
        <label className="field">
          <span>Device name</span>
          <input
            className="input"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        {problem !== undefined && (
          <p className="splash-bad" role="alert">
            {problem}
          </p>
        )}
        <Button tone="main" type="submit" busy={busy}>
          {onLeave === undefined ? "Pair this browser" : "Pair again"}
        </Button>
        {onLeave !== undefined && (
          <Button tone="quiet" onClick={onLeave}>
            Keep the current pairing
          </Button>
        )}
      </form>
    </Splash>
  );
};
