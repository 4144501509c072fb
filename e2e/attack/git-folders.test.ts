// [S35] Folders that look empty and run a program when git looks at them, and [S50] programs in the folder that have
// git's name. In `npm run test:all`, plain git runs each canary, so the fixtures are really hostile. The tests check that the trust
// question shows it. Neither the server's own git, nor an untrusted session, nor a real CLI may run it.

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlRequest, userMessage } from "@quarterdeck/protocol";
import type { Script } from "@quarterdeck/simulator";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { watch } from "../../packages/host/src/process/child-script.fixture.ts";
import { untrustedOptions } from "../../packages/host/src/trust/folder-trust.ts";
import { untrustedEnvironment } from "../../packages/host/src/trust/git-trust.ts";
import { IS_WHOLE, TRIED_VERSIONS } from "@quarterdeck/test-kit/how-much";
import { realCli } from "@quarterdeck/test-kit/real-cli";
import { Bench, SCENARIO } from "../bridge/bench.ts";
import { RawClient, refusalOf } from "../bridge/raw-client.ts";
import { makePlace, startServer } from "../bridge/server-process.ts";
import { Nursery } from "./hostile-repositories.ts";

type Step = Script["steps"][number];
type Kinds = Parameters<Nursery["makeOf"]>[0];

const shared = Bench.shared();

const outside = realpathSync(mkdtempSync(join(tmpdir(), "quarterdeck-attack-")));
afterAll(() => rmSync(outside, { recursive: true, force: true }));
let nursery: Nursery | undefined;
/** Repositories that the shared server may look at. */
const nurseryOf = ({ place }: Bench): Nursery => (nursery ??= new Nursery(realpathSync(place.cwd), outside));

/** What it prints. It may fail. */
const run = (cwd: string, command: string, env: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile("sh", ["-c", command], { cwd, env: { ...env } }, (_error, stdout) => resolve(stdout));
    child.stdin?.end();
  });

/** Commands that the CLI runs without asking, and commands that a person allows. */
const COMMANDS = [
  "git status",
  "git diff HEAD",
  "git log -p -2",
  "git show",
  "git ls-files -mo",
  "git ls-remote",
  "git blame file",
  "git add -N .",
  "git fetch",
  "git commit -qam new",
  "git checkout -q other",
].join("; ");

/** What a person may do with git here. Each call may be refused. Worktrees are in packages/server/src/git/hostile.test.ts. */
const workOn = async (client: RawClient, cwd: string): Promise<void> => {
  const tried = (call: Promise<unknown>): Promise<unknown> => call.catch(() => undefined);
  await Promise.all([
    ...["git/state", "git/worktrees", "git/remote", "git/planMerge", "git/planDiscard"].map((method) =>
      tried(client.call(method, { cwd })),
    ),
    ...["staged", "unstaged"].map((side) => tried(client.call("git/diff", { cwd, path: "file", side }))),
    tried(client.call("git/brief", { folders: [cwd] })),
  ]);
  await tried(client.command("git/stage", { cwd, files: [{ path: "file" }] }));
  const state = (await tried(client.call("git/state", { cwd }))) as { tree?: { stagedId: string } } | undefined;
  await tried(client.command("git/commit", { cwd, message: "x", stagedId: state?.tree?.stagedId ?? "" }));
};

/** One repository can be all of these, and plain git runs each program. */
const TOGETHER: readonly Kinds[] = [
  [
    "a file-system monitor",
    ...["a hook of references", "a hook before commits", "a clean filter", "a smudge filter", "an external diff"],
    ...["a signature program", "a program for archives", "an alias", "an editor", "a credential helper"],
    "an ssh command",
  ],
  ["a monitor in an included file", "a filter process", "a program that asks for passwords", "a git proxy"],
  [
    "a monitor in a file that is included for this branch",
    ...["a hook that is a link", "a text converter", "attributes in the git folder"],
    "a branch whose remote is a program",
  ],
  ["a hooks folder among the files", "a diff driver", "a remote that is a program"],
  [
    "a monitor in the worktree's settings",
    ...["a hook after the index changes", "a merge driver", "a remote with its own helper"],
  ],
  ["a clean filter with a strange name", "a remote that is rewritten to a program"],
  [
    "an embedded repository with a monitor",
    ...["an embedded repository with a filter", "a bare repository among the files"],
  ],
];
const shares = new Set(TOGETHER.flat());
const alone = Nursery.names.filter((name) => IS_WHOLE || !shares.has(name)).map((name): Kinds => [name]);
const REPOSITORIES = new Map([...TOGETHER, ...alone].map((kinds) => [kinds.join("; "), kinds]));

