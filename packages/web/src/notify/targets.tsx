// Webhooks and ntfy topics of the server, for an admin.

import type { ResultOf } from "@quarterdeck/client";
import { useCallback, useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { useClient } from "../store/client.tsx";
import { ChoiceFields } from "./choice-fields.tsx";
import "./notify.css";

type Target = ResultOf<"notifications/targets">["targets"][number];

const NEW: Target["choices"] = {
  waiting: true,
  finished: false,
  failed: true,
  content: "hidden",
  quiet: null,
  mutedSessions: [],
  mutedProjects: [],
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
    if (!ok) throw new Error(problem ?? "No answer.");
    toast("The test was sent.");
  };
  return (
    <section aria-label="Webhooks and ntfy">
      <h2>
        Webhooks and ntfy <span className="num">{targets.length}</span>
      </h2>
      <p className="server-note">
        For people without a browser at hand. Only https at public hosts; name a host of your own network with{" "}
        <code>--notify-host</code>. The other server sees what you choose here.
      </p>
      {secret !== undefined && (
        <p role="status">
          Key for the signatures of this webhook, shown only now: <code>{secret}</code>
        </p>
      )}
      <ul className="server-rows" aria-label="Targets">
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
                  Send a test
                </Button>
                <Button
                  small
                  tone="danger"
                  aria-label={`Remove: ${target.url}`}
                  onClick={() => act(client.command("notifications/removeTarget", { id: target.id }))}
                >
                  Remove
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
        <span>Kind</span>
        <select className="input" value={kind} onChange={({ target }) => setKind(target.value as Target["kind"])}>
          <option value="webhook">Webhook</option>
          <option value="ntfy">ntfy</option>
        </select>
      </label>
      <label className="field">
        <span>{kind === "webhook" ? "Address" : "Address with topic"}</span>
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
          <span>Access token (optional)</span>
          <input
            className="input"
            type="password"
            autoComplete="off"
            value={token}
            onChange={({ target }) => setToken(target.value)}
          />
        </label>
      )}
      <Button type="submit">Add</Button>
    </form>
  );
};
