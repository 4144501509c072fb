/** The mark of a footnote. A press goes to the note, which may stand in another block of the same text. */
import { WORDS } from "../words.ts";

export const NoteRef = ({ label }: { readonly label: string }) => (
  <sup>
    <button
      type="button"
      className="note-ref"
      aria-label={WORDS.footnote(label)}
      onClick={({ currentTarget }) => {
        const root = currentTarget.closest(".list-flow") ?? currentTarget.closest(".prose");
        const notes = [...(root?.querySelectorAll<HTMLElement>("[data-note]") ?? [])].filter(
          ({ dataset }) => dataset["note"] === label,
        );
        // The next one below: an earlier answer may use the same label.
        const note = notes.find(
          (each) => currentTarget.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING,
        );
        note?.scrollIntoView({ block: "nearest" });
        note?.focus();
      }}
    >
      {label}
    </button>
  </sup>
);
