// Changes to a textarea that the browser can undo, and a height that follows the text.

/** Like typing: the browser's own undo reverts it. */
export const replaceText = (box: HTMLTextAreaElement, from: number, to: number, insert: string): void => {
  box.focus();
  box.setSelectionRange(from, to);
  const done =
    insert === "" ? from === to || document.execCommand("delete") : document.execCommand("insertText", false, insert);
  if (done) return;
  box.setRangeText(insert, from, to, "end");
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
};

const grows = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

/** For browsers whose CSS cannot do it. */
export const fitHeight = (box: HTMLTextAreaElement): void => {
  if (grows) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
};
