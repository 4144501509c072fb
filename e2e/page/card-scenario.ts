// What the model asks for in the journeys of the request card.

import type { Block, Scenario, Script } from "@quarterdeck/simulator";

const text = (words: string): Block => ({ text: words });
const use = (tool: string, input: Readonly<Record<string, unknown>>): Block => ({ tool, input });
const script = (when: string, ...said: readonly Block[]): Script => ({
  when,
  steps: said.map((say) => ({ say: [say] })),
});

export const UPLOAD = `const store = connect();

export const putPart = async (part) => {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await store.put(part);
    if (answer.ok) return;
    if (attempt === 3) throw new Error("part failed");
    await backoff(attempt);
  }
};
`;

/** Nothing is there to be deleted, and there is no remote. */
const DANGEROUS = "rm -rf build .cache && git push --force origin release/2.4";
const LONG_FILE = Array.from({ length: 200 }, (_, at) => `export const tide${String(at + 1)} = ${String(at)};\n`).join(
  "",
);

export const CARD_SCENARIO: Scenario = {
  name: "card",
  scripts: [
    script(
      "publish it",
      use("Bash", { command: DANGEROUS, description: "Clear the build output and publish the rebased branch" }),
      text("Published."),
    ),
    script(
      "log every retry",
      use("Read", { file_path: "{{cwd}}/src/upload.mjs" }),
      use("Edit", {
        file_path: "{{cwd}}/src/upload.mjs",
        old_string: '    if (attempt === 3) throw new Error("part failed");\n    await backoff(attempt);\n',
        new_string:
          '    if (attempt === MAX_ATTEMPTS) throw new Error("part failed");\n    const waited = await backoff(attempt);\n    log.info("retry", { attempt, waited });\n',
      }),
      text("Logged."),
    ),
    script(
      "write the tides",
      use("Write", { file_path: "{{cwd}}/tides.mjs", content: LONG_FILE }),
      text("The tides are written."),
    ),
    script("ring once", use("Bash", { command: "touch bell.txt", description: "Ring the bell" }), text("Rung.")),
    script(
      "ring twice",
      use("Bash", { command: "touch bell.txt" }),
      use("Bash", { command: "touch bell.txt" }),
      text("Rung twice."),
    ),
    script("look away", use("Bash", { command: "touch gone.txt" }), text("Then not.")),
  ],
  otherwise: [{ say: [text("I know nothing of that.")] }],
};
