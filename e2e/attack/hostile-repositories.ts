// Repositories that run a program when git only looks at them. Each names a canary program that leaves a mark. The test first checks that plain
// git runs the canary. All are copies of one small repository with changed files. Pagers, filters of interactive diffs and a repository's
// `uploadpack.packObjectsHook` are missing, because git 2.39 does not run them without a terminal.

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

export interface HostileRepository {
  /** Where the session starts. */
  readonly cwd: string;
  /** Shell commands that run the canaries in `cwd`. */
  readonly command: string;
  /** Whether the canary ran since the last call. */
  readonly hasRung: () => boolean;
  /** The kinds whose canaries ran since the last call. */
  readonly rang: () => readonly string[];
}

interface Kit {
  /** The folder of this repository, a copy of the template. */
  readonly at: string;
  /** The canary, as a program that reads nothing and fails. */
  readonly ring: string;
  /** The template's commit. Every submodule is at it. */
  readonly head: string;
  /** The object of `file` in that commit. */
  readonly blob: string;
  readonly config: (text: string, repository?: string) => void;
  readonly put: (path: string, text: string, mode?: number) => void;
  readonly hook: (path: string) => void;
  readonly copy: (path: string, withSubmodule?: boolean) => void;
}

interface Made {
  readonly command: string;
  /** Relative to the copy. */
  readonly cwd?: string;
}

const inGit = ({ put }: Kit, sub: string, gitdir: string): void => put(join(sub, ".git"), `gitdir: ${gitdir}\n`);
const monitor = ({ ring }: Kit): string => `[core]\n\tfsmonitor = ${ring}\n`;
/** A clone without one object of its last commit. */
const lack = (kit: Kit, remote: string): void => {
  rmSync(join(kit.at, ".git/objects", kit.blob.slice(0, 2), kit.blob.slice(2)), { force: true });
  kit.config(
    `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n${remote}`,
  );
};

