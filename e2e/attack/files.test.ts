// Every role asks for credentials inside the roots, other repositories and hidden files, on both ports. The home folder is one of the
// roots, as it is by default.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Scenario } from "@quarterdeck/simulator";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Mirror } from "../bridge/mirror.ts";
import { bindingOf, RawClient, refusalOf } from "../bridge/raw-client.ts";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { Place, ServerProcess } from "../bridge/server-process.ts";
import { App } from "../ccpocket/app.ts";
import type { Json } from "../ccpocket/app.ts";

const ROLES = ["view", "answer", "operate", "admin"] as const;
const BELOW_ADMIN = ROLES.slice(0, 3);
/** The content of every file that nobody may see. */
const SECRET = "do-not-show-this";

const writes = (when: string, path: string): Scenario["scripts"][number] => ({
  when,
  steps: [
    { say: [{ tool: "Write", input: { file_path: path, content: "by the session\n" } }] },
    { say: [{ text: "Done." }] },
  ],
});
const SCENARIO: Scenario = {
  name: "attack on files",
  scripts: [
    { when: "hello", steps: [{ say: [{ text: "Hello there." }] }] },
    writes("elsewhere", "{{cwd}}/../../elsewhere/note.txt"),
    writes("netrc", "{{cwd}}/.netrc"),
  ],
};

let place: Place;
let server: ServerProcess;
let ccpocketPort: number;
let configDir: string;
const tokens = new Map<string, string>();

const put = (path: string, text: string = SECRET): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};
const git = (cwd: string, ...args: string[]): void => {
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], { cwd, env, stdio: "pipe" });
};
const repositoryAt = (folder: string, files: Readonly<Record<string, string>>): string => {
  for (const [name, text] of Object.entries(files)) put(join(folder, name), text);
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", "-f", ".");
  git(folder, "commit", "-q", "-m", "first");
  return folder;
};

beforeAll(async () => {
  place = makePlace(SCENARIO);
  configDir = join(place.cwd, "config-of-claude");
  mkdirSync(join(place.root, "elsewhere"));
  // The simulator writes its transcripts into the home folder, and ignores the variable.
  for (const folder of [configDir, join(place.home, ".claude", "projects")]) mkdirSync(folder, { recursive: true });
  symlinkSync(join(place.home, ".claude", "projects"), join(configDir, "projects"));
  const flags = ["--root", place.home, "--ccpocket-port", "0", "--log", "json"];
  server = await startServer(place, flags, { CLAUDE_CONFIG_DIR: configDir, KUBECONFIG: join(place.home, "cluster") });
  ccpocketPort = server.ccpocketPort;
  const admin = await RawClient.open(server);
  tokens.set("admin", server.token);
  for (const role of BELOW_ADMIN) {
    const { token } = await admin.command("devices/addToken", { role, name: role });
    tokens.set(role, token);
  }
  await admin.drop();
});
afterAll(async () => {
  await server?.stop();
  place?.remove();
});

const clientOf = async (role: string): Promise<RawClient> => {
  const client = await RawClient.open({ url: server.url, token: tokens.get(role)! });
  onTestFinished(() => client.drop());
  return client;
};
const appOf = async (role: string): Promise<App> => {
  const app = new App(ccpocketPort, tokens.get(role)!);
  onTestFinished(() => app.close());
  await app.hearType("project_history");
  return app;
};
/** The answer to the app, error or not. */
const ask = async (app: App, message: Json): Promise<Json> => {
  const requestId = crypto.randomUUID();
  const from = app.send({ ...message, requestId });
  return app.hear((heard) => heard.requestId === requestId, from);
};
const folderFor = (name: string): string => realpathSync(mkdtempSync(join(place.cwd, `${name}-`)));
/** Opens the folder to all roles with a first session, which ends with the test. */
const sessionIn = async (admin: RawClient, cwd: string): Promise<string> => {
  const { session } = await admin.command("sessions/start", { cwd, withoutFolderSettings: true });
  onTestFinished(async () => {
    const client = await RawClient.open(server);
    await client.command("sessions/delete", { session: session.id }).catch(() => undefined);
    await client.drop();
  });
  return session.id;
};
/** Deletes the session, so that the folder no longer counts as opened. */
const forget = async (admin: RawClient, session: string, cwd: string): Promise<void> => {
  await admin.command("sessions/close", { session });
  await admin.command("sessions/delete", { session });
  const { hash } = await admin.call("projects/inspect", { cwd });
  await admin.command("projects/trust", { cwd, hash, trusted: false });
};
const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    (result) => JSON.stringify(result),
    (error: { code?: string }) => String(error.code),
  );

