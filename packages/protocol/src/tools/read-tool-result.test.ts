import { describe, expect, expectTypeOf, it } from "vitest";
import { fc } from "../property.fixture.ts";
import { readToolResult, toolResultsOf } from "./read-tool-result.ts";
import type { ToolResult } from "./read-tool-result.ts";
import { recordedCalls } from "./recorded-calls.fixture.ts";
import type { RecordedResult } from "./recorded-calls.fixture.ts";
import { KNOWN_TOOLS, TOOL_ALIASES } from "./tool-inputs.ts";

const { results } = recordedCalls();
const readRecorded = ({ call, result }: RecordedResult) =>
  readToolResult(call.name, result.structured, result.block, call.input);

const stringsIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
};

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (content as { type: string; text?: string }[]).flatMap((part) => part.text ?? []).join("\n");

/** Lines that the CLI writes around a text, each with the field that it becomes. Checked in both directions. */
const WRAPPERS: readonly { line: RegExp; becomes: (read: ToolResult, match: RegExpExecArray) => boolean }[] = [
  { line: /^\[Request interrupted by user for tool use\]$/, becomes: (read) => read.interrupted === true },
  { line: /^\(Bash completed with no output\)$/, becomes: (read) => read.tool === "Bash" && read.text === "" },
  { line: /^<persisted-output>$/, becomes: (read) => read.persisted !== undefined },
  {
    line: /^Output too large \(([\d.]+)KB\)\. Full output saved to: (.+)$/,
    becomes: (read, match) =>
      read.persisted?.path === match[2] && read.persisted?.size === Math.round(Number(match[1]) * 1024),
  },
  { line: /^Preview \(first 2KB\):$/, becomes: (read) => read.persisted?.preview === read.text },
  { line: /^\.\.\.$/, becomes: (read) => read.persisted !== undefined },
  { line: /^<\/persisted-output>$/, becomes: (read) => read.persisted !== undefined },
  { line: /^<\/?system-reminder>$/, becomes: (read) => read.notes?.length === 1 },
  {
    line: /^\[Subagent hand-back\]/,
    becomes: (read) => read.tool === "Agent" && read.structured?.status === "completed",
  },
  {
    line: /^agentId: (\S+) /,
    becomes: (read, match) =>
      read.tool === "Agent" && read.structured !== undefined && stringsIn(read.structured).includes(match[1] ?? ""),
  },
  {
    line: /^<usage>(?:total|subagent)_tokens: (\d+)$/,
    becomes: (read, match) =>
      read.tool === "Agent" &&
      read.structured?.status === "completed" &&
      read.structured.totalTokens === Number(match[1]),
  },
  {
    line: /^tool_uses: (\d+)$/,
    becomes: (read, match) =>
      read.tool === "Agent" &&
      read.structured?.status === "completed" &&
      read.structured.totalToolUseCount === Number(match[1]),
  },
  {
    line: /^duration_ms: (\d+)<\/usage>$/,
    becomes: (read, match) =>
      read.tool === "Agent" &&
      read.structured?.status === "completed" &&
      read.structured.totalDurationMs === Number(match[1]),
  },
];

