// What this device is told, and where: pushed to this browser, or shown by an open tab. And what it keeps for reading offline.

import type { ResultOf } from "@quarterdeck/client";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { Button } from "../parts/button.tsx";
import { notify as showNotification } from "../parts/notify.ts";
import { Segments } from "../parts/segments.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { useClient, useSessionList } from "../store/client.tsx";
import { parseRoute } from "../store/route.ts";
import { changeSettings, useSettings } from "../store/settings.ts";
import { titleOf } from "../words/session-words.ts";
import { clearOffline } from "./offline-store.ts";
import { canHaveWorker, canPush, registerWorker, removeWorker, wantsWorker, workerChoice } from "./worker-choice.ts";
import { ChoiceFields } from "./choice-fields.tsx";
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
  const turnOn = async (): Promise<void> => {
    if (told === undefined) return;
    if ((await Notification.requestPermission()) !== "granted")
      throw new Error("Your browser blocks notifications from this page. Allow them in the browser's site settings.");
    await registerWorker();
    const { pushManager } = await navigator.serviceWorker.ready;
    const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: told.publicKey });
    const { endpoint = "", keys = {} } = made.toJSON();
    await client.command("notifications/subscribe", {
      endpoint,
      p256dh: keys["p256dh"] ?? "",
      auth: keys["auth"] ?? "",
    });
    workerChoice.set({ ...workerChoice.get(), push: true });
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
    if (failed !== undefined) throw new Error(`${failed.host}: ${failed.problem ?? "no answer"}`);
    toast("The test was sent.");
  };
  const problem = told?.subscriptions.find((one) => one.problem !== undefined)?.problem;
  return (
    <section className="notify-rows" aria-label="Push notifications">
      {!canPush() ? (
        <p className="settings-note">
          This browser can't get push notifications here. They need HTTPS or this machine, and on an iPhone the page
          must be added to the Home Screen.
        </p>
      ) : (
        <label className="notify-check">
          <input
            type="checkbox"
            checked={push}
            disabled={busy || told === undefined}
            onChange={() => act(push ? turnOff : turnOn)}
          />
          Push notifications to this browser
        </label>
      )}
      {push && told !== undefined && (
        <>
          <p className="settings-note">
            Sent when nobody looks at a page, also when this one is closed. They are encrypted: the push service of your
            browser can't read them.
          </p>
          {problem !== undefined && <p role="alert">{problem}</p>}
          <ChoiceFields choices={told.choices} onChange={save} />
          <Mutes choices={told.choices} onChange={save} />
          <div className="row">
            <Button small busy={busy} onClick={() => act(test)}>
              Send a test
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
  const { mutedSessions, mutedProjects } = choices;
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
            Mute this session: {titleOf(open)}
          </label>
          <label className="notify-check">
            <input
              type="checkbox"
              checked={isIn(mutedProjects, open.project)}
              onChange={() => onChange({ ...choices, mutedProjects: switched(mutedProjects, open.project) })}
            />
            Mute this project: {open.project.split("/").at(-1)}
          </label>
        </>
      )}
      {others > 0 && (
        <p className="settings-note">
          {others} more muted.{" "}
          <Button small onClick={() => onChange({ ...choices, mutedSessions: [], mutedProjects: [] })}>
            Unmute all
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
    <section className="notify-rows" aria-label="Reading offline">
      <label className="notify-check">
        <input type="checkbox" checked={offline} onChange={() => void choose().catch(toastError)} />
        Keep recent sessions readable offline
      </label>
      <p className="settings-note">
        {offline
          ? "This browser keeps the last 60 messages of the last ten sessions that you open, unencrypted, for a week. They are deleted when you turn this off or this device is revoked."
          : "Off: this browser keeps no messages."}
      </p>
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
        label="Notify me"
        value={notify}
        choices={{ off: "Never", waiting: "When Claude needs me", all: "Also when a turn ends" }}
        onChange={(next) => void choose(next)}
      />
      {notify !== "off" && (
        <p className="settings-note" role="status">
          {!able
            ? "Notifications aren't available. Some browsers allow them only over HTTPS or on localhost. The number in the tab title still works."
            : permission === "granted"
              ? "Allowed. You get notifications while a Quarterdeck tab is open in this browser."
              : permission === "denied"
                ? "Your browser blocks notifications from this page. Allow them in the browser's site settings."
                : "The browser hasn't asked for permission yet."}
        </p>
      )}
      {notify !== "off" && able && permission === "granted" && (
        <Button small onClick={() => showNotification("Quarterdeck", { body: "This is how a request looks." })}>
          Send a test
        </Button>
      )}
    </>
  );
};