const KINDS: Readonly<Record<string, (kit: Kit) => Made>> = {
  "a file-system monitor": (kit) => {
    kit.config(monitor(kit));
    return { command: "git status" };
  },
  "a monitor in an included file": (kit) => {
    kit.put("innocent.txt", monitor(kit));
    kit.config("[include]\n\tpath = ../innocent.txt\n");
    return { command: "git status" };
  },
  "a monitor in a file that is included for this branch": (kit) => {
    kit.put("innocent.txt", monitor(kit));
    kit.config('[includeIf "onbranch:main"]\n\tpath = ../innocent.txt\n');
    return { command: "git status" };
  },
  "a monitor in the worktree's settings": (kit) => {
    kit.put(".git/config.worktree", monitor(kit));
    kit.config("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n");
    return { command: "git status" };
  },
  "a monitor above the session's folder": (kit) => {
    kit.put("a/b", "");
    kit.config(monitor(kit));
    return { command: "git status", cwd: "a" };
  },
  "a hook after the index changes": (kit) => {
    kit.hook(".git/hooks/post-index-change");
    return { command: "git status" };
  },
  "a hook of references": (kit) => {
    kit.hook(".git/hooks/reference-transaction");
    return { command: "git branch new" };
  },
  "a hook that is a link": (kit) => {
    kit.hook("tool.sh");
    mkdirSync(join(kit.at, ".git/hooks"), { recursive: true });
    symlinkSync("../../tool.sh", join(kit.at, ".git/hooks/post-index-change"));
    return { command: "git status" };
  },
  "a hook before commits": (kit) => {
    kit.hook(".git/hooks/pre-commit");
    return { command: "git commit -q --allow-empty -m new" };
  },
  "a hooks folder among the files": (kit) => {
    kit.hook(".hooks/post-index-change");
    kit.config("[core]\n\thooksPath = .hooks\n");
    return { command: "git status" };
  },
  "a clean filter": (kit) => {
    kit.put(".gitattributes", "file filter=evil\n");
    kit.config(`[filter "evil"]\n\tclean = ${kit.ring} cat\n`);
    return { command: "git status" };
  },
  "a clean filter with a strange name": (kit) => {
    kit.put(".gitattributes", "file filter=e=v.il\n");
    kit.config(`[FILTER "e=v.il"]\n\tClean = ${kit.ring} cat\n`);
    return { command: "git status" };
  },
  "a filter process": (kit) => {
    kit.put(".gitattributes", "file filter=evil\n");
    kit.config(`[filter "evil"]\n\tprocess = ${kit.ring}\n`);
    return { command: "git diff" };
  },
  "a smudge filter": (kit) => {
    kit.put(".gitattributes", "file filter=evil\n");
    kit.config(`[filter "evil"]\n\tsmudge = ${kit.ring} cat\n`);
    return { command: "git cat-file --filters HEAD:file" };
  },
  "attributes in the git folder": (kit) => {
    kit.put(".git/info/attributes", "* filter=evil\n");
    kit.config(`[filter "evil"]\n\tclean = ${kit.ring} cat\n`);
    return { command: "git status" };
  },
  "an external diff": (kit) => {
    kit.config(`[diff]\n\texternal = ${kit.ring}\n`);
    return { command: "git diff" };
  },
  "a diff driver": (kit) => {
    kit.put(".gitattributes", "file diff=evil\n");
    kit.config(`[diff "evil"]\n\tcommand = ${kit.ring}\n`);
    return { command: "git diff" };
  },
  "a text converter": (kit) => {
    kit.put(".gitattributes", "file diff=evil\n");
    kit.config(`[diff "evil"]\n\ttextconv = ${kit.ring} cat\n`);
    return { command: "git log -p" };
  },
  "a merge driver": (kit) => {
    kit.put(".gitattributes", "file merge=evil\n");
    kit.config(`[merge "evil"]\n\tdriver = ${kit.ring}\n`);
    return { command: "git merge-tree --write-tree main other" };
  },
  "a signature program": (kit) => {
    kit.config(`[gpg]\n\tprogram = ${kit.ring}\n[log]\n\tshowSignature = true\n`);
    return { command: "git log signed" };
  },
  "a program for archives": (kit) => {
    kit.config(`[tar "evil"]\n\tcommand = ${kit.ring}\n`);
    return { command: "git archive --format=evil HEAD" };
  },
  "an alias": (kit) => {
    kit.config(`[alias]\n\tst = "!${kit.ring}"\n`);
    return { command: "git st" };
  },
  "an editor": (kit) => {
    kit.config(`[core]\n\teditor = ${kit.ring}\n`);
    return { command: "git commit --allow-empty" };
  },
  "a credential helper": (kit) => {
    kit.config(`[credential "https://nowhere.invalid"]\n\thelper = "!${kit.ring}"\n`);
    return { command: "printf 'protocol=https\\nhost=nowhere.invalid\\n\\n' | git credential fill" };
  },
  "a program that asks for passwords": (kit) => {
    kit.config(`[core]\n\taskPass = ${kit.ring}\n`);
    return { command: "printf 'protocol=https\\nhost=nowhere.invalid\\n\\n' | git credential fill" };
  },
  "an ssh command": (kit) => {
    kit.config(`[core]\n\tsshCommand = ${kit.ring}\n[remote "origin"]\n\turl = ssh://localhost:9/x\n`);
    return { command: "git ls-remote" };
  },
  "a git proxy": (kit) => {
    kit.config(`[core]\n\tgitProxy = ${kit.ring}\n[remote "origin"]\n\turl = git://nowhere.invalid/x\n`);
    return { command: "git ls-remote" };
  },
  "a remote that is a program": (kit) => {
    kit.config(`[protocol "ext"]\n\tallow = always\n[remote "origin"]\n\turl = ext::${kit.ring}\n`);
    return { command: "git ls-remote" };
  },
  "a remote that is rewritten to a program": (kit) => {
    kit.config(
      `[protocol]\n\tallow = always\n[url "ext::${kit.ring} "]\n\tinsteadOf = https:\n[remote "origin"]\n\turl = https://nowhere.invalid/x\n`,
    );
    return { command: "git remote show origin" };
  },
  "a remote with its own helper": (kit) => {
    kit.config(`[protocol "ext"]\n\tallow = always\n[remote "origin"]\n\tvcs = ext\n\turl = ${kit.ring}\n`);
    return { command: "git ls-remote" };
  },
  "a branch whose remote is a program": (kit) => {
    kit.config(
      `[protocol "ext"]\n\tallow = always\n[branch "main"]\n\tremote = ext::${kit.ring}\n\tmerge = refs/heads/main\n`,
    );
    return { command: "git fetch" };
  },
  "a remote's upload-pack": (kit) => {
    kit.config(`[remote "origin"]\n\turl = .\n\tuploadpack = ${kit.ring}\n`);
    return { command: "git ls-remote" };
  },
  "a partial clone with an upload-pack": (kit) => {
    lack(kit, `\turl = .\n\tuploadpack = ${kit.ring}\n`);
    return { command: "git diff" };
  },
  "a partial clone from a program": (kit) => {
    lack(kit, `\turl = ext::${kit.ring}\n[protocol "ext"]\n\tallow = always\n`);
    return { command: "git log -p" };
  },
  "a partial clone over ssh": (kit) => {
    lack(kit, `\turl = ssh://localhost:9/x\n[core]\n\tsshCommand = ${kit.ring}\n`);
    return { command: "git show" };
  },
  "a working tree that is the parent": (kit) => {
    mkdirSync(join(kit.at, "sub"));
    renameSync(join(kit.at, ".git"), join(kit.at, "sub/.git"));
    kit.config(`${monitor(kit)}\tworktree = ../..\n`, "sub/.git");
    return { command: "git status", cwd: "sub" };
  },
  "a .git file that leads to another name": (kit) => {
    renameSync(join(kit.at, ".git"), join(kit.at, "store"));
    inGit(kit, ".", "store");
    kit.config(monitor(kit), "store");
    return { command: "git status" };
  },
  "a .git file that leads out": (kit) => {
    mkdirSync(join(kit.at, "work"));
    renameSync(join(kit.at, ".git"), join(kit.at, "store"));
    inGit(kit, "work", "../store");
    kit.config(monitor(kit), "store");
    return { command: "git status", cwd: "work" };
  },
  "a .git that is a link": (kit) => {
    mkdirSync(join(kit.at, "work"));
    renameSync(join(kit.at, ".git"), join(kit.at, "store"));
    symlinkSync("../store", join(kit.at, "work/.git"));
    kit.config(monitor(kit), "store");
    return { command: "git status", cwd: "work" };
  },
  "a git folder with its settings elsewhere": (kit) => {
    kit.copy("work/other");
    renameSync(join(kit.at, ".git"), join(kit.at, "work/.git"));
    kit.put("work/.git/commondir", "../other/.git\n");
    kit.config(monitor(kit), "work/other/.git");
    return { command: "git status", cwd: "work" };
  },
  "a submodule with a monitor": (kit) => {
    kit.copy(".", true);
    kit.copy("sub");
    mkdirSync(join(kit.at, ".git/modules"));
    renameSync(join(kit.at, "sub/.git"), join(kit.at, ".git/modules/sub"));
    inGit(kit, "sub", "../.git/modules/sub");
    kit.config(`${monitor(kit)}\tworktree = ../../../sub\n`, ".git/modules/sub");
    return { command: "git status" };
  },
  "an embedded repository as submodule": (kit) => {
    kit.copy(".", true);
    kit.copy("sub");
    kit.put(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n');
    kit.config(monitor(kit), "sub/.git");
    return { command: "git diff" };
  },
  "a submodule with a filter": (kit) => {
    kit.copy(".", true);
    kit.copy("sub");
    kit.put("sub/.gitattributes", "file filter=evil\n");
    kit.config(`[filter "evil"]\n\tclean = ${kit.ring} cat\n`, "sub/.git");
    return { command: "git status" };
  },
  "a submodule beside the session's folder": (kit) => {
    kit.copy(".", true);
    kit.copy("sub");
    kit.put("a/b", "");
    kit.config(monitor(kit), "sub/.git");
    return { command: "git status", cwd: "a" };
  },
  "an embedded repository with a monitor": (kit) => {
    kit.copy("a/b/c");
    kit.config(monitor(kit), "a/b/c/.git");
    return { command: "cd a/b/c && git status" };
  },
  "an embedded repository with a filter": (kit) => {
    kit.copy("node_modules/x");
    kit.put("node_modules/x/.gitattributes", "file filter=evil\n");
    kit.config(`[filter "evil"]\n\tclean = ${kit.ring} cat\n`, "node_modules/x/.git");
    return { command: "cd node_modules/x && git status" };
  },
  "a repository below a plain folder": (kit) => {
    rmSync(join(kit.at, ".git"), { recursive: true });
    kit.copy("x");
    kit.hook("x/.git/hooks/post-index-change");
    return { command: "cd x && git status" };
  },
  "a bare repository among the files": (kit) => {
    kit.copy("x");
    renameSync(join(kit.at, "x/.git"), join(kit.at, "fixture"));
    kit.config(`${monitor(kit)}\tbare = false\n\tworktree = ../x\n`, "fixture");
    return { command: "cd fixture && git status" };
  },
  "a bare repository among the files, with hooks": (kit) => {
    kit.copy("x");
    renameSync(join(kit.at, "x/.git"), join(kit.at, "fixture"));
    kit.config("[core]\n\tbare = true\n", "fixture");
    kit.hook("fixture/hooks/reference-transaction");
    return { command: "cd fixture && git branch new" };
  },
};

const SIGNATURE = "-----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----";

export class Nursery {
  readonly #root: string;
  readonly #marks: string;
  readonly #head: string;
  readonly #blob: string;
  /** The home folder of a person without special settings. */
  readonly env: Readonly<Record<string, string>>;

  /** `root` holds the repositories, `outside` everything else. */
  constructor(root: string, outside: string) {
    this.#root = root;
    this.#marks = join(outside, "marks");
    const home = join(outside, "git-home");
    for (const folder of [this.#marks, home]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = a\n\temail = a@b\n");
    this.env = { PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C.UTF-8" };
    const template = this.#template(false);
    const git = this.#gitIn(template);
    git("init", "-q", "-b", "main");
    writeFileSync(join(template, "file"), "one\n");
    // Copied, not linked: git rewrites the index after it looked at it.
    writeFileSync(join(template, "same"), "same\n");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    const commit = git("cat-file", "commit", "HEAD").replace("\n\n", `\ngpgsig ${SIGNATURE}\n\n`);
    git(
      "update-ref",
      "refs/heads/signed",
      this.#gitIn(template, commit)("hash-object", "-t", "commit", "-w", "--stdin"),
    );
    writeFileSync(join(template, "file"), "two\n");
    git("commit", "-q", "-a", "-m", "second");
    git("branch", "other");
    git("reset", "-q", "--soft", "HEAD~1");
    writeFileSync(join(template, "file"), "three\n");
    git("commit", "-q", "-a", "-m", "third");
    // The same length, so git has to compare the contents.
    writeFileSync(join(template, "file"), "3hree\n");
    // Our own hooks, and the samples of the installed git.
    rmSync(join(template, ".git/hooks"), { recursive: true, force: true });
    this.#head = git("rev-parse", "HEAD");
    this.#blob = git("rev-parse", "HEAD:file");
    cpSync(template, this.#template(true), { recursive: true });
    this.#gitIn(this.#template(true))("update-index", "--add", "--cacheinfo", `160000,${this.#head},sub`);
  }

  #template(withSubmodule: boolean): string {
    const folder = join(dirname(this.#marks), withSubmodule ? "template-with-submodule" : "template");
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  #gitIn(cwd: string, input = ""): (...args: string[]) => string {
    return (...args) => execFileSync("git", args, { cwd, env: this.env, input, stdio: "pipe" }).toString().trim();
  }

  static readonly names = Object.keys(KINDS);

  /** A plain repository without anything to trust. */
  harmless(name: string): string {
    const at = join(this.#root, name);
    cpSync(this.#template(false), at, { recursive: true });
    return at;
  }

  /** Each copy of one kind has its own name. */
  make(name: string, copy = ""): HostileRepository {
    return this.makeOf([name], copy);
  }

  /** One repository that is hostile in several ways. A kind that replaces all files comes first. */
  makeOf(names: readonly [string, ...string[]], copy = ""): HostileRepository {
    const id = `${names.join(" ").replaceAll(/\W+/g, "-")}${copy}`;
    const at = this.harmless(id);
    const put: Kit["put"] = (path, text, mode = 0o644) => {
      mkdirSync(dirname(join(at, path)), { recursive: true });
      writeFileSync(join(at, path), text);
      chmodSync(join(at, path), mode);
    };
    const markOf = (name: string): string => join(this.#marks, `${id}-${String(names.indexOf(name))}`);
    const made = names.map((name, index) => {
      const mark = markOf(name);
      const ring = join(dirname(this.#marks), `ring-${id}-${String(index)}`);
      const canary = `#!/bin/sh\n: > '${mark}'\nif [ "$1" = cat ]; then exec cat; fi\nexit 1\n`;
      writeFileSync(ring, canary, { mode: 0o755 });
      return KINDS[name]!({
        at,
        ring,
        head: this.#head,
        blob: this.#blob,
        put,
        config: (text, repository = ".git") => appendFileSync(join(at, repository, "config"), text),
        hook: (path) => put(path, `#!/bin/sh\n: > '${mark}'\n`, 0o755),
        copy: (path, withSubmodule = false) =>
          cpSync(this.#template(withSubmodule), join(at, path), { recursive: true, force: true }),
      });
    });
    const rang = (): readonly string[] => {
      const heard = names.filter((name) => existsSync(markOf(name)));
      for (const name of heard) rmSync(markOf(name), { force: true });
      return heard;
    };
    const command = made.map((each) => `(${each.command})`).join("; ");
    return { cwd: join(at, made[0]?.cwd ?? ""), command, rang, hasRung: () => rang().length > 0 };
  }
}
