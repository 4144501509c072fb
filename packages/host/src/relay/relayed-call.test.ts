import { expect, test } from "vitest";
import { relayedCall } from "./relayed-call.ts";

const STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];

test("only calls with stream-json in both directions are relayed", () => {
  expect(relayedCall(STREAM)).toEqual({
    cli: { outputFormat: "stream-json", inputFormat: "stream-json", verbose: true },
    extra: [],
    continues: false,
    fork: false,
    place: {},
    wantsPartial: false,
    wantsReplay: false,
  });
  for (const argv of [
    [],
    ["--version"],
    ["mcp", "list"],
    ["-p", "hello"],
    ["-p", "--output-format", "stream-json", "--verbose", "hello"],
    [...STREAM, "hello"],
    [...STREAM, "--resume"],
    [...STREAM, "--permission-mode", "nonsense"],
  ])
    expect([argv, relayedCall(argv)]).toEqual([argv, undefined]);
});

test("flags that choose a past are for this start only, and unknown flags are kept", () => {
  const id = "8d5d9a2c-0f6b-4a55-9c38-2f0f3c1f5b11";
  const argv = [...STREAM, `--resume=${id}`, "--fork-session", "--include-partial-messages", "--model=opus"];
  expect(relayedCall([...argv, "--brand-new", "value", "--resume-session-at", id])).toEqual({
    cli: { outputFormat: "stream-json", inputFormat: "stream-json", verbose: true, model: "opus" },
    extra: ["--brand-new", "value"],
    resume: id,
    continues: false,
    fork: true,
    place: { resumeSessionAt: id },
    wantsPartial: true,
    wantsReplay: false,
  });
});