interface Outcome {
  readonly inspection: Awaited<ReturnType<RawClient["call"]>>;
  /** Whose canaries ran: with plain git, when the server looked, when a person worked, and in an untrusted session's environment. */
  readonly rang: Readonly<Record<"plain" | "looked" | "worked" | "untrusted", readonly string[]>>;
}

const attack = async (bench: Bench, client: RawClient, kinds: Kinds): Promise<Outcome> => {
  const repositories = nurseryOf(bench);
  const plain = IS_WHOLE ? repositories.makeOf(kinds, "-plain") : undefined;
  if (plain !== undefined) await run(plain.cwd, plain.command, repositories.env);
  const { cwd, command, rang } = repositories.makeOf(kinds);
  const inspection = await client.call("projects/inspect", { cwd });
  await client.call("files/suggest", { cwd, query: "f" });
  const looked = rang();
  await workOn(client, cwd);
  const worked = rang();
  const env = { ...repositories.env, ...(await untrustedEnvironment(cwd, repositories.env)) };
  await run(cwd, `(${command}); ${COMMANDS}`, env);
  return { inspection, rang: { plain: plain?.rang() ?? [], looked, worked, untrusted: rang() } };
};

/** Each needs a hundred short processes, one after the other. So some are attacked at once, while earlier tests report. */
const AT_ONCE = 6;
const outcomes = new Map<string, Promise<Outcome>>();
let attacker: Promise<readonly [Bench, RawClient]> | undefined;
afterAll(async () => {
  await Promise.allSettled(outcomes.values());
  await (await attacker)?.[1].drop();
});
const outcomeOf = async (name: string): Promise<Outcome> => {
  attacker ??= shared().then(async (bench) => [bench, await RawClient.open(bench.server)] as const);
  const [bench, client] = await attacker;
  const names = [...REPOSITORIES.keys()];
  const from = names.indexOf(name);
  for (const each of names.slice(from, from + AT_ONCE)) {
    if (outcomes.has(each)) continue;
    const outcome = attack(bench, client, REPOSITORIES.get(each)!);
    // The test of that name checks it.
    outcome.catch(() => {});
    outcomes.set(each, outcome);
  }
  return outcomes.get(name)!;
};

describe("[S35] a repository", () => {
  test.each([...REPOSITORIES])(
    "with %s: the question shows it, and nobody runs it without trust",
    async (name, kinds) => {
      const { inspection, rang } = await outcomeOf(name);
      expect(rang).toEqual({ plain: IS_WHOLE ? kinds : [], looked: [], worked: [], untrusted: [] });
      expect(inspection).toMatchObject({ trust: "unknown", runs: true });
      const shown = inspection.files.find(({ path }: { path: string }) => path.endsWith("/.git"));
      expect(shown.runs.join("\n")).toMatch(/^git /);
    },
  );

  test("that is hostile needs trust before a start, and a change needs trust again", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = nurseryOf(bench).make("a hook after the index changes", "-trusted");
    expect((await refusalOf(client.command("sessions/start", { cwd }))).code).toBe("folder-untrusted");
    const { hash } = await client.call("projects/inspect", { cwd });
    const trusted = await client.command("projects/trust", { cwd, hash, trusted: true });
    expect(trusted.trust).toBe("trusted");
    writeFileSync(join(cwd, ".git/hooks/post-index-change"), "#!/bin/sh\n# another\n");
    expect(await client.call("projects/inspect", { cwd })).toMatchObject({ trust: "changed" });
  });

  test.each([
    ...["a submodule with a filter", "a submodule with a monitor", "an embedded repository as submodule"],
    ...["a partial clone with an upload-pack", "a diff driver"],
  ])("with %s: its changes are listed and shown without running it", async (name) => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd, hasRung } = nurseryOf(bench).make(name, "-changes");
    const { session } = await client.command("sessions/start", { cwd, withoutFolderSettings: true });
    await client.call("changes/list", { session: session.id });
    // A submodule, too: its commits are read.
    for (const path of ["file", "sub"])
      await client.call("changes/diff", { session: session.id, path: join(cwd, path) }).catch(() => undefined);
    expect(hasRung()).toBe(false);
  });

  test("that is plain needs no trust, and git works there", async () => {
    const bench = await shared();
    const repositories = nurseryOf(bench);
    const client = await bench.client();
    const cwd = repositories.harmless("plain");
    expect(await client.call("projects/inspect", { cwd })).toMatchObject({ files: [], runs: false });
    const env = { ...repositories.env, ...(await untrustedEnvironment(cwd, repositories.env)) };
    expect(await run(cwd, "git status --porcelain", env)).toBe(" M file\n");
  });
});