describe("credentials inside the roots", () => {
  it("[S44] no role reads, lists, downloads or completes them, on either port", async () => {
    const admin = await clientOf("admin");
    const project = join(place.home, "project");
    put(join(project, "readme.md"), "for all");
    // The home folder itself is opened, so only the list protects these files.
    await sessionIn(admin, place.home);
    const hidden = [
      ...[
        ".claude.json",
        ".claude.json.backup",
        ".claude/settings.json",
        ".claude/projects/x/y.jsonl",
        ".git-credentials",
      ],
      ...[".config/git/credentials", ".vault-token", ".netrc", ".pgpass", ".npmrc", ".ssh/id_rsa", ".ssh/config"],
      ...[".aws/config", ".config/gh/hosts.yml", ".bash_history", ".local/share/keyrings/login.keyring", "cluster"],
      ...["project/.credentials.json", "project/deploy/id_ed25519", "project/.ssh/known_hosts"],
    ].map((name) => put(join(place.home, name)));
    hidden.push(put(join(configDir, ".credentials.json")), put(join(configDir, "settings.json")));
    symlinkSync(join(place.home, ".ssh"), join(project, "way"));
    symlinkSync(join(place.home, ".claude.json"), join(project, "innocent.json"));
    const spelled = [
      ...hidden,
      ...[join(project, "way", "id_rsa"), join(project, "innocent.json"), `${project}/x/../../.ssh/id_rsa`],
      ...[`${project}/../.claude.json`, `${place.home}/.SSH/../.ssh/id_rsa`, join(place.dataDir, "server.json")],
      ...["/proc/self/environ", "/etc/shadow"],
    ];
    for (const role of ROLES) {
      const client = await clientOf(role);
      const app = await appOf(role);
      for (const path of spelled) {
        const answers = [
          await outcome(client.call("files/read", { path })),
          await outcome(client.call("tickets/create", { kind: "file", path })),
          await outcome(client.call("files/list", { path, hidden: true })),
        ];
        expect([role, path, answers.filter((answer) => answer !== "outside-roots")]).toEqual([role, path, []]);
        const read = await ask(app, { type: "read_file", projectPath: place.home, filePath: path });
        expect([role, path, read.content, typeof read.error]).toEqual([role, path, "", "string"]);
      }
      const listings = await Promise.all(
        [place.home, project, dirname(configDir), join(place.home, ".config")].map((path) =>
          outcome(client.call("files/list", { path, hidden: true })),
        ),
      );
      const queries = ["id_rsa", "ssh", "claude", "credentials", "netrc", "history", "a"];
      const suggested = await Promise.all(
        queries.map((query) => outcome(client.call("files/suggest", { cwd: place.home, query, limit: 100 }))),
      );
      const files = await ask(app, { type: "list_files", projectPath: place.home });
      expect(files.files).toContain("project/readme.md");
      const names =
        /id_rsa|\.ssh|\.claude\.json|\.credentials|netrc|_history|vault-token|keyrings|config-of-claude|"gh"/u;
      for (const text of [...listings, ...suggested, JSON.stringify(files)]) expect(text).not.toMatch(names);
    }
  });

  it("[S44] roles below admin do not see keys of a project and its git folder; an admin does", async () => {
    const admin = await clientOf("admin");
    const cwd = repositoryAt(folderFor("keys"), { "readme.md": "x\n" });
    await sessionIn(admin, cwd);
    const names = [".env", ".env.local", "server.pem", ".mcp.json", ".claude/settings.local.json", ".git/config"];
    const paths = names.map((name) => join(cwd, name));
    for (const path of paths) if (!path.endsWith("config")) put(path);
    for (const role of ROLES) {
      const client = await clientOf(role);
      for (const path of paths) {
        const read = await outcome(client.call("files/read", { path }));
        if (role === "admin") expect(read).toContain('"kind":"text"');
        else expect([role, path, read]).toEqual([role, path, "outside-roots"]);
      }
      const { entries } = await client.call("files/list", { path: cwd, hidden: true });
      const listed = entries.map(({ name }: { name: string }) => name);
      expect(listed.includes(".env")).toBe(role === "admin");
      expect(listed).toContain("readme.md");
    }
  });

  it("[S44] a path that a session's tools have used is readable anywhere, unless it is hidden", async () => {
    const admin = await clientOf("admin");
    const cwd = folderFor("named");
    const session = await sessionIn(admin, cwd);
    const mirror = new Mirror(session);
    await mirror.follow(admin);
    for (const content of ["elsewhere", "netrc"]) {
      await admin.command("session/prompt", { session, content });
      const request = await mirror.request();
      if (content === "netrc") {
        put(join(cwd, ".netrc"));
        for (const role of ROLES) {
          const preview = (await clientOf(role)).call("requests/preview", { session, requestId: request.id });
          expect(await outcome(preview)).not.toContain(SECRET);
        }
        rmSync(join(cwd, ".netrc"));
      }
      await admin.command("session/respond", { session, ...bindingOf(request), answer: { kind: "allow" } });
      await mirror.idle();
    }
    mirror.leave();
    const elsewhere = `${cwd}/../../elsewhere/note.txt`;
    const netrc = join(cwd, ".netrc");
    for (const role of ROLES) {
      const client = await clientOf(role);
      expect(await client.call("files/read", { session, path: elsewhere })).toMatchObject({ text: "by the session\n" });
      expect(await outcome(client.call("files/read", { session, path: netrc }))).toBe("outside-roots");
      expect(await outcome(client.call("changes/diff", { session, path: netrc }))).toBe("outside-roots");
      const { files } = await client.call("changes/list", { session });
      expect(files.map(({ path }: { path: string }) => path)).toEqual([elsewhere]);
    }
  });
});

