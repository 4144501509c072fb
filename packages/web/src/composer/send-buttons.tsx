import { useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { hintOf } from "../keys/key-table.ts";
import type { Priority } from "./outbox.ts";

export interface SendButtonsProps {
  readonly running: boolean;
  /** There is nothing to send. */
  readonly idle: boolean;
  readonly uploading: boolean;
  readonly onSend: (priority?: Priority) => void;
  /** Resolves when the stop was accepted. A failure was already reported. */
  readonly onStop: () => Promise<void>;
}

export const SendButtons = ({ running, idle, uploading, onSend, onStop }: SendButtonsProps) => (
  <>
    {running && <StopButton onStop={onStop} />}
    {(!running || !idle) && (
      <span className="send">
        <Button
          tone="main"
          small
          type="submit"
          icon="send"
          disabled={idle}
          busy={uploading}
          tip={`${running ? "Added at the next step" : "Send"} (${hintOf("message.send")})`}
        >
          <span className="send-word">{uploading ? "Uploading" : running ? "Add" : "Send"}</span>
        </Button>
        {running && (
          <Menu
            className="btn btn-main btn-small send-how"
            label="Send options"
            heading="While Claude works"
            items={[
              {
                id: "next",
                label: "Add to this turn",
                detail: "Added at the next step",
                keys: hintOf("message.send"),
                run: () => onSend(),
              },
              {
                id: "later",
                label: "Queue for later",
                detail: "Sent after this turn",
                keys: hintOf("message.later"),
                run: () => onSend("later"),
              },
              {
                id: "now",
                label: "Stop and send",
                detail: "Ends this turn, then sends your message",
                keys: hintOf("message.now"),
                run: () => onSend("now"),
              },
            ]}
          >
            <Icon name="up" size={14} />
          </Menu>
        )}
      </span>
    )}
  </>
);

/** Shown while a turn runs. The text after a press stays until the turn has ended or continues. */
const StopButton = ({ onStop }: { readonly onStop: () => Promise<void> }) => {
  const [stopping, setStopping] = useState(false);
  useEffect(() => {
    if (!stopping) return undefined;
    const timer = setTimeout(() => setStopping(false), 10_000);
    return () => clearTimeout(timer);
  }, [stopping]);
  return (
    <Button
      tone="danger"
      small
      className="composer-stop"
      icon="stop"
      busy={stopping}
      tip="Stop this turn. Queued messages are put on hold (Esc)"
      onClick={() => {
        setStopping(true);
        void onStop().catch(() => setStopping(false));
      }}
    >
      <span className="send-word">{stopping ? "Stopping" : "Stop"}</span>
    </Button>
  );
};
