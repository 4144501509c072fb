// Parts of the composer that open on demand: attached files, completions, side questions, a stop that takes long.

export const english = {
  attached: "Attached files",
  insert: "Insert as text",
  remove: (name: string) => `Remove ${name}`,
  upload: (name: string) => `Upload of ${name}`,
  preparing: "preparing",
  progress: (share: string, size: string) => `${share} of ${size}`,
  failed: "upload failed",
  notImage: "not a valid image",
  completions: "Completions",
  also: (aliases: readonly string[]) => ` (also /${aliases.join(", /")})`,
  opensHere: "opens here",
  aside: "Side question",
  closeAside: "Close side question",
  waiting: "Waiting for an answer…",
  noAnswer: "No answer",
  notStopped: "Claude Code has not stopped yet.",
  stopHow:
    "It may be busy with a command. If you stop the process, the conversation, finished steps, changed files and queued messages are kept. The step that runs now is lost. Your next message resumes the session.",
  stop: "Stop the process",
};
