// Shows which policy decided a call, and how to undo that.

import type { PolicyMark } from "@quarterdeck/client";
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { useClient } from "../../store/client.tsx";
import { may } from "../../store/may.ts";
import { WORDS } from "./rare-words.ts";
import { fill } from "../../parts/fill.tsx";

export const PolicyNote = ({ policy }: { readonly policy: PolicyMark }) => {
  const client = useClient();
  const [isOff, setOff] = useState(false);
  const [busy, setBusy] = useState(false);
  const { id, name, behavior, rule } = policy;
  const turnOff = (): void => {
    setBusy(true);
    client
      .command("policies/change", { id, isOn: false })
      .then(() => {
        setOff(true);
        toast(WORDS.off(name));
      }, toastError)
      .finally(() => setBusy(false));
  };
  return (
    <p className="tool-note tool-policy">
      {fill(WORDS.byPolicy(behavior === "allow", rule !== undefined), { name, rule: <code>{rule}</code> })}{" "}
      {may(client, "policies/change") && (
        <Button small busy={busy} disabled={isOff} onClick={turnOff}>
          {isOff ? WORDS.isOff : WORDS.turnOff}
        </Button>
      )}
    </p>
  );
};
