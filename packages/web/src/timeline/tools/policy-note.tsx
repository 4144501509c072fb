// Shows which policy decided a call, and how to undo that.

import type { PolicyMark } from "@quarterdeck/client";
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { useClient } from "../../store/client.tsx";
import { may } from "../../store/may.ts";

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
        toast(`“${name}” is off.`);
      }, toastError)
      .finally(() => setBusy(false));
  };
  return (
    <p className="tool-note tool-policy">
      {behavior === "allow" ? "Allowed" : "Denied"} by your policy “{name}”
      {rule !== undefined && (
        <>
          {" "}
          (<code>{rule}</code>)
        </>
      )}
      .{behavior === "allow" ? "" : " To run it, turn the policy off and ask Claude again."}{" "}
      {may(client, "policies/change") && (
        <Button small busy={busy} disabled={isOff} onClick={turnOff}>
          {isOff ? "Policy is off" : "Turn off policy"}
        </Button>
      )}
    </p>
  );
};
