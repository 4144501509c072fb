import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GitBench, refusalIn } from "./git-bench.fixture.ts";
import { repositoryAt } from "./pull-request.ts";
import { isAllowed, shownUrl } from "./push.ts";

let bench: GitBench;
/** A bare repository on "another machine". */
let remote: string;
beforeAll(() => {
  bench = new GitBench();
  remote = join(bench.folder, "far", "ada", "tide.git");
  mkdirSync(remote, { recursive: true });
  bench.run(remote, "init", "--quiet", "--bare", "-b", "main");
  // The person's own ssh: it runs the command here, in the folder of the other machine.
  const ssh = bench.program(
    "stand-in-ssh",
    `host="$1"; shift; echo "$host" >> ${bench.folder}/hosts; cd ${bench.folder}/far && eval "$*"`,
  );
  appendFileSync(join(bench.home, ".gitconfig"), `[core]\n\tsshCommand = ${ssh}\n[ssh]\n\tvariant = simple\n`);
});
afterAll(() => bench.remove());

const ADDRESS = "git@example.com:ada/tide.git";
const remoteOf = (cwd: string) => bench.git.remote(cwd, bench.sight);
const push = (cwd: string, url: string, head = bench.run(cwd, "rev-parse", "HEAD")) =>
  bench.git.push(cwd, { commandId: randomUUID(), url, head }, bench.sight);

describe("[V5] an address", () => {
  test("is used for https and ssh only", () => {
    const good = [
      "https://example.com/a/b.git",
      "https://u:p@example.com/a",
      "ssh://git@example.com:22/a",
      ADDRESS,
      "host:a/b",
    ];
    const bad = [
      ...[
        "ext::sh -c touch% /tmp/x",
        "http://example.com/a",
        "git://example.com/a",
        "file:///tmp/x",
        "/tmp/x",
        "../x",
        "-x",
      ],
      ...[
        "ssh://-oProxyCommand=x/y",
        "-oProxyCommand=x:y",
        "git@-oProxyCommand=x:y",
        "fd::17",
        "https://a b/c",
        "https::x",
      ],
      ...["ssh://-x@host/y", "https://example.com/a\nb", "ftp://example.com/x"],
    ];
    expect(good.filter((url) => !isAllowed(url))).toEqual([]);
    expect(bad.filter((url) => isAllowed(url))).toEqual([]);
    expect(shownUrl("https://me:secret@example.com/a")).toBe("https://example.com/a");
    expect([good[0]!, ADDRESS, "ssh://git@h.com:22/o/n", "/x"].map(repositoryAt)).toEqual([
      ...["example.com/a/b", "example.com/ada/tide", "h.com/o/n", undefined],
    ]);
  });
});

