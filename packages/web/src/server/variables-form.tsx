// Variables that sessions in a folder get. Their names are listed, their values are written and never read.

import type { ResultOf } from "@quarterdeck/client";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { useClient } from "../store/client.tsx";
import { WORDS } from "./words.ts";

type ServerSettings = ResultOf<"server/settings">;

const NONE = { folder: "", name: "", value: "" };

export const VariablesForm = ({
  settings: { variables },
  onChange,
}: {
  readonly settings: ServerSettings;
  readonly onChange: () => void;
}) => {
  const client = useClient();
  const [wanted, setWanted] = useState(NONE);
  const set = (folder: string, name: string, value: string | null): void => {
    client
      .command("server/setVariable", { folder, name, value })
      .then(() => {
        toast(value === null ? WORDS.variableRemoved(name) : WORDS.variableSaved(name));
        if (value !== null) setWanted({ ...NONE, folder });
        onChange();
      })
      .catch(toastError);
  };
  const field = (key: keyof typeof NONE, label: string) => (
    <label>
      {label}{" "}
      <input
        className="input"
        type={key === "value" ? "password" : "text"}
        autoComplete="off"
        spellCheck={false}
        value={wanted[key]}
        onChange={(event) => setWanted({ ...wanted, [key]: event.target.value })}
      />
    </label>
  );
  return (
    <section>
      <h2>{WORDS.variables}</h2>
      <p className="server-note">{WORDS.variablesAbout}</p>
      {variables.length === 0 && <p className="server-note">{WORDS.variablesNone}</p>}
      <ul className="server-rows" aria-label={WORDS.variables}>
        {variables.flatMap(({ folder, names }) =>
          names.map((name) => (
            <li key={`${folder}\n${name}`}>
              <span>
                {name}
                <small>{folder}</small>
              </span>
              <Button small aria-label={WORDS.variableRemove(name, folder)} onClick={() => set(folder, name, null)}>
                {WORDS.variableRemoveShort}
              </Button>
            </li>
          )),
        )}
      </ul>
      <form
        className="server-form"
        onSubmit={(event) => {
          event.preventDefault();
          set(wanted.folder.trim(), wanted.name.trim(), wanted.value);
        }}
      >
        {field("folder", WORDS.variableFolder)}
        {field("name", WORDS.variableName)}
        {field("value", WORDS.variableValue)}
        <Button small type="submit" disabled={wanted.folder.trim() === "" || wanted.name.trim() === ""}>
          {WORDS.variableSet}
        </Button>
      </form>
    </section>
  );
};
