// Small parts that many surfaces share: dialogs, messages, buttons.

import { plural } from "../format.ts";

export const english = {
  close: "Close",
  dismiss: "Dismiss",
  notifications: "Notifications",
  notLoaded: "This part of the page failed to load.",
  again: "Try again",
  reload: "Reload",
  copy: "Copy",
  copied: "Copied",
  noCopy: "Copying isn't allowed here",
  files: (count: number) => plural(count, "file"),
};