describe("every recorded result", () => {
  it("is read without losing a line of its text", () => {
    expect(results.length).toBeGreaterThan(200);
    const lost: string[] = [];
    const used = new Set<RegExp>();
    for (const recorded of results) {
      const read = readRecorded(recorded);
      const kept = new Set(stringsIn(read).flatMap((text) => text.split("\n").map((line) => line.trim())));
      const text = textOf(recorded.result.content).replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, "$1");
      for (const raw of text.split("\n")) {
        const line = recorded.call.name === "Read" ? raw.replace(/^ *\d+[→\t]/, "") : raw;
        if (line.trim() === "" || kept.has(line.trim())) continue;
        const wrapper = WRAPPERS.map(({ line: form, becomes }) => ({ form, becomes, match: form.exec(line) })).find(
          ({ match }) => match !== null,
        );
        if (wrapper?.match && wrapper.becomes(read, wrapper.match)) used.add(wrapper.form);
        else lost.push(`${recorded.call.where} ${recorded.call.name}: ${line}`);
      }
    }
    expect(lost).toEqual([]);
    const stale = WRAPPERS.filter(({ line }) => !used.has(line));
    expect(stale.map(({ line }) => String(line))).toEqual([]);
  });

  it("has a known form", () => {
    const unread = results.filter((recorded) => readRecorded(recorded).unread !== undefined);
    expect(unread.map(({ call }) => `${call.where} ${call.name}`)).toEqual([]);
  });

  it("fails if `is_error` says so, and then says why", () => {
    for (const recorded of results) {
      const read = readRecorded(recorded);
      expect(read.ok, recorded.call.where).toBe(recorded.result.isError !== true);
      expect(read.error !== undefined && read.error !== "", recorded.call.where).toBe(!read.ok);
    }
  });

  it("has its structured form, if it succeeded or a command ran, also inside a subagent", () => {
    const without = results.filter((recorded) => {
      const read = readRecorded(recorded);
      return !recorded.fromHost && (read.ok || read.exitCode !== undefined) && read.structured === undefined;
    });
    expect(without.map(({ call }) => `${call.where} ${call.name}`)).toEqual([]);
    expect(results.some(({ call, result }) => call.name === "Bash" && result.structured === undefined)).toBe(true);
  });

  it("has the same lines in text and in structure for a file", () => {
    let files = 0;
    for (const recorded of results) {
      const read = readRecorded(recorded);
      if (read.tool !== "Read" || read.structured?.type !== "text") continue;
      files += 1;
      const { content, startLine, numLines } = read.structured.file;
      expect(read.numbered?.lines.join("\n")).toBe(content);
      expect(read.text).toBe(content);
      expect([read.numbered?.startLine, read.numbered?.lines.length]).toEqual([startLine, numLines]);
    }
    expect(files).toBeGreaterThan(8);
  });

  it("means the same from the text alone, if the text is complete", () => {
    const derivable = ["Bash", "Task", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "Read", "TodoWrite"];
    let compared = 0;
    for (const { call, result } of results) {
      const whole = readToolResult(call.name, result.structured, result.block, call.input);
      if (!derivable.includes(call.name) || whole.persisted !== undefined) continue;
      const alone = readToolResult(call.name, undefined, result.block, call.input);
      expect(alone.text, call.where).toBe(whole.text);
      expect(alone.ok, call.where).toBe(whole.ok);
      if (alone.structured === undefined || whole.structured === undefined) continue;
      compared += 1;
      const { content: _, ...fields } = alone.structured as Record<string, unknown>;
      expect(whole.structured, call.where).toMatchObject(fields);
    }
    expect(compared).toBeGreaterThan(60);
  });
});

