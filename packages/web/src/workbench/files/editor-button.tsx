import { useState, useSyncExternalStore } from "react";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { kept } from "../../store/kept.ts";
import { editorHref, EDITORS, isEditorTemplate } from "./editors.ts";
import { WORDS } from "./words.ts";

const { editor: SAID } = WORDS;

/** The address of the editor that was chosen in this browser. */
const chosen = kept("editor", (value) => (typeof value === "string" && isEditorTemplate(value) ? value : ""));

/** Opens the file in an editor. The first press chooses the editor. */
export const EditorButton = ({ path, line }: { readonly path: string; readonly line: number | undefined }) => {
  const template = useSyncExternalStore(chosen.subscribe, chosen.get);
  const [asks, setAsks] = useState(false);
  const open = (next: string): void => {
    chosen.set(next);
    Object.assign(document.createElement("a"), { href: editorHref(next, { path, line }) }).click();
  };
  const own = template !== "" && !EDITORS.some((editor) => editor.template === template);
  return (
    <>
      <Menu
        className="icon-btn"
        label={SAID.open}
        tip={SAID.open}
        heading={SAID.openIn}
        items={[
          ...EDITORS.map((editor) => ({
            id: editor.id,
            label: editor.name,
            checked: editor.template === template,
            run: () => open(editor.template),
          })),
          ...(own
            ? [{ id: "own", label: SAID.yours, detail: template, checked: true, run: () => open(template) }]
            : []),
          { id: "other", label: SAID.another, apart: true, run: () => setAsks(true) },
        ]}
      >
        <Icon name="out" />
      </Menu>
      {asks && <EditorDialog template={template} onClose={() => setAsks(false)} onChoose={open} />}
    </>
  );
};

interface EditorDialogProps {
  readonly template: string;
  readonly onClose: () => void;
  readonly onChoose: (template: string) => void;
}

const EditorDialog = ({ template, onClose, onChoose }: EditorDialogProps) => {
  const [text, setText] = useState(template === "" ? EDITORS[0]!.template : template);
  const isGood = isEditorTemplate(text.trim());
  return (
    <Dialog
      title={SAID.title}
      about={SAID.about}
      onClose={onClose}
      footer={
        <Button
          tone="main"
          disabled={!isGood}
          onClick={() => {
            onClose();
            onChoose(text.trim());
          }}
        >
          {SAID.go}
        </Button>
      }
    >
      <label className="field">
        <span className="label">{SAID.address}</span>
        <input className="input mono" value={text} data-autofocus onChange={(event) => setText(event.target.value)} />
      </label>
      {!isGood && <p role="alert">{SAID.bad}</p>}
    </Dialog>
  );
};
