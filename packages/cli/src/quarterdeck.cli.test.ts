import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { programWords } from "@quarterdeck/test-kit/programs";
import packageJson from "../package.json" with { type: "json" };

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...programWords("quarterdeck"), ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
};

test("--help names every command and fits a terminal of 100 columns", () => {
  const { status, stdout, stderr } = run("--help");
  expect([status, stderr]).toEqual([0, ""]);
  for (const name of ["serve", "devices", "doctor", "service", "run", "demo", "probe", "record"])
    expect(stdout).toContain(`  quarterdeck ${name}`);
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  expect(run("help").stdout).toBe(stdout);
});

test("--help of a command lists its options", () => {
  expect(run("record", "--help").stdout).toContain("--redact");
  expect(run("probe", "-h").stdout).toContain("--json");
  const serve = run("serve", "--help").stdout;
  for (const name of [
    "port",
    "host",
    "data-dir",
    "claude",
    "tls-cert",
    "tls-key",
    "behind-proxy",
    "allow-host",
    "root",
  ])
    expect(serve).toContain(`  --${name}`);
  for (const line of serve.split("\n")) expect(line.length).toBeLessThanOrEqual(110);
});

test("--version", () => {
  expect(run("--version")).toEqual({ status: 0, stdout: `${packageJson.version}\n`, stderr: "" });
});

test("an invalid command line is an error that says what to do", () => {
  expect(run("prove")).toEqual({
    status: 2,
    stdout: "",
    stderr: "quarterdeck: There is no command `prove`. See `quarterdeck --help`.\n",
  });
  expect(run("probe", "--jason")).toMatchObject({
    status: 2,
    stderr: "quarterdeck: Unknown option '--jason'. See `quarterdeck --help`.\n",
  });
  expect(run("probe", "/a", "/b").status).toBe(2);
  expect(run("probe", "/no/such/claude")).toMatchObject({ status: 1, stdout: "" });
});

test("a reader that stops reading is not a failure", async () => {
  const child = spawn(process.execPath, [...programWords("quarterdeck"), "--help"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  expect([code, said]).toEqual([0, ""]);
});