describe("readToolResult: dialects", () => {
  it("reads a Bash result that is a string as its output (S1)", () => {
    const text = "total 0\n";
    expect(readToolResult("Bash", text, { content: text, is_error: false })).toEqual({
      tool: "Bash",
      ok: true,
      text,
      structured: { stdout: text, stderr: "", interrupted: false, isImage: false },
    });
  });

  it("reads output that looks like an error as output", () => {
    const text = "Error: nothing to do\n<tool_use_error>x</tool_use_error>";
    for (const given of [text, { stdout: text, stderr: "", interrupted: false }]) {
      expect(readToolResult("Bash", given, { content: text })).toMatchObject({ ok: true, text });
    }
    expect(readToolResult("Bash", undefined, { content: "Exit code 3\nno", is_error: false })).toMatchObject({
      ok: true,
      text: "Exit code 3\nno",
    });
  });

  it("reads the exit code of a failed command (S1)", () => {
    const read = readToolResult("Bash", "Error: Exit code 3\nout\nerr", {
      content: "Exit code 3\nout\nerr",
      is_error: true,
    });
    expect(read).toEqual({
      tool: "Bash",
      ok: false,
      text: "out\nerr",
      error: "Exit code 3",
      exitCode: 3,
      structured: { stdout: "out\nerr", stderr: "", interrupted: false, isImage: false },
    });
  });

  it("reads a stopped command", () => {
    const content = "half\n<error>Command was aborted before completion</error>";
    const given = { stdout: "half", stderr: "", interrupted: true, isImage: false };
    expect(readToolResult("Bash", given, { content, is_error: true })).toEqual({
      tool: "Bash",
      ok: false,
      text: "half",
      error: "Command was aborted before completion",
      interrupted: true,
      structured: given,
    });
  });

  it("believes the structured result about an interrupt, and not what a command printed", () => {
    const stopped = { stdout: "half", stderr: "", interrupted: true };
    expect(readToolResult("Bash", stopped, { content: "half" })).toMatchObject({ text: "half", interrupted: true });
    for (const text of [
      "<error>Command was aborted before completion</error>",
      "(Bash completed with no output)",
      "Command running in background with ID: b1",
    ]) {
      const given = { stdout: text, stderr: "", interrupted: false };
      expect(readToolResult("Bash", given, { content: text })).toEqual({
        tool: "Bash",
        ok: true,
        text,
        structured: given,
      });
    }
  });

  it("reads `overwrite` as `update` (S1)", () => {
    const given = { type: "overwrite", filePath: "/f", content: "b", structuredPatch: [], originalFile: "a" };
    expect(readToolResult("Write", given, { content: "The file /f has been updated." })).toEqual({
      tool: "Write",
      ok: true,
      text: "The file /f has been updated.",
      structured: { ...given, type: "update" },
    });
  });

  it("unwraps a failure, with `is_error` and without (S1, S2)", () => {
    const content = "<tool_use_error>File has not been read yet.</tool_use_error>";
    const failed = {
      tool: "Edit",
      ok: false,
      text: "File has not been read yet.",
      error: "File has not been read yet.",
    };
    const given = "Error: File has not been read yet.";
    expect(readToolResult("Edit", given, { content, is_error: true })).toEqual(failed);
    expect(readToolResult("Edit", given, { content })).toEqual(failed);
    expect(readToolResult("Edit", given, { content: "File has not been read yet." })).toEqual(failed);
    expect(readToolResult("Edit", "Success", { content: "Done", is_error: false })).toEqual({
      tool: "Edit",
      ok: true,
      text: "Done",
      detail: "Success",
    });
  });

  it("keeps the reason of a failure that only the structured result has", () => {
    const read = readToolResult("Bash", "User rejected tool use", {
      content: "STOP what you are doing",
      is_error: true,
    });
    expect(read).toMatchObject({ ok: false, error: "STOP what you are doing", detail: "User rejected tool use" });
  });

  it("falls back to the structured result if there is no content", () => {
    expect(readToolResult("Glob", "Error: gone", { is_error: true })).toEqual({
      tool: "Glob",
      ok: false,
      text: "Error: gone",
      error: "gone",
    });
  });

  it("reads output that was saved to a file", () => {
    const content =
      "<persisted-output>\nOutput too large (1.5MB). Full output saved to: /h/a b.txt\n\nPreview (first 2KB):\n1\n2\n...\n</persisted-output>";
    expect(readToolResult("mcp__a__b", undefined, { content })).toEqual({
      tool: "other",
      name: "mcp__a__b",
      mcp: { server: "a", tool: "b" },
      ok: true,
      text: "1\n2",
      persisted: { path: "/h/a b.txt", size: 1_572_864, preview: "1\n2" },
    });
    const exact = { stdout: "1\n2\n3", stderr: "", interrupted: false, persistedOutputSize: 1_500_001 };
    expect(readToolResult("Bash", exact, { content }).persisted?.size).toBe(1_500_001);
    const printed = { stdout: content, stderr: "", interrupted: false };
    expect(readToolResult("Bash", printed, { content })).toMatchObject({ text: content });
  });

  it("reads a file's lines inside a subagent, where there is no structure", () => {
    const content =
      "     9→a\n    10→<system-reminder>b</system-reminder>\n\n<system-reminder>\nnote\n</system-reminder>\n";
    expect(readToolResult("Read", undefined, { content }, { file_path: "/f" })).toEqual({
      tool: "Read",
      ok: true,
      text: "a\n<system-reminder>b</system-reminder>",
      numbered: { startLine: 9, lines: ["a", "<system-reminder>b</system-reminder>"] },
      notes: ["note"],
      structured: {
        type: "text",
        file: { filePath: "/f", content: "a\n<system-reminder>b</system-reminder>", numLines: 2, startLine: 9 },
      },
    });
  });

  it("reads the warning about an empty file as a note", () => {
    const content = "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>";
    expect(readToolResult("Read", undefined, { content })).toEqual({
      tool: "Read",
      ok: true,
      text: "",
      notes: ["Warning: the file exists but the contents are empty."],
    });
  });

  it("keeps images and other parts", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
    const reference = { type: "tool_reference", tool_name: "WebFetch" };
    const content = [{ type: "text", text: "one" }, image, reference, 7, { type: "text", text: "two" }];
    expect(readToolResult("x", undefined, { content })).toEqual({
      tool: "other",
      name: "x",
      ok: true,
      text: "one\ntwo",
      images: [image],
      parts: [reference, 7],
    });
  });

  it("reads answers without their questions, given the call (S2)", () => {
    const questions = [{ question: "Which?", options: [{ label: "A" }, { label: "B" }] }];
    const read = readToolResult("AskUserQuestion", { answers: { 0: "A" } }, { content: "…" }, { questions });
    expect(read.structured).toEqual({ answers: { 0: "A" }, questions });
  });

  it("distinguishes a running call from an answered call", () => {
    const read = readToolResult("WebFetch", { detachedToolCall: true }, { content: "still running" });
    expect(read).toEqual({ tool: "WebFetch", ok: true, text: "still running", detached: true });
  });

  it("keeps a structured result of an unknown form", () => {
    expect(readToolResult("Agent", { status: "beamed_up" }, { content: "hi" })).toEqual({
      tool: "Agent",
      ok: true,
      text: "hi",
      unread: { status: "beamed_up" },
    });
  });

  it("narrows by the tool's name", () => {
    const read = readToolResult("Glob", { filenames: ["a"] }, { content: "a" });
    if (read.tool === "Glob") expectTypeOf(read.structured?.filenames).toEqualTypeOf<string[] | undefined>();
    expect(read).toEqual({ tool: "Glob", ok: true, text: "a", structured: { filenames: ["a"] } });
  });

  it("never throws, and keeps plain text whole", () => {
    const names = fc.constantFrom(...KNOWN_TOOLS, ...Object.keys(TOOL_ALIASES), "mcp__a__b", "__proto__");
    const block = fc.record({ content: fc.jsonValue(), is_error: fc.jsonValue() }, { requiredKeys: [] });
    fc.assert(
      fc.property(names, fc.jsonValue(), block, fc.jsonValue(), (name, given, content, input) => {
        const read = readToolResult(name, given, content, input);
        if (typeof content.content === "string" && content.content !== "" && read.tool !== "Read") {
          expect(read.text).toBe(content.content);
        }
      }),
    );
  });
});

