// What `claude -p` does with stdin: text that is piped to it follows the prompt.

const MOST_BYTES = 10 * 1024 * 1024;
/** A script may leave a pipe open that nobody writes to. Claude Code waits as long. */
const PATIENCE_MS = 3000;

export interface Stdin extends AsyncIterable<Buffer | string> {
  readonly isTTY?: boolean;
  unref?(): void;
}

export class StdinTooLong extends Error {}

/** Appends the piped text to the prompt. Without a prompt, it waits for the end of stdin. */
export const promptWithStdin = async (prompt: string, stdin: Stdin, say: (text: string) => void): Promise<string> => {
  if (stdin.isTTY === true) return prompt;
  const quiet = Promise.withResolvers<"quiet">();
  const chunks: Buffer[] = [];
  let timer = prompt === "" ? undefined : setTimeout(() => quiet.resolve("quiet"), PATIENCE_MS);
  const reading = (async (): Promise<"ended"> => {
    let bytes = 0;
    for await (const chunk of stdin) {
      clearTimeout(timer);
      timer = undefined;
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > MOST_BYTES) throw new StdinTooLong(`stdin is longer than ${MOST_BYTES / 1024 / 1024} MB.`);
      chunks.push(part);
    }
    return "ended";
  })();
  const how = await Promise.race([reading, quiet.promise]);
  clearTimeout(timer);
  if (how === "quiet") {
    stdin.unref?.();
    say(
      "Nothing came from stdin in 3 seconds, so the prompt is sent without it. Add `< /dev/null` to skip this wait.\n",
    );
    return prompt;
  }
  return [prompt, Buffer.concat(chunks).toString("utf8")].filter((text) => text !== "").join("\n");
};