describe("[S75] a push", () => {
  test("goes to the address that the person saw, and sets the upstream", async () => {
    const root = bench.repository("push");
    expect((await remoteOf(root)).obstacle).toBe("This repository has no remote.");
    bench.run(root, "remote", "add", "origin", ADDRESS);
    const shown = await remoteOf(root);
    expect(shown).toMatchObject({ remote: "origin", url: ADDRESS, branch: "main" });
    expect(shown.commits.map(({ subject }) => subject)).toEqual(["First"]);
    expect((await refusalIn(push(root, "git@example.com:other/x.git"))).code).toBe("changed");
    expect((await refusalIn(push(root, ADDRESS, "0".repeat(40)))).code).toBe("changed");
    expect(bench.run(remote, "for-each-ref")).toBe("");
    expect(await push(root, shown.url!)).toEqual({ words: `main was pushed to ${ADDRESS}.` });
    expect(bench.run(remote, "log", "--format=%s", "main")).toBe("First");
    expect(readFileSync(join(bench.folder, "hosts"), "utf8")).toBe("git@example.com\n");
    expect(bench.run(root, "status", "--porcelain", "--branch")).toBe("## main...origin/main");
    expect((await remoteOf(root)).commits).toEqual([]);
  });

  test("never forces", async () => {
    const root = bench.repository("other-history", { "z.txt": "z\n" });
    bench.run(root, "remote", "add", "origin", ADDRESS);
    const before = bench.run(remote, "rev-parse", "main");
    bench.run(root, "config", "remote.origin.push", "+refs/heads/main:refs/heads/main");
    const refused = await refusalIn(push(root, ADDRESS));
    expect(refused.message).toContain("Quarterdeck never forces");
    expect(bench.run(remote, "rev-parse", "main")).toBe(before);
  });

  test("runs nothing that the repository names, and follows no address that it rewrites", async () => {
    const root = bench.repository("hostile");
    const mark = join(bench.folder, "mark");
    const ring = bench.program("ring", `: > ${mark}; exit 1`);
    const settings = [
      ["core.sshCommand", ring],
      ["core.askPass", ring],
      ["credential.helper", `!${ring}`],
      [`url.ext::${ring} .insteadOf`, "git@example.com:"],
      [`url.ssh://elsewhere.example.com/.pushInsteadOf`, "git@example.com:"],
      ["protocol.ext.allow", "always"],
      ["remote.origin.receivepack", ring],
      ["remote.origin.vcs", "ext"],
      ["remote.origin.proxy", "ext"],
      ["core.hooksPath", bench.programs],
      ["core.fsmonitor", ring],
      ["gpg.program", ring],
      ["push.gpgSign", "true"],
    ] as const;
    bench.program("pre-push", `: > ${mark}`);
    bench.run(root, "remote", "add", "origin", ADDRESS);
    bench.run(root, "checkout", "--quiet", "-b", "safe");
    for (const [key, value] of settings) bench.run(root, "config", key, value);
    const shown = await remoteOf(root);
    expect(shown.url).toBe(ADDRESS);
    await push(root, ADDRESS);
    expect(bench.run(remote, "log", "--format=%s", "safe")).toBe("First");
    expect(existsSync(mark)).toBe(false);
  });

  test("is refused for an address that is not of the web", async () => {
    const root = bench.repository("local");
    const addresses = ["/tmp/x", `ext::${join(bench.programs, "ring")}`, "file:///tmp/x", "git://example.com/x"];
    bench.run(root, "remote", "add", "origin", "x");
    for (const address of addresses) {
      bench.run(root, "config", "remote.origin.url", address);
      expect((await remoteOf(root)).obstacle).toContain("https and ssh only");
      expect((await refusalIn(push(root, address))).message).toContain("https and ssh only");
    }
  });
});

describe("[V5] a pull request", () => {
  test("is made by gh, which sees no file of the repository", async () => {
    const root = bench.repository("pr");
    bench.run(root, "remote", "add", "origin", ADDRESS);
    bench.run(root, "checkout", "--quiet", "-b", "topic");
    bench.run(root, "commit", "--quiet", "--allow-empty", "-m", "Add the bell");
    const wanted = {
      commandId: randomUUID(),
      title: "Add\nthe bell",
      body: "--why\nBecause.",
      base: "main",
      draft: true,
    };
    const make = () => bench.git.pullRequest(root, wanted, bench.sight);
    expect((await remoteOf(root)).pullRequest).toBeUndefined();
    expect((await refusalIn(make())).message).toContain("gh is not installed");
    const gh = bench.program(
      "gh",
      `for word in "$@"; do echo "$word"; done > ${bench.folder}/gh; cat >> ${bench.folder}/gh; ls -A >> ${bench.folder}/gh; echo "Creating..." >&2; echo "https://example.com/ada/tide/pull/7"`,
    );
    expect((await remoteOf(root)).pullRequest).toEqual({
      base: "main",
      title: "First",
      obstacle: "Push the branch first.",
    });
    expect((await refusalIn(make())).message).toBe("Push the branch first.");
    await push(root, ADDRESS);
    expect(await make()).toEqual({ url: "https://example.com/ada/tide/pull/7" });
    expect(readFileSync(join(bench.folder, "gh"), "utf8").split("\n")).toEqual([
      ...["pr", "create", "--repo=example.com/ada/tide", "--head=topic", "--base=main", "--title=Add the bell"],
      ...["--body-file=-", "--draft", "--why", "Because."],
    ]);
    rmSync(gh);
  });
});
