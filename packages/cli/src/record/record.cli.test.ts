import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { expect, test } from "vitest";
import { nodeProgram, program, scratchFolder } from "../fake-claude.fixture.ts";
import { relay } from "./record.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

interface Wanted {
  readonly folder?: string;
  /** The stand-in for `claude`: JavaScript, or a whole program if it begins with `#!`. */
  readonly claude: string;
  readonly options?: readonly string[];
  readonly args?: readonly string[];
}

const startRecord = ({ folder = scratchFolder(), claude, options = [], args = [] }: Wanted) => {
  const file = (claude.startsWith("#!") ? program : nodeProgram)(folder, "claude", claude);
  const out = join(folder, "run.ndjson");
  const own = ["record", "--out", out, "--claude", file, ...options, "--", ...args];
  const child = spawn(process.execPath, [...programWords("quarterdeck"), ...own], { stdio: "pipe" });
  const closed = once(child, "close") as Promise<[number | null, string | null]>;
  return {
    child,
    out,
    closed,
    ended: async () => {
      const [stdout, stderr, [code, signal]] = await Promise.all([
        bytesOf(child.stdout),
        bytesOf(child.stderr),
        closed,
      ]);
      return { stdout, stderr: stderr.toString(), code, signal };
    },
    recorded: () =>
      readFileSync(out, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { readonly dir: string; readonly msg?: unknown }),
    meta: () => JSON.parse(readFileSync(join(folder, "run.meta.json"), "utf8")) as unknown,
  };
};

const bytesOf = async (stream: Readable): Promise<Buffer> => Buffer.concat((await stream.toArray()) as Buffer[]);

const ECHO = "process.stdin.pipe(process.stdout);";

test("any bytes pass unchanged in both directions, and so does the exit code", async () => {
  const { child, ended, meta } = startRecord({
    claude: `${ECHO} process.stdin.on("end", () => { process.stderr.write("bye"); process.exitCode = 7; });`,
    args: ["--verbose", "a b", "--", "'"],
  });
  const sent = randomBytes(3_000_000);
  child.stdin.end(sent);
  const { stdout, stderr, code } = await ended();
  const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  expect(digest(stdout)).toBe(digest(sent));
  expect(stderr).toMatch(/^bye.*quarterdeck: \d+ lines recorded in .*run\.ndjson/s);
  expect(code).toBe(7);
  expect(meta()).toMatchObject({ args: ["--verbose", "a b", "--", "'"], exit: { code: 7, sig: null }, stderr: "bye" });
});

test("redaction changes the recording and not the session", async () => {
  const { child, out, ended, recorded } = startRecord({ claude: ECHO, options: ["--redact"], args: ["stream-json"] });
  const line = '{"type":"x","key":"sk-ant-api03-abcdef","to":"ann@example.org"}\n';
  child.stdin.end(line);
  const { stdout, code } = await ended();
  expect([stdout.toString(), code]).toEqual([line, 0]);
  const clean = { type: "x", key: "<secret-1>", to: "<email-1>" };
  expect(recorded().map(({ dir, msg }) => [dir, msg])).toEqual([
    ["in", clean],
    ["in", { type: "__eof" }],
    ["out", clean],
  ]);
  expect(statSync(out).mode & 0o777).toBe(0o600);
});

test("a signal reaches the child once, and is recorded", async () => {
  const { child, ended, recorded } = startRecord({
    claude: `let n = 0;
      process.on("SIGINT", () => { console.log(JSON.stringify({ interrupted: ++n })); process.exit(3); });
      console.log("{}");
      setInterval(() => {}, 1000);`,
  });
  await once(child.stdout, "readable");
  child.kill("SIGINT");
  const { stdout, code } = await ended();
  expect([stdout.toString(), code]).toEqual(['{}\n{"interrupted":1}\n', 3]);
  expect(recorded()).toContainEqual(expect.objectContaining({ msg: { type: "__signal", signal: "SIGINT" } }));
});

test("a child that dies of a signal looks the same from outside", async () => {
  const { ended, meta } = startRecord({ claude: 'console.log("{}"); process.kill(process.pid, "SIGKILL");' });
  const { code, signal } = await ended();
  expect([code, signal]).toEqual([null, "SIGKILL"]);
  expect(meta()).toMatchObject({ exit: { code: null, sig: "SIGKILL" } });
});

test("a child that exits while its input is open ends the recorder", async () => {
  const { child, ended } = startRecord({ claude: 'console.log("{}"); process.exit(4);' });
  child.stdin.on("error", () => undefined);
  expect((await ended()).code).toBe(4);
});

test("a reader that is gone ends the writer", async () => {
  const { child, closed, meta } = startRecord({ claude: "#!/bin/sh\nexec yes '{}'\n" });
  await once(child.stdout, "readable");
  child.stdout.destroy();
  child.stderr.resume();
  // Node's pipes are sockets: the writer gets SIGPIPE or an error.
  expect((await closed)[0]).not.toBe(0);
  expect(meta()).not.toMatchObject({ exit: { code: 0 } });
});

test("an existing file is refused before anything is started", async () => {
  const folder = scratchFolder();
  writeFileSync(join(folder, "run.ndjson"), "precious");
  const { ended, out } = startRecord({ folder, claude: `#!/bin/sh\n: > '${join(folder, "ran")}'\n` });
  const { stderr, code } = await ended();
  expect([stderr, code]).toEqual([`quarterdeck: ${out} already exists. Use --force to overwrite it.\n`, 1]);
  expect(existsSync(join(folder, "ran"))).toBe(false);
  expect(readFileSync(out, "utf8")).toBe("precious");
});

test("a program that cannot be started leaves no recording", async () => {
  const { ended, out } = startRecord({ claude: "#!/no/such/interpreter\n" });
  const { stderr, code } = await ended();
  expect(stderr).toMatch(/^quarterdeck: Cannot start .*ENOENT/);
  expect([code, existsSync(out)]).toEqual([1, false]);
});

test("a slow reader slows the writer", async () => {
  let seen = 0;
  const endless = new Readable({ highWaterMark: 10, read: () => void endless.push(Buffer.alloc(10)) });
  const taken: (() => void)[] = [];
  const slow = new Writable({ highWaterMark: 10, write: (_chunk, _encoding, done) => void taken.push(done) });
  relay(endless, slow, { data: () => void seen++, end: () => undefined });
  await once(endless, "pause");
  expect([seen, taken.length]).toEqual([1, 1]);
  taken[0]!();
  await once(endless, "pause");
  expect([seen, taken.length]).toEqual([2, 2]);
  endless.destroy();
});

test("the end of one pipe is the end of the next", async () => {
  const [from, to] = [new PassThrough(), new PassThrough()];
  let ended = 0;
  relay(from, to, { data: () => undefined, end: () => void ended++ });
  from.end("x");
  expect((await to.toArray()).join("")).toBe("x");
  expect(ended).toBe(1);
});
