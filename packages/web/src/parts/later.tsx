// A lazily loaded part of the page. Loading may fail like any request. Then the part says so and offers a retry.

import { useEffect, useState, type ComponentType } from "react";
import { Button } from "./button.tsx";
import { WORDS } from "./words.ts";

const FIRST_SCREEN_MS = 1500;
let firstScreen: Promise<void> | undefined;
/** What the first screen can do without is loaded after this, so it does not compete with what a person waits for. */
export const afterFirstScreen = (): Promise<void> =>
  (firstScreen ??= new Promise((resolve) => setTimeout(resolve, FIRST_SCREEN_MS)));

export interface Later<P> {
  (props: P): React.ReactNode;
  /** Loads it in advance. A failure is reported when it is needed. */
  readonly prefetch: () => void;
}

/** `Meanwhile` is shown until it is loaded. */
export const later = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  Meanwhile?: ComponentType<P>,
): Later<P> => {
  let loaded: ComponentType<P> | undefined;
  let loading: Promise<void> | undefined;
  const fetchOnce = (): Promise<void> =>
    (loading ??= load().then(
      (part) => {
        loaded = part;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    ));
  const Later = (props: P) => {
    const [tries, setTries] = useState(0);
    const [failedTry, setFailedTry] = useState<number>();
    const [, setReady] = useState(loaded !== undefined);
    useEffect(() => {
      let gone = false;
      fetchOnce().then(
        () => !gone && setReady(true),
        () => !gone && setFailedTry(tries),
      );
      return () => {
        gone = true;
      };
    }, [tries]);
    const Part = loaded;
    if (Part !== undefined) return <Part {...props} />;
    if (failedTry !== tries) return Meanwhile === undefined ? null : <Meanwhile {...props} />;
    return (
      <p className="later-failed" role="alert">
        {WORDS.notLoaded}
        <Button small onClick={() => setTries(tries + 1)}>
          {WORDS.again}
        </Button>
        <Button small tone="quiet" onClick={() => location.reload()}>
          {WORDS.reload}
        </Button>
      </p>
    );
  };
  return Object.assign(Later, { prefetch: () => void fetchOnce().catch(() => undefined) });
};
