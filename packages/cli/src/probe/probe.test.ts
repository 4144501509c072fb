import { readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test, vi } from "vitest";
import { nodeProgram, program, scratchFolder } from "../fake-claude.fixture.ts";
import { compareWithHelp, flagsInHelp, probe } from "./probe.ts";
import { probeTable } from "./probe-table.ts";

const HELP = `Usage: claude [options]

Options:
  -p, --print                 Print, see --not-a-flag-line
  --model <model>             Model
  --zigzag                    Something that nobody knows

Commands:
  mcp --of-a-command          Servers
`;

// Reports its environment, so that a test can see that nothing else came through.
const CLAUDE = `
const names = [{type:"system",subtype:"init",session_id:1},{type:"system",subtype:"zigzagged",session_id:1}];
const seen = (q) => q.request.subtype==="interrupt" || q.request.subtype==="zigzag";
const rows = [{type:"system",subtype:"zag_row"}, {type:"button"}];
class Option {};
new Option("--max-turns <n>");
new Set(["--resume"]);
if (process.argv[2] === "--version") console.log("9.9.9 (Claude Code)");
else if (process.argv[2] === "--help") console.log(${JSON.stringify(HELP)});
else process.stdin.once("data", (line) => {
  const { request_id } = JSON.parse(line);
  const response = {
    commands: Object.keys(process.env).map((name) => ({ name, description: "" })),
    models: [{ value: "default" }], agents: [{ name: "Plan" }],
    capabilities: ["msg_lifecycle_v1", "zigzag_v1"], current_permission_mode: "default",
  };
  console.log(JSON.stringify({ type: "zigzag_event", home: process.env.HOME }));
  console.log(JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response } }));
});
`;

test("reports what is new, what is known and what a live program answers", async () => {
  vi.stubEnv("QUARTERDECK_SECRET_OF_THE_PERSON", "1");
  onTestFinished(() => void vi.unstubAllEnvs());
  const claude = nodeProgram(realpathSync(scratchFolder()), "claude", CLAUDE);
  const report = await probe({ claude });
  expect(report.version).toBe("9.9.9 (Claude Code)");
  expect(report.program).toMatchObject({ command: claude, file: claude, kind: "script" });
  expect(report.messages.known).toEqual(["system/init"]);
  expect(report.messages.new).toEqual([{ name: "system/zigzagged", evidence: "sent" }]);
  expect(report.messages.perhaps).toEqual([{ name: "system/zag_row", evidence: "named" }]);
  expect(report.messages.absent).toContain("result/success");
  expect(report.controlRequests.known).toEqual(["control_request/interrupt"]);
  expect(report.controlRequests.new).toEqual([{ name: "control_request/zigzag", evidence: "compared" }]);
  expect(report.ignoredTypes).toEqual(["button"]);
  expect(report.flags).toMatchObject({
    known: ["--print", "--model", "--max-turns"],
    new: ["--zigzag"],
    hidden: ["--max-turns"],
  });
  expect(report.flags.absent).toContain("--resume");
  const { live } = report;
  if (!live.ok) throw new Error(live.reason);
  expect(live).toMatchObject({
    lines: 2,
    undecoded: [expect.stringContaining("zigzag_event")],
    answerFits: true,
    capabilities: ["msg_lifecycle_v1", "zigzag_v1"],
    newCapabilities: ["zigzag_v1"],
    models: ["default"],
    agents: ["Plan"],
    permissionMode: "default",
  });
  expect(live.commands).toContain("ANTHROPIC_BASE_URL");
  expect(live.commands).not.toContain("QUARTERDECK_SECRET_OF_THE_PERSON");
  const home = (JSON.parse(live.undecoded[0]!) as { home: string }).home;
  expect(home).not.toBe(process.env["HOME"]);

  const table = probeTable(report, { paint: (_, text) => text, width: 80 });
  expect(table).toContain("New here: 1 flag, 1 message, 1 control request, 1 capability.");
  for (const line of table.split("\n")) if (!line.includes("/")) expect(line.length).toBeLessThanOrEqual(80);
});

test("internal types are not news; a message with the name of a known control request is", () => {
  const names = {
    messages: new Map([
      ["bash_command", "declared"],
      ["interrupt", "declared"],
      ["control_request/interrupt", "declared"],
      ["control_request/add_directory", "declared"],
    ] as const),
    unplaced: new Map(),
    otherTypes: new Set(["update_environment_variables", "button"]),
    flags: new Set<string>(),
  };
  const { messages, controlRequests, ignoredTypes } = compareWithHelp(names, []);
  expect(messages.new).toEqual([{ name: "interrupt", evidence: "declared" }]);
  expect(controlRequests.known.toSorted()).toEqual(["control_request/add_directory", "control_request/interrupt"]);
  expect(controlRequests.new).toEqual([]);
  expect(ignoredTypes).toEqual(["button"]);
});

test("a program that cannot initialize is reported with its output", async () => {
  const claude = program(
    scratchFolder(),
    "claude",
    '#!/bin/sh\n[ "$1" = --version ] && echo 1.0.0 && exit 0\n[ "$1" = --help ] && exit 0\necho "no such flag" >&2\nexit 3\n',
  );
  const { live } = await probe({ claude });
  expect(live).toEqual({ ok: false, reason: "no answer: it ended with 3, saying: no such flag" });
});

test("a program that does not run gives an error for people, and leaves no folder", async () => {
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("quarterdeck-probe-"));
  const before = folders();
  const claude = program(scratchFolder(), "claude", "#!/bin/sh\necho broken >&2\nexit 1\n");
  await expect(probe({ claude })).rejects.toThrow(/does not run: it ended with 1, saying: broken/);
  expect(folders().filter((name) => !before.includes(name))).toEqual([]);
});

test("an aborted probe ends what it started", async () => {
  const stop = new AbortController();
  const claude = program(scratchFolder(), "claude", '#!/bin/sh\necho "$$" >&2\nexec sleep 600\n');
  const running = probe({ claude, signal: stop.signal });
  stop.abort();
  await expect(running).rejects.toMatchObject({ name: "AbortError" });
});

test("flags are read only from the options of a help text", () => {
  expect(flagsInHelp(HELP)).toEqual(["--print", "--model", "--zigzag"]);
  expect(flagsInHelp("Options:\n  --allowedTools, --allowed-tools <tools...>\n      Comma --list\n")).toEqual([
    "--allowedTools",
    "--allowed-tools",
  ]);
});