describe("folders that nobody opened", () => {
  it("[S44] are for admins only: files, suggestions, starts and sessions of terminals", async () => {
    const admin = await clientOf("admin");
    const opened = folderFor("opened");
    const closed = folderFor("closed");
    put(join(opened, "seen.txt"), "seen");
    const file = put(join(closed, "private.txt"));
    await sessionIn(admin, opened);
    const terminals = await sessionIn(admin, closed);
    const mirror = new Mirror(terminals);
    await mirror.follow(admin);
    await admin.command("session/prompt", { session: terminals, content: "hello" });
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    mirror.leave();
    await forget(admin, terminals, closed);

    expect((await admin.call("files/read", { path: file })).text).toBe(SECRET);
    // The server looks for such sessions every few seconds.
    const idsFor = async (client: RawClient): Promise<string[]> =>
      (await client.call("sessions/list", { terminal: true, limit: 500 })).sessions.map(({ id }: { id: string }) => id);
    await expect.poll(() => idsFor(admin)).toContain(terminals);
    for (const role of BELOW_ADMIN) {
      const client = await clientOf(role);
      const app = await appOf(role);
      const { entries } = await client.call("files/list");
      const folders = entries.map(({ path }: { path: string }) => path);
      expect(folders).toContain(opened);
      expect(folders).not.toContain(closed);
      expect((await client.call("files/list", { path: opened })).parent).toBeUndefined();
      expect((await client.call("files/read", { path: join(opened, "seen.txt") })).text).toBe("seen");
      for (const path of [file, join(closed, "none"), `${opened}/../${closed.split("/").at(-1)!}/private.txt`]) {
        expect(await outcome(client.call("files/read", { path }))).toBe("outside-roots");
        expect(await outcome(client.call("tickets/create", { kind: "file", path }))).toBe("outside-roots");
      }
      for (const path of [closed, place.cwd, place.home])
        expect(await outcome(client.call("files/list", { path }))).toBe("outside-roots");
      expect(await outcome(client.call("files/suggest", { cwd: closed, query: "private" }))).toBe("outside-roots");
      expect(await outcome(client.call("projects/inspect", { cwd: closed }))).toBe("outside-roots");
      for (const type of ["list_files", "get_diff"])
        expect(await ask(app, { type, projectPath: closed })).toMatchObject({
          type: "error",
          errorCode: "outside_roots",
        });

      expect(await idsFor(client)).not.toContain(terminals);
      const { projects } = await client.call("projects/list");
      expect(projects.map(({ path }: { path: string }) => path)).not.toContain(closed);
      for (const method of ["session/subscribe", "session/rows", "changes/list"])
        expect(await outcome(client.call(method, { session: terminals }))).toBe("unknown-session");
    }
    const operator = await clientOf("operate");
    const start = await refusalOf(operator.command("sessions/start", { cwd: closed }));
    expect(start).toMatchObject({ code: "forbidden", data: { role: "admin" } });
    expect(start.message).toContain("Ask an admin");
    const beside = { cwd: opened, settings: { addDir: [closed] } };
    expect((await refusalOf(operator.command("sessions/start", beside))).code).toBe("outside-roots");
    const taken = operator.command("sessions/resume", { session: terminals, takeOver: true });
    expect((await refusalOf(taken)).code).toBe("unknown-session");
    // What an admin has opened is open to all.
    await sessionIn(admin, closed);
    expect((await operator.call("files/read", { path: file })).text).toBe(SECRET);
    const { session } = await operator.command("sessions/start", { cwd: closed });
    await operator.command("sessions/close", { session: session.id });
  });

  it("[S44] a ticket is checked again when it is used", async () => {
    const admin = await clientOf("admin");
    const viewer = await clientOf("view");
    const cwd = folderFor("ticket");
    const path = put(join(cwd, "notes.txt"));
    const session = await sessionIn(admin, cwd);
    const { url: good } = await viewer.call("tickets/create", { kind: "file", path });
    expect(await (await fetch(`${server.url}${good}`)).text()).toBe(SECRET);
    const { url } = await viewer.call("tickets/create", { kind: "file", path });
    await forget(admin, session, cwd);
    const response = await fetch(`${server.url}${url}`);
    expect([response.status, (await response.text()).includes(SECRET)]).toEqual([403, false]);
  });
});

