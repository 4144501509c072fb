// Changes a prompt that has not started.

import { useState } from "react";
import type { PromptRow } from "@quarterdeck/client";
import { typedText, withTypedText } from "@quarterdeck/client/content";
import { isKey } from "../../keys/key-table.ts";
import { Button } from "../../parts/button.tsx";
import { useFocusBack } from "../../parts/focus-back.ts";
import { useScope } from "../scope.tsx";
import { WORDS } from "../rare-words.ts";

export const PromptEditor = ({ row, onEnd }: { readonly row: PromptRow; readonly onEnd: () => void }) => {
  const { actions } = useScope();
  useFocusBack();
  const [text, setText] = useState(() => typedText(row.content));
  const [busy, setBusy] = useState(false);
  const save = () => {
    setBusy(true);
    actions.editPrompt(row.uuid!, withTypedText(row.content, text)).then(onEnd, (error: unknown) => {
      setBusy(false);
      actions.toast(error instanceof Error ? error.message : String(error), { tone: "bad" });
    });
  };
  return (
    <form
      className="you-editor"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        aria-label={WORDS.editMessage}
        value={text}
        rows={Math.min(12, text.split("\n").length + 1)}
        // The person has just asked to write here.
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            onEnd();
          } else if (isKey("message.send", event) && !event.nativeEvent.isComposing) {
            event.preventDefault();
            save();
          }
        }}
      />
      <div className="you-actions">
        <Button small type="submit" busy={busy} disabled={text.trim() === ""}>
          {row.state === "held" ? WORDS.send : WORDS.save}
        </Button>
        <Button small tone="quiet" onClick={onEnd}>
          {WORDS.cancel}
        </Button>
      </div>
    </form>
  );
};
