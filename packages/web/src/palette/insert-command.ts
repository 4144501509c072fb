// A chosen command goes into the message. Nothing is sent, and what was typed becomes its arguments.

import { replaceText } from "../composer/textarea.ts";

export const insertCommand = (name: string): void => {
  const box = document.querySelector<HTMLTextAreaElement>("#composer");
  if (box === null) return;
  const typed = /^\/\S*\s?/u.exec(box.value)?.[0].length ?? 0;
  replaceText(box, 0, typed, `/${name} `);
  box.setSelectionRange(box.value.length, box.value.length);
};

/** The first button of its row is the one for models. */
export const openModels = (): void => document.querySelector<HTMLElement>(".composer button.pill")?.click();