describe("another repository", () => {
  /** Each makes a folder whose git leads to the other repository. */
  const LEADS: Readonly<Record<string, (folder: string, other: string) => void>> = {
    "a .git file": (folder, other) => put(join(folder, ".git"), `gitdir: ${other}/.git\n`),
    "a .git file to a bare copy of it": (folder, other) => {
      git(folder, "clone", "-q", "--bare", other, `${other}-bare`);
      git(`${other}-bare`, "config", "core.bare", "false");
      put(join(folder, ".git"), `gitdir: ${other}-bare\n`);
    },
    "a .git link": (folder, other) => symlinkSync(join(other, ".git"), join(folder, ".git")),
    "core.worktree": (folder, other) => {
      git(folder, "init", "-q");
      git(folder, "config", "core.worktree", other);
    },
    "a common directory": (folder, other) => {
      git(folder, "init", "-q", "-b", "main");
      put(join(folder, ".git", "commondir"), `${other}/.git\n`);
    },
    "a worktree that is not its own": (folder, other) => {
      git(other, "worktree", "add", "-q", "--detach", `${other}-tree`);
      const [name] = execFileSync("ls", [join(other, ".git", "worktrees")])
        .toString()
        .split("\n");
      put(join(folder, ".git"), `gitdir: ${other}/.git/worktrees/${name!}\n`);
    },
    alternates: (folder, other) => {
      git(folder, "init", "-q", "-b", "main");
      put(join(folder, ".git", "objects", "info", "alternates"), `${other}/.git/objects\n`);
      put(join(folder, ".git", "refs", "heads", "main"), `${headOf(other)}\n`);
    },
    "alternates of alternates": (folder, other) => {
      git(folder, "init", "-q", "-b", "main");
      put(join(folder, "between", "info", "alternates"), `${other}/.git/objects\n`);
      put(join(folder, ".git", "objects", "info", "alternates"), "../../between\n");
      put(join(folder, ".git", "refs", "heads", "main"), `${headOf(other)}\n`);
    },
    "a link as alternates": (folder, other) => {
      git(folder, "init", "-q", "-b", "main");
      const list = put(join(folder, "list"), `${other}/.git/objects\n`);
      symlinkSync(list, join(folder, ".git", "objects", "info", "alternates"));
      put(join(folder, ".git", "refs", "heads", "main"), `${headOf(other)}\n`);
    },
    "linked objects": (folder, other) => {
      git(folder, "init", "-q", "-b", "main");
      rmSync(join(folder, ".git", "objects"), { recursive: true });
      symlinkSync(join(other, ".git", "objects"), join(folder, ".git", "objects"));
      put(join(folder, ".git", "refs", "heads", "main"), `${headOf(other)}\n`);
    },
    "a linked index": (folder, other) => {
      git(folder, "init", "-q");
      symlinkSync(join(other, ".git", "index"), join(folder, ".git", "index"));
    },
  };
  const headOf = (repository: string): string =>
    execFileSync("git", ["rev-parse", "HEAD"], { cwd: repository }).toString().trim();

  /** These are also checked through a session. The others only by their folder, which is faster. */
  const WITH_SESSION = new Set(["a .git file", "core.worktree", "alternates"]);

  it.each([
    ["outside the roots", "admin"],
    ["in a folder that was not opened", "view"],
  ])("[S45] %s is not shown to the role %s through a folder that leads to it", async (where, role) => {
    const admin = await clientOf("admin");
    const client = await clientOf(role);
    const app = await appOf(role);
    const base = where === "outside the roots" ? join(place.root, "elsewhere") : join(place.cwd, "closed");
    const parent = folderFor("leads");
    await sessionIn(admin, parent);
    for (const [at, [how, lead]] of Object.entries(LEADS).entries()) {
      const other = repositoryAt(join(base, `other-${String(at)}`), { "private-plan.txt": `${SECRET}\n` });
      const cwd = join(parent, String(at));
      mkdirSync(cwd);
      lead(cwd, other);
      const answers = [
        await outcome(client.call("files/suggest", { cwd, query: "private" })),
        JSON.stringify(await ask(app, { type: "list_files", projectPath: cwd })),
      ];
      const diff = await ask(app, { type: "get_diff", projectPath: cwd });
      expect([how, diff]).toMatchObject([how, { diff: "", errorCode: "git_not_available" }]);
      if (WITH_SESSION.has(how)) {
        const session = await sessionIn(admin, cwd);
        const changes = await client.call("changes/list", { session });
        expect([how, changes.files, changes.git]).toEqual([how, [], undefined]);
        const path = join(cwd, "private-plan.txt");
        const patch = await client.call("changes/diff", { session, path });
        expect([how, patch]).toEqual([how, { path, kind: "none", hunks: [], truncated: false }]);
        await admin.command("sessions/close", { session });
      }
      expect([how, answers.filter((answer) => /private-plan|do-not-show/u.test(answer))]).toEqual([how, []]);
    }
  });

  it("[S45] a worktree, a submodule and a folder of a repository are shown with their own git", async () => {
    const admin = await clientOf("admin");
    const main = repositoryAt(folderFor("main"), { "sub/a.txt": "one\n" });
    const part = repositoryAt(folderFor("part"), { "p.txt": "one\n" });
    git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "module");
    const tree = `${main}-tree`;
    git(main, "worktree", "add", "-q", tree);
    for (const [cwd, name] of [
      [join(main, "sub"), "a.txt"],
      [join(main, "module"), "p.txt"],
      [tree, "sub/a.txt"],
    ] as const) {
      writeFileSync(join(cwd, name), "two\n");
      const session = await sessionIn(admin, cwd);
      for (const role of ["view", "admin"]) {
        const client = await clientOf(role);
        const diff = await client.call("changes/diff", { session, path: join(cwd, name) });
        expect([cwd, role, diff.hunks[0]?.lines]).toEqual([cwd, role, ["-one", "+two"]]);
      }
    }
  });
});

