// The screen for a browser that the server does not know. A link from a terminal or from a paired device pairs it,
// once.

import { pairDevice, type DeviceCredentials } from "@quarterdeck/client";
import { useState } from "react";
import { Splash } from "../parts/splash.tsx";
import { Button } from "../parts/button.tsx";
import { deviceName } from "./device-name.ts";
import { WORDS } from "./words.ts";

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
      onPaired(await pairDevice({ url: location.origin, code: codeOf(code), name: name.trim() || WORDS.browser }));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };

  return (
    <Splash title={linked ? WORDS.pair : WORDS.notPaired}>
      {linked ? (
        <p>{WORDS.ownKey}</p>
      ) : (
        <>
          <p>{WORDS.createLink}</p>
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
            <span>{WORDS.linkOrCode}</span>
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
          <span>{WORDS.deviceName}</span>
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
          {onLeave === undefined ? WORDS.pair : WORDS.pairAgain}
        </Button>
        {onLeave !== undefined && (
          <Button tone="quiet" onClick={onLeave}>
            {WORDS.keepPairing}
          </Button>
        )}
      </form>
    </Splash>
  );
};
