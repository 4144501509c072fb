// Files through the bridge: only those of the roots, and nothing that a repository names may run.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Bench } from "./bench.ts";
import { bindingOf, refusalOf } from "./raw-client.ts";

const git = (cwd: string, ...args: string[]): void => {
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], { cwd, env, stdio: "ignore" });
};
const names = (entries: readonly { name: string }[]): string[] => entries.map(({ name }) => name);

const shared = Bench.shared();

describe("[E35] files", () => {
  it("of the roots are listed and read, with what they are by their bytes", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = bench;
    mkdirSync(join(cwd, "src"));
    writeFileSync(join(cwd, "src", "main.ts"), "export const one = 1;\n");
    writeFileSync(join(cwd, ".hidden"), "x");
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    writeFileSync(join(cwd, "picture.txt"), png);
    writeFileSync(join(cwd, "bytes"), Buffer.from([0, 1, 2, 3]));
    writeFileSync(join(cwd, "long.txt"), "ü".repeat(1000));

    expect(await client.call("files/list")).toMatchObject({ entries: [{ path: bench.place.cwd, kind: "folder" }] });
    const listing = await client.call("files/list", { path: cwd });
    expect(names(listing.entries)).toEqual(["src", "bytes", "long.txt", "picture.txt"]);
    expect(names((await client.call("files/list", { path: cwd, hidden: true })).entries)).toContain(".hidden");
    const read = (path: string, more = {}) => client.call("files/read", { path: join(cwd, path), ...more });
    expect(await read("src/main.ts")).toEqual({
      path: join(cwd, "src/main.ts"),
      size: 22,
      kind: "text",
      mediaType: "text/plain",
      text: "export const one = 1;\n",
      truncated: false,
    });
    const cut = await read("long.txt", { maxBytes: 1101 });
    expect(cut).toMatchObject({ kind: "text", truncated: true, size: 2000, text: "ü".repeat(550) });
    expect(await read("bytes")).toMatchObject({ kind: "binary", mediaType: "application/octet-stream" });
    const picture = await read("picture.txt");
    expect(picture).toMatchObject({ kind: "image", mediaType: "image/png", url: expect.stringMatching(/^\/t\//) });
    const response = await fetch(`${bench.server.url}${picture.url}`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png);
    expect((await fetch(`${bench.server.url}${picture.url}`)).status).toBe(404);
    expect((await refusalOf(read("none"))).code).toBe("not-found");
    expect((await refusalOf(read("src"))).code).toBe("bad-request");
  });

  it("elsewhere are not, by whatever way (S11)", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = bench;
    const { home, dataDir } = bench.place;
    writeFileSync(join(home, "secret"), "secret");
    symlinkSync(home, join(cwd, "way"));
    symlinkSync(join(home, "secret"), join(cwd, "link"));
    const paths = [
      join(home, "secret"),
      `${cwd}/../../home/secret`,
      join(cwd, "way", "secret"),
      join(cwd, "link"),
      join(dataDir, "server.json"),
      "/etc/passwd",
      "/proc/self/environ",
      "relative",
      `${cwd}/%2e%2e/%2e%2e/home/secret`,
    ];
    for (const path of paths) {
      const { code } = await refusalOf(client.call("files/read", { path }));
      expect([path, ["outside-roots", "not-found", "bad-request"].includes(code)]).toEqual([path, true]);
      const ticket = await refusalOf(client.call("tickets/create", { kind: "file", path }));
      expect(["outside-roots", "not-found", "bad-request"]).toContain(ticket.code);
    }
  });

  it("elsewhere are not shown because a call that was refused named them", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    writeFileSync(join(bench.place.home, "note.txt"), "not yours");
    await client.command("session/prompt", { session, content: "outside" });
    const request = await mirror.request();
    const path = request.request.input.file_path as string;
    expect(path).toContain("home/note.txt");
    // Who decides about it sees what would be changed, while it is open.
    expect(await client.call("requests/preview", { session, requestId: request.id })).toMatchObject({ kind: "diff" });
    const read = () => client.call("files/read", { session, path });
    expect((await refusalOf(read())).code).toBe("outside-roots");
    await client.command("session/respond", {
      session,
      ...bindingOf(request),
      answer: { kind: "deny", message: "No." },
    });
    await mirror.idle();
    expect((await refusalOf(read())).code).toBe("outside-roots");
    expect((await refusalOf(client.call("tickets/create", { kind: "file", session, path }))).code).toBe(
      "outside-roots",
    );
  });

  it("are suggested by letters, servers by their names", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = bench;
    mkdirSync(join(cwd, "src", "deep"), { recursive: true });
    mkdirSync(join(cwd, "node_modules"));
    for (const name of ["src/session-list.ts", "src/deep/list.ts", "readme.md", "node_modules/list.js"])
      writeFileSync(join(cwd, name), "");
    const suggest = async (query: string): Promise<string[]> =>
      (await client.call("files/suggest", { cwd, query })).suggestions.map(({ value }: { value: string }) => value);
    expect((await suggest("list"))[0]).toBe("src/deep/list.ts");
    expect(await suggest("list")).not.toContain("node_modules/list.js");
    expect((await suggest("sslt"))[0]).toBe("src/session-list.ts");
    expect((await suggest("deep"))[0]).toBe("src/deep/");
    expect(await suggest("zzz")).toEqual([]);
    const [{ matches }] = (await client.call("files/suggest", { cwd, query: "read" })).suggestions;
    expect(matches).toEqual([[0, 4]]);
    const session = await bench.session(client);
    const live = await client.call("files/suggest", { session, query: "readme" });
    expect(live.suggestions[0]).toMatchObject({ kind: "file", value: "readme.md" });
  });
});

