// What this device is told, and where: pushed to this browser, or shown by an open tab. And what it keeps for reading offline.

import type { ResultOf } from "@quarterdeck/client";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { Button } from "../parts/button.tsx";
import { notify as showNotification } from "../parts/notify.ts";
import { Segments } from "../parts/segments.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { useClient, useSessionList } from "../store/client.tsx";
import { fleetOf } from "../store/fleet.ts";
import { parseRoute } from "../store/route.ts";
import { changeSettings, useSettings } from "../store/settings.ts";
import { baseName } from "../words/format.ts";
import { sessionTitleOf } from "../words/session-words.ts";
import { clearOffline } from "./offline-store.ts";
import { turnOnPush } from "./turn-on-push.ts";
import { canHaveWorker, canPush, registerWorker, removeWorker, wantsWorker, workerChoice } from "./worker-choice.ts";
import { ChoiceFields } from "./choice-fields.tsx";
import { WORDS } from "./words.ts";
import "./notify.css";

type Told = ResultOf<"notifications/get">;
type Choices = Told["choices"];

export const NotificationSettings = () => (
  <>
    <Pushed />
    <OfflineChoice />
    <FromTab />
  </>
);

const Pushed = () => {
  const client = useClient();
  const { push } = useSyncExternalStore(workerChoice.subscribe, workerChoice.get);
  const [told, setTold] = useState<Told>();
  const [busy, setBusy] = useState(false);
  const load = useCallback(() => {
    client.call("notifications/get", {}).then(setTold, toastError);
  }, [client]);
  useEffect(load, [load]);
  const act = (work: () => Promise<void>): void => {
    setBusy(true);
    work()
      .catch(toastError)
      .finally(() => {
        setBusy(false);
        load();
      });
  };
  const turnOff = async (): Promise<void> => {
    workerChoice.set({ ...workerChoice.get(), push: false });
    const registration = await navigator.serviceWorker.getRegistration();
    const made = await registration?.pushManager.getSubscription();
    await client.command("notifications/unsubscribe", made == null ? {} : { endpoint: made.endpoint });
    await made?.unsubscribe();
    if (!wantsWorker()) await removeWorker();
  };
  const save = (choices: Choices): void => {
    setTold((before) => before && { ...before, choices });
    client.command("notifications/set", { choices }).catch(toastError);
  };
  const test = async (): Promise<void> => {
    const { results } = await client.command("notifications/test", {});
    const failed = results.find(({ ok }) => !ok);
    if (failed !== undefined) throw new Error(`${failed.host}: ${failed.problem ?? WORDS.noAnswer}`);
    toast(WORDS.sent);
  };
  const problem = told?.subscriptions.find((one) => one.problem !== undefined)?.problem;
  return (
    <section className="notify-rows" aria-label={WORDS.push}>
      {!canPush() ? (
        <p className="settings-note">{WORDS.cannotPush}</p>
      ) : (
        <label className="notify-check">
          <input
            type="checkbox"
            checked={push}
            disabled={busy || told === undefined}
            onChange={() => act(push ? turnOff : () => turnOnPush(client))}
          />
          {WORDS.pushHere}
        </label>
      )}
      {push && told !== undefined && (
        <>
          <p className="settings-note">{WORDS.pushAbout}</p>
          {problem !== undefined && <p role="alert">{problem}</p>}
          <ChoiceFields choices={told.choices} onChange={save} />
          <Mutes choices={told.choices} onChange={save} />
          <div className="row">
            <Button small busy={busy} onClick={() => act(test)}>
              {WORDS.test}
            </Button>
          </div>
        </>
      )}
    </section>
  );
};

