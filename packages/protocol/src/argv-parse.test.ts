import { fc } from "./property.fixture.ts";
import { describe, expect, it } from "vitest";
import { parseArgv, splitTools } from "./argv-parse.ts";
import { EVERY_FLAG } from "./flags.ts";

const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const nothing = { options: {}, unknown: [], invalid: [], positional: [] };

describe("parseArgv", () => {
  it.each<[string, string[], Partial<ReturnType<typeof parseArgv>>]>([
    ["a value behind its flag", ["--model", "opus"], { options: { model: "opus" } }],
    ["a value in the same word", ["--model=a=b"], { options: { model: "a=b" } }],
    ["an empty value in the same word", ["--system-prompt="], { options: { systemPrompt: "" } }],
    ["the last of two", ["--model", "a", "--model", "b"], { options: { model: "b" } }],
    ["a needed value that begins with a dash", ["--system-prompt", "-p"], { options: { systemPrompt: "-p" } }],
    ["short flags", ["-p", "-c", "-n", "Deck"], { options: { print: true, continue: true, name: "Deck" } }],
    ["short flags in one word", ["-pc"], { options: { print: true, continue: true } }],
    ["a short flag with its value", [`-r${ID}`], { options: { resume: ID } }],
    ["short flags with a value at the end", [`-pr${ID}`], { options: { print: true, resume: ID } }],
    ["-d2e, which is one flag", ["-d2e"], { options: { debugToStderr: true } }],
    ["an optional value", ["--resume", ID, "--verbose"], { options: { resume: ID, verbose: true } }],
    ["an optional value that is absent", ["--resume", "--verbose"], { options: { resume: true, verbose: true } }],
    ["a debug filter in both forms", ["--debug", "api"], { options: { debug: "api" } }],
    ["a debug filter in the same word", ["--debug=api"], { options: { debug: "api" } }],
    ["a switch", ["--prompt-suggestions", "off"], { options: { promptSuggestions: false } }],
    ["a bare switch", ["--prompt-suggestions"], { options: { promptSuggestions: true } }],
    ["both spellings", ["--allowed-tools", "Read"], { options: { allowedTools: ["Read"] } }],
    [
      "tools as the CLI splits them",
      ["--allowedTools", "Bash(git *) Edit,Read", "Grep", "--allowed-tools=Glob", "--verbose"],
      { options: { allowedTools: ["Bash(git *)", "Edit", "Read", "Grep", "Glob"], verbose: true } },
    ],
    ["no tools", ["--tools", "", "--verbose"], { options: { tools: [], verbose: true } }],
    ["no sources", ["--setting-sources", ""], { options: { settingSources: [] } }],
    ["a repeated flag", ["--plugin-dir", "a", "--plugin-dir", "b"], { options: { pluginDir: ["a", "b"] } }],
    [
      "servers as JSON and as path",
      ["--mcp-config", '{"mcpServers":{}}', "a.json"],
      { options: { mcpConfig: [{ mcpServers: {} }, "a.json"] } },
    ],
    ["numbers", ["--max-turns", "3", "--max-budget-usd", "1e-7"], { options: { maxTurns: 3, maxBudgetUsd: 1e-7 } }],
    ["a prompt", ["-p", "Say hello."], { options: { print: true, prompt: "Say hello." }, positional: ["Say hello."] }],
    [
      "a prompt behind --",
      ["--tools", "Read", "--", "-x", "more"],
      { options: { tools: ["Read"], prompt: "-x" }, positional: ["-x", "more"] },
    ],
    [
      "a prompt that a list swallows, as in the CLI",
      ["-p", "--tools", "Read", "hello"],
      { options: { print: true, tools: ["Read", "hello"] } },
    ],
    [
      "a prompt behind a list in one word",
      ["--tools=Read", "hello"],
      { options: { tools: ["Read"], prompt: "hello" }, positional: ["hello"] },
    ],
    ["a prompt behind --tmux", ["--tmux", "hi"], { options: { tmux: true, prompt: "hi" }, positional: ["hi"] }],
    ["--tmux=classic", ["--tmux=classic"], { options: { tmux: "classic" } }],
    ["a dash alone", ["-"], { options: { prompt: "-" }, positional: ["-"] }],
    [
      "a command with its own flags",
      ["--verbose", "mcp", "add", "--transport", "http"],
      { options: { verbose: true }, positional: ["mcp", "add", "--transport", "http"] },
    ],
    [
      "an unknown flag with what could be its values",
      ["--from-the-future", "a", "b", "--verbose", "-x"],
      { options: { verbose: true }, unknown: ["--from-the-future", "a", "b", "-x"] },
    ],
    ["a value where none is taken", ["--verbose=yes"], { unknown: ["--verbose=yes"] }],
    [
      "a value that is not a choice",
      ["--permission-mode", "x"],
      { invalid: [{ flag: "--permission-mode", value: "x" }] },
    ],
    ["a value that is not a number", ["--max-turns", "many"], { invalid: [{ flag: "--max-turns", value: "many" }] }],
    ["a value that is not JSON", ["--json-schema", "{"], { invalid: [{ flag: "--json-schema", value: "{" }] }],
    ["a value that is missing", ["--model"], { invalid: [{ flag: "--model", value: undefined }] }],
  ])("reads %s", (_, argv, expected) => {
    expect(parseArgv(argv)).toEqual({ ...nothing, ...expected });
  });

  it("reads any words, and loses no flag", () => {
    const names = EVERY_FLAG.flatMap(([, flag]) => [flag.flag, ...(flag.aliases ?? [])]);
    const words = fc.array(fc.oneof(fc.constantFrom(...names), fc.string(), fc.constantFrom("--", "-", "--x", "mcp")));
    fc.assert(
      fc.property(words, (argv) => {
        const { options, unknown, invalid, positional } = parseArgv(argv);
        const found = Object.keys(options).length + unknown.length + invalid.length + positional.length;
        expect(found > 0).toBe(argv.some((word) => word !== "--"));
      }),
    );
  });
});

describe("splitTools", () => {
  it.each([
    ["Read", ["Read"]],
    ["Read, Edit", ["Read", "Edit"]],
    ["Bash(git log, git diff) mcp__a__b", ["Bash(git log, git diff)", "mcp__a__b"]],
    ["Bash(f(a, b), c)", ["Bash(f(a, b), c)"]],
    ["Bash(open", ["Bash(open"]],
    ["a) b", ["a)", "b"]],
    [" , ", []],
  ])("splits %s", (text, tools) => {
    expect(splitTools(text)).toEqual(tools);
  });
});
