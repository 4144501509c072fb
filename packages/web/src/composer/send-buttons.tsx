import { useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { hintOf } from "../keys/key-table.ts";
import type { Priority } from "./outbox.ts";
import { WORDS } from "./words.ts";

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
          tip={`${running ? WORDS.nextHow : WORDS.send} (${hintOf("message.send")})`}
        >
          <span className="send-word">{uploading ? WORDS.uploading : running ? WORDS.add : WORDS.send}</span>
        </Button>
        {running && (
          <Menu
            className="btn btn-main btn-small send-how"
            label={WORDS.sendHow}
            heading={WORDS.whileRunning}
            items={[
              {
                id: "next",
                label: WORDS.next,
                detail: WORDS.nextHow,
                keys: hintOf("message.send"),
                run: () => onSend(),
              },
              {
                id: "later",
                label: WORDS.later,
                detail: WORDS.laterHow,
                keys: hintOf("message.later"),
                run: () => onSend("later"),
              },
              {
                id: "now",
                label: WORDS.now,
                detail: WORDS.nowHow,
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
      tip={WORDS.stopHow}
      onClick={() => {
        setStopping(true);
        void onStop().catch(() => setStopping(false));
      }}
    >
      <span className="send-word">{stopping ? WORDS.stopping : WORDS.stop}</span>
    </Button>
  );
};