const Mutes = ({ choices, onChange }: { readonly choices: Choices; readonly onChange: (next: Choices) => void }) => {
  const { sessions } = useSessionList();
  const route = parseRoute(location.hash);
  const open = route.screen === "session" ? sessions.find(({ id }) => id === route.id) : undefined;
  const { mutedSessions, mutedProjects, mutedMachines } = choices;
  const machines = fleetOf(useClient())?.machines() ?? [];
  const isIn = (list: readonly string[], one: string): boolean => list.includes(one);
  const switched = (list: readonly string[], one: string): string[] =>
    isIn(list, one) ? list.filter((other) => other !== one) : [...list, one];
  const others =
    mutedSessions.filter((id) => id !== open?.id).length + mutedProjects.filter((one) => one !== open?.project).length;
  return (
    <>
      {open !== undefined && (
        <>
          <label className="notify-check">
            <input
              type="checkbox"
              checked={isIn(mutedSessions, open.id)}
              onChange={() => onChange({ ...choices, mutedSessions: switched(mutedSessions, open.id) })}
            />
            {WORDS.muteSession(sessionTitleOf(open))}
          </label>
          <label className="notify-check">
            <input
              type="checkbox"
              checked={isIn(mutedProjects, open.project)}
              onChange={() => onChange({ ...choices, mutedProjects: switched(mutedProjects, open.project) })}
            />
            {WORDS.muteProject(baseName(open.project))}
          </label>
        </>
      )}
      {machines
        .filter(({ isHome }) => !isHome)
        .map(({ name }) => (
          <label key={name} className="notify-check">
            <input
              type="checkbox"
              checked={isIn(mutedMachines, name)}
              onChange={() => onChange({ ...choices, mutedMachines: switched(mutedMachines, name) })}
            />
            {WORDS.muteMachine(name)}
          </label>
        ))}
      {others > 0 && (
        <p className="settings-note">
          {WORDS.muted(others)}{" "}
          <Button small onClick={() => onChange({ ...choices, mutedSessions: [], mutedProjects: [] })}>
            {WORDS.unmute}
          </Button>
        </p>
      )}
    </>
  );
};

const OfflineChoice = () => {
  const { offline } = useSyncExternalStore(workerChoice.subscribe, workerChoice.get);
  if (!canHaveWorker()) return null;
  const choose = async (): Promise<void> => {
    workerChoice.set({ ...workerChoice.get(), offline: !offline });
    if (offline) {
      await clearOffline();
      if (!wantsWorker()) await removeWorker();
    } else await registerWorker();
  };
  return (
    <section className="notify-rows" aria-label={WORDS.offline}>
      <label className="notify-check">
        <input type="checkbox" checked={offline} onChange={() => void choose().catch(toastError)} />
        {WORDS.keep}
      </label>
      <p className="settings-note">{offline ? WORDS.keepOn : WORDS.keepOff}</p>
    </section>
  );
};

const FromTab = () => {
  const { notify } = useSettings();
  const { push } = useSyncExternalStore(workerChoice.subscribe, workerChoice.get);
  const able = "Notification" in window;
  const [permission, setPermission] = useState(able ? Notification.permission : "denied");
  if (push) return null;
  const choose = async (next: typeof notify): Promise<void> => {
    changeSettings({ notify: next });
    if (next !== "off" && able && Notification.permission === "default")
      setPermission(await Notification.requestPermission());
  };
  return (
    <>
      <Segments
        label={WORDS.notifyMe}
        value={notify}
        choices={{ off: WORDS.never, waiting: WORDS.events.waiting, all: WORDS.alsoEnd }}
        onChange={(next) => void choose(next)}
      />
      {notify !== "off" && (
        <p className="settings-note" role="status">
          {!able
            ? WORDS.unable
            : permission === "granted"
              ? WORDS.granted
              : permission === "denied"
                ? WORDS.blocked
                : WORDS.notAsked}
        </p>
      )}
      {notify !== "off" && able && permission === "granted" && (
        <Button small onClick={() => showNotification("Quarterdeck", { body: WORDS.example })}>
          {WORDS.test}
        </Button>
      )}
    </>
  );
};
