// Offers push notifications on a phone, once: when the first request waits.

import { useState, useSyncExternalStore } from "react";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { toastError } from "../parts/toast.tsx";
import { useClient } from "../store/client.tsx";
import { kept } from "../store/kept.ts";
import { turnOnPush } from "./turn-on-push.ts";
import { canPush, workerChoice } from "./worker-choice.ts";
import { WORDS } from "./words.ts";

const answered = kept("pushAsked", (value) => value === true);

export const AskPush = () => {
  const client = useClient();
  const wasAsked = useSyncExternalStore(answered.subscribe, answered.get);
  const [busy, setBusy] = useState(false);
  if (wasAsked || workerChoice.get().push || !canPush() || Notification.permission === "denied") return null;
  const turnOn = (): void => {
    setBusy(true);
    turnOnPush(client)
      .catch(toastError)
      .finally(() => answered.set(true));
  };
  return (
    <section className="home-push" aria-label={WORDS.ask}>
      <h2>
        <Icon name="bell" /> {WORDS.ask}
      </h2>
      <p>{WORDS.askWhy}</p>
      <div className="row">
        <Button busy={busy} onClick={turnOn}>
          {WORDS.turnOn}
        </Button>
        <Button tone="quiet" disabled={busy} onClick={() => answered.set(true)}>
          {WORDS.notNow}
        </Button>
      </div>
    </section>
  );
};