describe("hidden files of a repository", () => {
  const files = {
    ".netrc": `${SECRET}\n`,
    "keys/id_rsa": `${SECRET}\n`,
    "gone/.git-credentials": `${SECRET}\n`,
    "gone/plain.txt": "plain\n",
    "open.txt": "one\n",
  };

  it("[S45] are left out of changes, diffs and suggestions, for every role and however they are spelled", async () => {
    const admin = await clientOf("admin");
    const cwd = repositoryAt(folderFor("hidden"), files);
    writeFileSync(join(cwd, "open.txt"), "two\n");
    writeFileSync(join(cwd, "keys", "id_rsa"), `${SECRET}\nchanged\n`);
    rmSync(join(cwd, ".netrc"));
    rmSync(join(cwd, "gone"), { recursive: true });
    put(join(cwd, "new", "id_ed25519"));
    git(cwd, "mv", "-k", "keys/id_rsa", "keys/id_dsa");
    symlinkSync(join(place.root, "elsewhere"), join(cwd, "out"));
    const session = await sessionIn(admin, cwd);
    for (const role of ROLES) {
      const client = await clientOf(role);
      const app = await appOf(role);
      const list = await client.call("changes/list", { session });
      expect(list.files.map(({ path }: { path: string }) => path.slice(cwd.length + 1))).toEqual([
        "gone/plain.txt",
        "open.txt",
        "out",
      ]);
      const spelled = [
        ...[".netrc", "x/../.netrc", "gone/../.netrc", "keys/id_rsa", "keys/./id_dsa", "new/id_ed25519", "KEYS/ID_RSA"],
        ...["gone/.git-credentials", "gone/x/../.git-credentials", "out/note.txt", "out/nothing", "../../elsewhere/x"],
        ...["open.txt/../keys/id_rsa", "gone//.git-credentials"],
      ];
      for (const path of spelled) {
        const diff = await outcome(client.call("changes/diff", { session, path: `${cwd}/${path}` }));
        expect([role, path, diff]).toEqual([role, path, "outside-roots"]);
      }
      // A folder is not a file: git would show everything in it.
      for (const folder of ["keys", "gone", "."]) {
        const diff = await outcome(client.call("changes/diff", { session, path: `${cwd}/${folder}` }));
        expect([role, folder, diff]).toEqual([role, folder, expect.stringContaining('"hunks":[]')]);
      }
      const gone = await client.call("changes/diff", { session, path: join(cwd, "gone", "plain.txt") });
      expect(gone).toMatchObject({ kind: "deleted", hunks: [{ lines: ["-plain"] }] });

      const { diff } = await ask(app, { type: "get_diff", projectPath: cwd });
      expect(diff).toContain("-one\n+two");
      expect(diff).toContain("-plain");
      expect(diff).not.toMatch(new RegExp(`${SECRET}|id_rsa|id_dsa|netrc|credentials`, "u"));
      const listed = await ask(app, { type: "list_files", projectPath: cwd });
      expect(listed.files).toContain("open.txt");
      const asked = { limit: 100, query: "i" };
      // The session's CLI lists files on its own.
      const suggested = await Promise.all([
        client.call("files/suggest", { cwd, ...asked }),
        client.call("files/suggest", { session, ...asked }),
        client.call("files/suggest", { session, query: "id_" }),
        client.call("files/suggest", { session, query: "open" }),
      ]);
      expect(JSON.stringify(suggested[3])).toContain("open.txt");
      expect(JSON.stringify([listed, suggested])).not.toMatch(/id_rsa|id_dsa|id_ed25519|netrc|credentials/u);
    }
  });
});
