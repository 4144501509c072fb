/** A hook's own words about a prompt. The CLI adds its own text, the hook's command and the prompt; they are removed. */
export const hookReason = (reason: string): string =>
  reason
    .replace(/^\w+ operation blocked by hook:\s*(?:\[[\s\S]*?\]: )?/u, "")
    .replace(/\s*Original prompt: [\s\S]*$/u, "")
    .trim() || reason;
