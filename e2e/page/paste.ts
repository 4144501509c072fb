// What comes from a clipboard: the browser gives a page no way to put files there, so the event itself is made.

import type { Page } from "playwright-core";
import { composerOf } from "./journey.ts";

/** 40 by 30 pixels of one color. */
const pictureOf = (page: Page): Promise<number[]> =>
  page.evaluate(async () => {
    const canvas = new OffscreenCanvas(40, 30);
    const pen = canvas.getContext("2d")!;
    pen.fillStyle = "#d9a94a";
    pen.fillRect(0, 0, 40, 30);
    const blob = await canvas.convertToBlob({ type: "image/png" });
    return [...new Uint8Array(await blob.arrayBuffer())];
  });

export const pastePicture = async (page: Page, name: string): Promise<void> => {
  const bytes = await pictureOf(page);
  await composerOf(page).focus();
  await composerOf(page).evaluate(
    (box, { data, called }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(data)], called, { type: "image/png" }));
      box.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
    },
    { data: bytes, called: name },
  );
};

export const pasteText = async (page: Page, text: string): Promise<void> => {
  await composerOf(page).focus();
  await composerOf(page).evaluate((box, words) => {
    const transfer = new DataTransfer();
    transfer.setData("text/plain", words);
    box.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
  }, text);
};
