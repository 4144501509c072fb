import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { toastError } from "../parts/toast.tsx";
import { useClient } from "../store/client.tsx";
import { fill } from "../parts/fill.tsx";
import type { Confirmation } from "../store/surfaces.ts";
import { WORDS } from "./dialog-words.ts";

export const ConfirmDialog = ({ about, onClose }: { readonly about: Confirmation; readonly onClose: () => void }) => {
  const { title, text, action, tone = "main", typed, run } = about;
  const [given, setGiven] = useState("");
  const ready = typed === undefined || given.trim() === typed;
  const finish = (): void => {
    if (!ready) return;
    onClose();
    run();
  };
  return (
    <Dialog
      title={title}
      size="small"
      onClose={onClose}
      footer={
        <>
          <Button data-autofocus={typed === undefined ? true : undefined} onClick={onClose}>
            {WORDS.cancel}
          </Button>
          <Button tone={tone} disabled={!ready} onClick={finish}>
            {action}
          </Button>
        </>
      }
    >
      <p>{text}</p>
      {typed !== undefined && (
        <label className="field">
          <span>{fill(WORDS.type, { word: <code>{typed}</code> })}</span>
          <input
            className="input mono"
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            value={given}
            onChange={(event) => setGiven(event.target.value)}
            onKeyDown={(event) => event.key === "Enter" && finish()}
          />
        </label>
      )}
    </Dialog>
  );
};

export interface RenameDialogProps {
  readonly session: string;
  readonly title: string;
  readonly onClose: () => void;
}

export const RenameDialog = ({ session, title, onClose }: RenameDialogProps) => {
  const client = useClient();
  const [name, setName] = useState(title);
  const rename = (): void => {
    if (name.trim() === "") return;
    onClose();
    client.command("sessions/rename", { session, title: name.trim() }).catch(toastError);
  };
  return (
    <Dialog
      title={WORDS.renameTitle}
      size="small"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button tone="main" disabled={name.trim() === ""} onClick={rename}>
            {WORDS.rename}
          </Button>
        </>
      }
    >
      <label className="field">
        <span>{WORDS.name}</span>
        <input
          className="input"
          data-autofocus
          maxLength={200}
          value={name}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && rename()}
        />
      </label>
    </Dialog>
  );
};
