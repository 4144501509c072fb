import { describe, expect, it } from "vitest";
import { fc } from "../property.fixture.ts";
import {
  readAgentLaunch,
  readAgentReport,
  readBackground,
  readExitCode,
  readNumbered,
  readPersistedOutput,
} from "./result-text.ts";

describe("readNumbered", () => {
  const separators = {
    "2.1.38": (n: number) => `${String(n).padStart(6)}→`,
    "2.1.325": (n: number) => `${n}\t`,
    tabs: (n: number) => `${n}:`,
  };

  it.each(Object.entries(separators))("reads what %s prints, whatever the file contains", (_, number) => {
    const line = fc.oneof(
      fc.string().filter((text) => !text.includes("\n")),
      fc.constantFrom("", "12→x", "3\tx", "<system-reminder>", "</system-reminder>", " 7:", "Exit code 1"),
    );
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1 }),
        fc.integer({ min: 1, max: 2_000_000 }),
        fc.boolean(),
        (lines, startLine, reminded) => {
          const text = lines.map((content, index) => `${number(startLine + index)}${content}`).join("\n");
          const trailer = reminded ? "\n\n<system-reminder>\nmind\n</system-reminder>\n" : "";
          expect(readNumbered(text + trailer, startLine)).toEqual({
            startLine,
            lines,
            notes: reminded ? ["mind"] : [],
          });
        },
      ),
    );
  });

  it("separates a notice before the lines", () => {
    expect(readNumbered("[Partial view]\n\n1\ta\n2\tb")).toEqual({
      startLine: 1,
      lines: ["a", "b"],
      notes: ["[Partial view]"],
    });
  });

  it("reads no numbers in other text", () => {
    expect(readNumbered("PDF pages extracted\n1:2 scale")).toBeUndefined();
    expect(readNumbered("3\ta", 4)).toBeUndefined();
    expect(readNumbered("1\ta\n2:b")).toEqual({ startLine: 1, lines: ["a"], notes: ["2:b"] });
    expect(readNumbered("")).toBeUndefined();
  });
});

describe("readExitCode", () => {
  it("accepts only the CLI's own line", () => {
    expect(readExitCode("Exit code 1")).toEqual({ exitCode: 1, output: "" });
    expect(readExitCode("Exit code -1\n\nx")).toEqual({ exitCode: -1, output: "\nx" });
    expect(readExitCode("Exit code 3 is not what I want")).toBeUndefined();
    expect(readExitCode("x\nExit code 3")).toBeUndefined();
  });
});

describe("readBackground", () => {
  it("reads the wordings of all versions", () => {
    const file = "/home/user/a b/tasks/b1.output";
    for (const text of [
      `Command running in background with ID: b1. Output is being written to: ${file}`,
      `Command was manually backgrounded by user with ID: b1. Output is being written to: ${file}. You will be notified.`,
      `Command did not complete within its 5s timeout and was moved to the background (ID: b1). Output is being written to: ${file}.`,
    ]) {
      expect(readBackground(text)).toEqual({ taskId: "b1", outputFile: file });
    }
    expect(readBackground("Command running in background with ID: b1")).toEqual({ taskId: "b1" });
    expect(readBackground("It is running in background")).toBeUndefined();
  });
});

describe("readPersistedOutput", () => {
  it("reads its other wordings", () => {
    expect(
      readPersistedOutput(
        "<persisted-output>\nOutput exceeded the 64MB persist limit; only the first 64MB were saved to: /p.txt\n\nPreview (start and end):\na\n[… 1KB omitted …]\nz\n</persisted-output>",
      ),
    ).toEqual({ path: "/p.txt", preview: "a\n[… 1KB omitted …]\nz" });
    expect(
      readPersistedOutput("<persisted-output>Tool result saved to: /p.txt\n\nUse Read to view</persisted-output>"),
    ).toEqual({
      path: "/p.txt",
      preview: "",
    });
    expect(
      readPersistedOutput(
        "<persisted-output>\nOutput too large (1023 bytes). Full output saved to: /p.json\n\nPreview (first 2KB):\nx\n</persisted-output>",
      ),
    ).toEqual({ path: "/p.json", size: 1023, preview: "x" });
  });

  it("must match the whole text", () => {
    expect(readPersistedOutput("see <persisted-output>saved to: /p</persisted-output>")).toBeUndefined();
    expect(readPersistedOutput("<persisted-output></persisted-output>")).toBeUndefined();
  });
});

describe("readAgentReport", () => {
  it("keeps a report's own lines", () => {
    const report = "First:\n\n    indented\nagentId: none (yet)\nlast";
    expect(readAgentReport(`${report}\nagentId: a1 (for resuming to continue this agent's work if needed)`)).toEqual({
      report,
      agentId: "a1",
    });
    expect(readAgentReport(report)).toEqual({ report });
    const framed = `[Subagent hand-back] The report follows:\n${report.replace(/^/gm, "  ")}\nagentId: a1 (x)\n<usage>subagent_tokens: 3\ntool_uses: 2\nduration_ms: 1</usage>`;
    expect(readAgentReport(framed)).toEqual({
      report,
      agentId: "a1",
      totalTokens: 3,
      totalToolUseCount: 2,
      totalDurationMs: 1,
    });
  });

  it("does not match the text of a launch", () => {
    expect(readAgentLaunch("Async agent launched successfully.\nagentId: a1 (internal)\noutput_file: /o")).toEqual({
      agentId: "a1",
      outputFile: "/o",
    });
    expect(readAgentLaunch("agentId: a1")).toBeUndefined();
  });
});