describe("[S35] a session of the server", () => {
  test("runs the program of a repository when it is trusted, and not without its settings", async () => {
    const git = { say: [{ tool: "Bash", input: { command: "git status" } }] } as const;
    const scripts = [{ when: "look", steps: [git, { say: [{ text: "Seen." }] }] }];
    const bench = await Bench.start(makePlace({ ...SCENARIO, scripts }));
    const client = await bench.client();
    const { cwd, hasRung } = new Nursery(realpathSync(bench.place.cwd), bench.place.root).make("a file-system monitor");
    const look = async (more: object): Promise<boolean> => {
      const { session } = await client.command("sessions/start", { cwd, ...more });
      const mirror = await bench.mirror(client, session.id);
      await client.command("session/prompt", { session: session.id, content: "look" });
      await mirror.until(({ rows }) => [...rows.values()].some(({ text }) => text === "Seen."));
      return hasRung();
    };
    expect(await look({ withoutFolderSettings: true })).toBe(false);
    const { hash } = await client.call("projects/inspect", { cwd });
    await client.command("projects/trust", { cwd, hash, trusted: true });
    expect(await look({})).toBe(true);
  });
});

describe("[S50] a relative or empty entry of the PATH", () => {
  test("runs no program of the folder, in the server or in its CLI", async () => {
    const place = makePlace({
      ...SCENARIO,
      scripts: [
        {
          when: "look",
          steps: [{ say: [{ tool: "Bash", input: { command: "git status" } }] }, { say: [{ text: "Seen." }] }],
        },
      ],
    });
    const cwd = realpathSync(place.cwd);
    new Nursery(cwd, join(place.root, "outside")).harmless("sub");
    const mark = join(place.root, "mark");
    for (const name of ["git", "find", "ps", "xdg-open", "claude", "sh"])
      writeFileSync(join(cwd, "sub", name), `#!/bin/sh\n: > '${mark}'\n`, { mode: 0o755 });
    const before = process.env["PATH"];
    process.env["PATH"] = `.::sub:${before ?? ""}:`;
    const server = await startServer(place).finally(() => (process.env["PATH"] = before));
    const bench = Object.assign(Object.create(Bench.prototype) as Bench, { place, cwd: join(cwd, "sub"), server });
    onTestFinished(async () => {
      await server.stop();
      place.remove();
    });
    const client = await bench.client();
    expect(await client.call("projects/inspect", { cwd: bench.cwd })).toMatchObject({ git: { dirty: true } });
    await client.call("files/suggest", { cwd: bench.cwd, query: "f" });
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    await client.call("changes/list", { session });
    await client.command("session/prompt", { session, content: "look" });
    await mirror.until(({ rows }) => [...rows.values()].some(({ text }) => text === "Seen."));
    expect(existsSync(mark)).toBe(false);
  });
});

/** The model runs git in the repository. Permission requests are denied. Returns the kinds that ran a program. */
const look = async (version: string, names: Kinds, isProtected: boolean): Promise<readonly string[]> => {
  const commands = ["git status", "git diff", "cd node_modules/x && git status"];
  const tools = commands.map((command) => ({ tool: "Bash", input: { command, description: "Look" } }) as const);
  const steps: Step[] = [...tools.map((tool) => ({ say: [tool] })), { say: [{ text: "Done." }] }];
  const cli = await realCli(version, [{ when: "look around", steps }]);
  const { cwd, rang } = new Nursery(cli.cwd, cli.outside).makeOf(names);
  const flags = { permissionMode: "dontAsk" } as const;
  const options = isProtected
    ? cli.options(untrustedOptions(flags), await untrustedEnvironment(cwd, cli.options().env))
    : cli.options(flags);
  const { process: child, saw } = watch({ ...options, cwd });
  await child.send(controlRequest("init", { subtype: "initialize" }));
  await child.send(userMessage("look around"));
  expect(await saw("result")).toMatchObject({ subtype: "success", is_error: false });
  await child.close();
  return rang();
};

// Measured: 2.1.325 asks before it runs git in a repository below the folder, 2.1.38 does not.
const CONTROLS = { "2.1.325": "a submodule with a monitor", "2.1.38": "an embedded repository with a filter" } as const;
describe.each(TRIED_VERSIONS)("[S35] CLI %s", (version) => {
  test("runs the programs of a repository without asking, but none in an untrusted session", async () => {
    const names = [CONTROLS[version], "a hook after the index changes", "a partial clone with an upload-pack"] as const;
    expect(await look(version, [...names], false)).toEqual(names);
    expect(await look(version, [...names], true)).toEqual([]);
  });
});