describe("toolResultsOf", () => {
  const block = (id: string, content: string) => ({ type: "tool_result", tool_use_id: id, content, is_error: false });
  const message = (content: unknown, given?: unknown) => ({
    type: "user",
    message: { role: "user", content },
    ...(given !== undefined && { tool_use_result: given }),
  });

  it("gives the only structured result to the only block", () => {
    const only = block("t1", "a");
    expect(toolResultsOf(message([{ type: "text", text: "x" }, only], [{ type: "text", text: "a" }]))).toEqual([
      { toolUseId: "t1", content: "a", isError: false, structured: [{ type: "text", text: "a" }], block: only },
    ]);
  });

  it("gives the only structured result to no block of a batch (S1, S3)", () => {
    const batch = [block("t1", "a"), block("t2", "b")];
    expect(
      toolResultsOf(message(batch, { stdout: "b" })).map(({ toolUseId, structured }) => [toolUseId, structured]),
    ).toEqual([
      ["t1", undefined],
      ["t2", undefined],
    ]);
  });

  it("splits an array of the same length", () => {
    const batch = [block("t1", "a"), block("t2", "b")];
    expect(toolResultsOf(message(batch, ["a", { stdout: "b" }])).map(({ structured }) => structured)).toEqual([
      "a",
      { stdout: "b" },
    ]);
    expect(toolResultsOf(message(batch, ["a"])).map(({ structured }) => structured)).toEqual([undefined, undefined]);
  });

  it("reports no error if the wire does not, and nothing for other messages", () => {
    expect(toolResultsOf(message([{ type: "tool_result", tool_use_id: "t", content: "a" }]))).toEqual([
      { toolUseId: "t", content: "a", block: { type: "tool_result", tool_use_id: "t", content: "a" } },
    ]);
    expect(toolResultsOf(message("plain"))).toEqual([]);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toolResultsOf({ message: value, tool_use_result: value })).toEqual([]);
        expect(
          toolResultsOf({ message: { content: [value, { type: "tool_result", tool_use_id: "t", content: value }] } }),
        ).toHaveLength(1);
      }),
    );
  });
});
