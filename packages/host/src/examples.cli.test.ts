// Runs the examples as a reader would, with the simulator instead of the CLI.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { writeScriptedClaude } from "@quarterdeck/test-kit/programs";

const SCRIPTS = [
  {
    when: "What is in this folder?",
    steps: [
      { say: [{ text: "Let me see." }, { tool: "Bash", input: { command: "touch seen && ls" } }] },
      { say: [{ text: "A file called seen." }] },
    ],
  },
  {
    when: "When is high water",
    steps: [
      { say: [{ tool: "mcp__tides__high_water", input: { harbour: "Dover" } }] },
      { say: [{ text: "At 06:15 and 18:40." }] },
    ],
  },
];

const runExample = (name: string): Promise<string> => {
  const root = scratchFolder();
  const program = join(root, "claude");
  writeScriptedClaude(program, SCRIPTS);
  const path = fileURLToPath(new URL(`../examples/${name}.ts`, import.meta.url));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: root,
    CLAUDE: program,
    QUARTERDECK_DATA_DIR: join(root, "data"),
  };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ["--conditions=source", path], { cwd: root, env }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
};

describe("the examples", () => {
  it("[H2] first-session streams, runs a tool after a permission request, and prints the cost", async () => {
    const output = await runExample("first-session");
    expect(output).toContain("Let me see.");
    expect(output).toContain("● Bash");
    expect(output).toContain("seen");
    expect(output).toMatch(/A file called seen\.\n\$0\.\d{4}\n$/);
  });

  it("[H9] own-tool answers from this process", async () => {
    expect(await runExample("own-tool")).toBe("At 06:15 and 18:40.\n");
  });
});
