import { describe, expect, it } from "vitest";
import { fc } from "../property.fixture.ts";
import { recordedLines } from "@quarterdeck/test-kit/recorded-lines";
import { readCommandText } from "./command-text.ts";
import { readContextTable, readTokenCount } from "./context-table.ts";

const sources = recordedLines().flatMap(({ msg }) => {
  const message = msg?.["message"] as { content?: unknown } | undefined;
  const texts = [msg?.["local_command_source"], msg?.["type"] === "user" ? message?.content : undefined];
  return texts.filter((text) => typeof text === "string");
});

describe("readCommandText", () => {
  it("reads every recorded command, and no recorded prompt", () => {
    const tagged = sources.filter((text) => text.includes("<local-command-") || text.includes("<command-name>"));
    expect(tagged.length).toBeGreaterThan(25);
    for (const text of tagged) {
      const { name, message, args, stdout, stderr } = readCommandText(text) ?? {};
      const again =
        name === undefined
          ? stdout === undefined
            ? `<local-command-stderr>${stderr}</local-command-stderr>`
            : `<local-command-stdout>${stdout}</local-command-stdout>`
          : `<command-name>/${name}</command-name>\n            <command-message>${message}</command-message>\n            <command-args>${args}</command-args>`;
      expect(again).toBe(text);
    }
    for (const text of sources.filter((source) => !tagged.includes(source)))
      expect(readCommandText(text)).toBeUndefined();
  });

  it("reads the other order, the skill's form and a caveat", () => {
    expect(
      readCommandText(
        "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>42</command-args>",
      ),
    ).toEqual({
      message: "review",
      name: "review",
      args: "42",
    });
    expect(
      readCommandText(
        "<command-message>pdf</command-message>\n<command-name>pdf</command-name>\n<skill-format>true</skill-format>",
      ),
    ).toEqual({
      message: "pdf",
      name: "pdf",
      rest: "<skill-format>true</skill-format>",
    });
    expect(readCommandText("<local-command-caveat>Caveat: x</local-command-caveat>")).toEqual({ caveat: "Caveat: x" });
    expect(
      readCommandText("<local-command-stdout>a</local-command-stdout>\n<local-command-stderr>b</local-command-stderr>"),
    ).toEqual({ stdout: "a", stderr: "b" });
  });

  it("ignores a person's text about tags", () => {
    expect(readCommandText("what is <command-name>x</command-name>?")).toBeUndefined();
  });

  it("reads any output, even with its own closing tag, even cut off", () => {
    const output = fc.oneof(fc.string(), fc.constantFrom("a</local-command-stdout>b", "<local-command-stdout>"));
    fc.assert(
      fc.property(output, (text) => {
        expect(readCommandText(`<local-command-stdout>${text}</local-command-stdout>`)).toEqual({ stdout: text });
      }),
    );
    expect(readCommandText("<local-command-stdout>half")).toEqual({ stdout: "half" });
  });
});

describe("readContextTable", () => {
  it("reads the table of 2.1.38", () => {
    const text = [
      "<local-command-stdout>",
      "## Context Usage",
      "**Model:** claude-sonnet-4-5-20250929",
      "**Tokens:** 23.9k / 200k (12%)",
      "",
      "| Category           | Tokens |",
      "|--------------------|--------|",
      "| System prompt      |  3,200 |",
      "| Compact buffer     |      0 |",
      "| Free space         | 176,900|",
      "</local-command-stdout>",
    ].join("\n");
    expect(readContextTable(text)).toEqual({
      model: "claude-sonnet-4-5-20250929",
      used: 23_900,
      total: 200_000,
      percentage: 12,
      categories: [
        { name: "System prompt", tokens: 3200 },
        { name: "Compact buffer", tokens: 0 },
        { name: "Free space", tokens: 176_900 },
      ],
    });
  });

  it("reads the recorded tables", () => {
    const tables = sources.flatMap((text) => readContextTable(text) ?? []);
    expect(
      tables.map(({ model, used, total, percentage, categories }) => [
        model,
        used,
        total,
        percentage,
        categories.length,
      ]),
    ).toEqual([
      ["claude-sonnet-4-5-20250929", 10, 200_000, 0, 5],
      ["claude-opus-5-5", 3500, 1_000_000, 0, 5],
      ["claude-sonnet-4-5-20250929", 10, 200_000, 0, 5],
    ]);
    expect(tables[1]?.categories).toEqual([
      { name: "System prompt", tokens: 900, percentage: 0.1 },
      { name: "Skills", tokens: 2100, percentage: 0.2 },
      { name: "Messages", tokens: 498, percentage: 0 },
      { name: "Free space", tokens: 963_500, percentage: 96.4 },
      { name: "Autocompact buffer", tokens: 33_000, percentage: 3.3 },
    ]);
  });

  it("reads numbers as the CLI writes them", () => {
    expect(["10", "1,200", "23.9k", "200.0k", "1m", "~480", "1.5M", "", "k", "12%"].map(readTokenCount)).toEqual([
      10,
      1200,
      23_900,
      200_000,
      1_000_000,
      480,
      1_500_000,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("returns nothing for other text", () => {
    expect(readContextTable("## Context Usage")).toBeUndefined();
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readContextTable(text)).toBeUndefined();
      }),
    );
  });
});