describe("[E36] changes", () => {
  it("are what git and the session say, and nothing that the repository names runs (S10)", async () => {
    const bench = await shared();
    const client = await bench.client();
    const { cwd } = bench;
    const { root } = bench.place;
    const canary = join(root, "canary");
    git(cwd, "init", "-q", "-b", "main");
    writeFileSync(join(cwd, "kept.txt"), "one\ntwo\nthree\n");
    writeFileSync(join(cwd, "gone.txt"), "x\n");
    writeFileSync(join(cwd, ".gitattributes"), "*.txt filter=evil diff=evil\n");
    git(cwd, "add", ".");
    git(cwd, "commit", "-q", "-m", "first");
    for (const [key, value] of [
      ["core.fsmonitor", `touch ${canary}; false`],
      ["filter.evil.clean", `touch ${canary}; cat`],
      ["filter.evil.process", `touch ${canary}`],
      ["diff.evil.textconv", `touch ${canary}; cat`],
      ["diff.evil.command", `touch ${canary}`],
      ["diff.external", `touch ${canary}`],
      ["core.pager", `touch ${canary}; cat`],
      ["core.sshCommand", `touch ${canary}`],
    ] as const)
      git(cwd, "config", key, value);
    writeFileSync(join(cwd, "kept.txt"), "one\n2\nthree\n");
    execFileSync("rm", [join(cwd, "gone.txt")]);
    writeFileSync(join(cwd, "--help; touch x"), "new\n");

    // A folder whose git would run something is not trusted by itself.
    const refused = await refusalOf(client.command("sessions/start", { cwd }));
    expect(refused.code).toBe("folder-untrusted");
    expect(JSON.stringify(refused.data["files"])).toContain("git core.fsmonitor");
    const { session } = await client.command("sessions/start", { cwd, withoutFolderSettings: true });
    const id = session.id as string;
    const list = await client.call("changes/list", { session: id });
    expect(list.git).toMatchObject({ root: realpathSync(cwd), branch: "main" });
    const byOthers = { by: [], bySession: false, inGit: true };
    expect(list.files).toEqual([
      { path: join(cwd, "--help; touch x"), status: "untracked", added: 1, removed: 0, ...byOthers },
      { path: join(cwd, "gone.txt"), status: "deleted", added: 0, removed: 1, ...byOthers },
      { path: join(cwd, "kept.txt"), status: "modified", added: 1, removed: 1, ...byOthers },
    ]);
    const diff = (path: string) => client.call("changes/diff", { session: id, path: join(cwd, path) });
    expect(await diff("kept.txt")).toMatchObject({
      kind: "diff",
      hunks: [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [" one", "-two", "+2", " three"] }],
    });
    expect(await diff("gone.txt")).toMatchObject({ kind: "deleted", hunks: [{ lines: ["-x"] }] });
    expect(await diff("--help; touch x")).toMatchObject({ kind: "new-file", hunks: [{ lines: ["+new"] }] });
    expect((await refusalOf(client.call("changes/diff", { session: id, path: "/etc/passwd" }))).code).toBe(
      "outside-roots",
    );
    await client.call("files/suggest", { cwd, query: "kept" });
    await client.call("projects/inspect", { cwd });
    expect(existsSync(canary)).toBe(false);
  });
});

