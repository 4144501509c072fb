// The dialog that goes back to before a message, and the list of files that change.

import { plural } from "../format.ts";

export const english = {
  actions: { write: "restored", create: "brought back", remove: "deleted" },
  filesChange: "Files that change",
  filesStay: "Files that stay as they are",
  alsoOutside: "also changed outside this session",
  aFile: "A file",
  choices: {
    both: "Files and conversation",
    code: "Files only",
    conversation: "Conversation only",
  },
  about: {
    both: "Restores the files, and continues before this message in a new session",
    code: "Restores the files as they were before this message",
    conversation: "Continues before this message in a new session. Files stay",
  },
  /** `stayed`: files that changed since. */
  undone: (files: number, stayed: number) =>
    `The rewind is undone: ${plural(files, "file")} restored.${stayed === 0 ? "" : ` ${plural(stayed, "file")} changed since and stayed.`}`,
  /** `files`: undefined if only the conversation went back. */
  done: (files: number | undefined, stayed: number) =>
    `Rewound.${files === undefined ? "" : ` ${plural(files, "file")} restored.`}${stayed === 0 ? "" : ` ${plural(stayed, "file")} stayed.`}`,
  goBack: "Go back",
  undo: "Undo",
  editTitle: "Edit and resend",
  title: "Rewind to before this message",
  editAbout: "Continues before this message in a new session. This one stays as it is.",
  running: "A turn is running. Stop it, or wait until it ends.",
  cancel: "Cancel",
  go: "Continue",
  rewind: "Rewind",
  message: "Message",
  what: "What to rewind",
  noSnapshot: "No snapshot was taken before this message",
  nothing: "The files are as they were then.",
  wouldChange: (count: number) => `${plural(count, "file")} would change:`,
  others: "Also restore files that were changed outside this session",
  rowsStay: (count: number) => `${plural(count, "row")} from this message on stay in this session only.`,
  safe: "Files can be restored again with Undo. No session is deleted.",
};
