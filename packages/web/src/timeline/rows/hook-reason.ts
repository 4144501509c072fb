/** What a hook said of a prompt, without what the CLI wraps around it: its own words, the hook's command and the prompt. */
export const hookReason = (reason: string): string =>
  reason
    .replace(/^\w+ operation blocked by hook:\s*(?:\[[\s\S]*?\]: )?/u, "")
    .replace(/\s*Original prompt: [\s\S]*$/u, "")
    .trim() || reason;