describe("[E37] a preview", () => {
  it("shows what the one path of an open request would become", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    const path = join(bench.cwd, "note.txt");
    await client.command("session/prompt", { session, content: "write" });
    const request = await mirror.request();
    const preview = () => client.call("requests/preview", { session, requestId: request.id });
    expect(await preview()).toMatchObject({
      kind: "new-file",
      path,
      text: "one\ntwo\n",
      hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ["+one", "+two"] }],
    });
    writeFileSync(path, "one\n2\n");
    expect(await preview()).toMatchObject({
      kind: "diff",
      before: "one\n2\n",
      hunks: [{ lines: [" one", "-2", "+two"] }],
    });
    writeFileSync(path, Buffer.from([0, 1, 2]));
    expect(await preview()).toMatchObject({ kind: "unreadable", reason: "The file is not text." });
    execFileSync("rm", [path]);
    await client.command("session/respond", { session, ...bindingOf(request), answer: { kind: "allow" } });
    await mirror.idle();
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
    expect((await refusalOf(preview())).code).toBe("not-open");
    const { files } = await client.call("changes/list", { session });
    expect(files).toMatchObject([{ path, status: "added", bySession: true, inGit: false }]);
  });
});

describe("[E38] an upload", () => {
  it("becomes an image, a document or a file that the prompt names, and is nobody else's", async () => {
    const bench = await shared();
    const client = await bench.client();
    const session = await bench.session(client);
    const mirror = await bench.mirror(client, session);
    const upload = async (name: string, bytes: Buffer): Promise<string> => {
      const { url } = await client.call("tickets/create", { kind: "upload", name, size: bytes.length });
      const response = await fetch(`${bench.server.url}${url}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${bench.server.token}` },
        body: new Uint8Array(bytes),
      });
      expect(response.status).toBe(200);
      return ((await response.json()) as { id: string }).id;
    };
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const pdf = Buffer.from("%PDF-1.4\n%%EOF\n");
    const uploads = [
      await upload("picture.svg", png),
      await upload("paper.bin", pdf),
      await upload("../../name with; rm -rf.csv", Buffer.from("a,b\n")),
    ];
    const other = await bench.clientWith("admin", client);
    const stolen = await refusalOf(other.command("session/prompt", { session, content: "hello", uploads }));
    expect(stolen.code).toBe("not-found");
    await client.command("session/prompt", { session, content: "hello", uploads });
    await mirror.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    const [line] = bench.linesToCli().filter(({ type }) => type === "user");
    const { content } = (line as { message: { content: Record<string, never>[] } }).message;
    expect(content).toMatchObject([
      { type: "text", text: "hello" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: png.toString("base64") } },
      { type: "document", title: "paper.bin", source: { media_type: "application/pdf", data: pdf.toString("base64") } },
      { type: "text", text: expect.stringContaining("name with; rm -rf.csv") },
    ]);
    const path = /@(\S+)$/.exec(String(content[3]!["text"]))![1]!;
    expect(path).toMatch(/^[\w./-]+-name_with_rm_-rf\.csv$/);
    expect(readFileSync(path, "utf8")).toBe("a,b\n");
    // A session may begin with one; what was sent with its prompts goes with it.
    const again = { cwd: bench.cwd, prompt: "hello", uploads: [await upload("more.csv", Buffer.from("c\n"))] };
    const { session: begun } = await client.command("sessions/start", again);
    const told = () => JSON.stringify(bench.linesToCli().filter(({ type }) => type === "user"));
    const second = await bench.mirror(client, begun.id);
    await second.until(({ rows }) => [...rows.values()].some(({ kind }) => kind === "turn"));
    const kept = /@([^"\s]+-more\.csv)/.exec(told())![1]!;
    expect(readFileSync(kept, "utf8")).toBe("c\n");
    second.leave();
    await client.command("sessions/delete", { session: begun.id });
    expect([existsSync(kept), existsSync(path)]).toEqual([false, true]);
    const tooLarge = client.call("tickets/create", { kind: "upload", name: "x", size: 10 ** 12 });
    expect((await refusalOf(tooLarge)).code).toBe("too-large");
    const viewer = await bench.clientWith("view", client);
    const mayNot = viewer.call("tickets/create", { kind: "upload", name: "x", size: 1 });
    expect((await refusalOf(mayNot)).code).toBe("forbidden");
  });
});
