// Webhooks and ntfy topics of the server, for an admin.

import type { ResultOf } from "@quarterdeck/client";
import { useCallback, useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { useClient } from "../store/client.tsx";
import { fill } from "../parts/fill.tsx";
import { english } from "../words/en/targets.ts";
import { inLanguage } from "../words/language.ts";
import { ChoiceFields } from "./choice-fields.tsx";
import "./notify.css";

const WORDS = inLanguage("targets", english);

type Target = ResultOf<"notifications/targets">["targets"][number];

const NEW: Target["choices"] = {
  waiting: true,
  finished: false,
  failed: true,
  content: "hidden",
  quiet: null,
  mutedSessions: [],
  mutedProjects: [],
  mutedMachines: [],
};
const NAMES = { webhook: "Webhook", ntfy: "ntfy" } as const;

export const Targets = () => {
  const client = useClient();
  const [targets, setTargets] = useState<readonly Target[]>([]);
  const [secret, setSecret] = useState<string>();
  const load = useCallback(() => {
    client.call("notifications/targets", {}).then((found) => setTargets(found.targets), toastError);
  }, [client]);
  useEffect(load, [load]);
  const act = (work: Promise<unknown>): void => void work.then(load, toastError);
  const save = ({ id, kind, url, choices }: Target): void =>
    act(client.command("notifications/setTarget", { id, kind, url, choices }));
  const test = async (id: string): Promise<void> => {
    const { ok, problem } = await client.command("notifications/testTarget", { id });
    if (!ok) throw new Error(problem ?? WORDS.noAnswer);
    toast(WORDS.sent);
  };
  return (
    <section aria-label={WORDS.title}>
      <h2>
        {WORDS.title} <span className="num">{targets.length}</span>
      </h2>
      <p className="server-note">{fill(WORDS.about, { flag: <code>--notify-host</code> })}</p>
      {secret !== undefined && <p role="status">{fill(WORDS.secret, { key: <code>{secret}</code> })}</p>}
      <ul className="server-rows" aria-label={WORDS.targets}>
        {targets.map((target) => (
          <li key={target.id}>
            <details>
              <summary>
                {NAMES[target.kind]} · <code>{target.url}</code>
                {target.problem !== undefined && <small> · {target.problem}</small>}
              </summary>
              <ChoiceFields choices={target.choices} onChange={(choices) => save({ ...target, choices })} />
              <div className="row">
                <Button small onClick={() => void test(target.id).catch(toastError)}>
                  {WORDS.test}
                </Button>
                <Button
                  small
                  tone="danger"
                  aria-label={WORDS.removeLabel(target.url)}
                  onClick={() => act(client.command("notifications/removeTarget", { id: target.id }))}
                >
                  {WORDS.remove}
                </Button>
              </div>
            </details>
          </li>
        ))}
      </ul>
      <AddTarget
        onAdd={async (kind, url, token) => {
          const added = await client.command("notifications/setTarget", {
            kind,
            url,
            choices: NEW,
            ...(token !== "" && { token }),
          });
          setSecret(added.secret);
          load();
        }}
      />
    </section>
  );
};

const AddTarget = ({
  onAdd,
}: {
  readonly onAdd: (kind: Target["kind"], url: string, token: string) => Promise<void>;
}) => {
  const [kind, setKind] = useState<Target["kind"]>("webhook");
  const [url, setUrl] = useState("");
  const [token, setToken] = useState("");
  return (
    <form
      className="notify-times"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd(kind, url.trim(), kind === "ntfy" ? token : "").then(() => {
          setUrl("");
          setToken("");
        }, toastError);
      }}
    >
      <label className="field">
        <span>{WORDS.kind}</span>
        <select className="input" value={kind} onChange={({ target }) => setKind(target.value as Target["kind"])}>
          <option value="webhook">{NAMES.webhook}</option>
          <option value="ntfy">{NAMES.ntfy}</option>
        </select>
      </label>
      <label className="field">
        <span>{kind === "webhook" ? WORDS.address : WORDS.topic}</span>
        <input
          className="input"
          type="url"
          required
          placeholder={kind === "webhook" ? "https://example.com/hook" : "https://ntfy.sh/my-topic"}
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
      </label>
      {kind === "ntfy" && (
        <label className="field">
          <span>{WORDS.token}</span>
          <input
            className="input"
            type="password"
            autoComplete="off"
            value={token}
            onChange={({ target }) => setToken(target.value)}
          />
        </label>
      )}
      <Button type="submit">{WORDS.add}</Button>
    </form>
  );
};
