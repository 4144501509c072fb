// Documented flags of the newest measured version that older ones lack, as a list for people. A page loads it without the table in
// flags.ts, which is large. A test compares both.

const SINCE: Readonly<Record<`--${string}`, string>> = {
  "--from-pr": "2.1.29",
  "--effort": "2.1.38",
  "--include-hook-events": "2.1.325",
  "--forward-subagent-text": "2.1.325",
  "--prompt-suggestions": "2.1.325",
  "--name": "2.1.325",
  "--worktree": "2.1.325",
  "--tmux": "2.1.325",
  "--autocompact": "2.1.325",
  "--system-prompt-snapshot": "2.1.325",
  "--exclude-dynamic-system-prompt-sections": "2.1.325",
  "--permission-prompts": "2.1.325",
  "--restricted": "2.1.325",
  "--plugin-url": "2.1.325",
  "--bare": "2.1.325",
  "--safe-mode": "2.1.325",
  "--brief": "2.1.325",
  "--ax-screen-reader": "2.1.325",
  "--bg": "2.1.325",
  "--desktop": "2.1.325",
  "--cloud": "2.1.325",
  "--environment": "2.1.325",
  "--remote-control": "2.1.325",
  "--remote-control-session-name-prefix": "2.1.325",
};

/** Whether a version, as `2.1.38`, is older than another. */
export const isOlder = (one: string, other: string): boolean => {
  const [a, b] = [one.split("."), other.split(".")];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at !== -1 && Number(a[at]) < Number(b[at]);
};

export const flagsLackingIn = (version: string): readonly string[] =>
  Object.keys(SINCE).filter((flag) => isOlder(version, SINCE[flag as `--${string}`]!));
