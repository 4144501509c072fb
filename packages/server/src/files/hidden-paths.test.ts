import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { HIDDEN_GROUPS, HIDDEN_BY_VARIABLE, hiddenPaths } from "./hidden-paths.ts";

const HOME = "/home/user";
const hidden = hiddenPaths({ home: HOME, env: {}, own: ["/data"] });
/** A path that matches the pattern. */
const example = (pattern: string): string => pattern.replaceAll("*", "x");

describe("the list of hidden paths", () => {
  it("[S44] every entry is hidden, with everything in it, and has a reason", () => {
    for (const { why, shownTo, home = [], anywhere = [], system = [] } of HIDDEN_GROUPS) {
      expect(why).toMatch(/^[A-Z].{10,}\.$/u);
      const isHidden = shownTo === "nobody" ? hidden.fromEverybody : hidden.belowAdmin;
      const paths = [
        ...home.map((path) => `${HOME}/${path}`),
        ...anywhere.flatMap((path) => [`${HOME}/${path}`, `/srv/project/deep/${path}`]),
        ...system,
      ].map(example);
      expect(paths.filter((path) => !isHidden(path) || !isHidden(`${path}/inside`))).toEqual([]);
    }
  });

  it("[S44] an entry of several names that is hidden anywhere has no wildcard", () => {
    const paths = HIDDEN_GROUPS.flatMap(({ anywhere = [] }) => anywhere);
    expect(paths.filter((path) => path.includes("/") && path.includes("*"))).toEqual([]);
  });

  it("[S44] no entry is listed twice", () => {
    for (const where of ["home", "anywhere", "system"] as const) {
      const paths = HIDDEN_GROUPS.flatMap((group) => group[where] ?? []);
      expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
    }
  });

  it.each([
    ["dots", `${HOME}/x/../.ssh/id_rsa`],
    ["double slashes", `${HOME}//.ssh//config`],
    ["a slash at the end", `${HOME}/.aws/`],
    ["other case", `${HOME}/.SSH/ID_RSA`],
    ["a letter that folds to another", `${HOME}/.\u017F\u017Fh/config`],
    ["a character without width", `${HOME}/.s\u200Csh/config`],
    ["full-width letters", `${HOME}/.ｓｓｈ/config`],
    ["an own folder in other case", "/DATA/secret"],
    ["the CLI's file and its copies", `${HOME}/.claude.json.backup.17`],
    ["a history by its pattern", `${HOME}/.python_history`],
    ["another user's key", "/srv/backup/home/other/.ssh/known_hosts"],
  ])("[S44] ignores differences in spelling: %s", (_, path) => {
    expect(hidden.fromEverybody(path)).toBe(true);
  });

  it.each([
    ...[HOME, `${HOME}/project/readme.md`, `${HOME}/.sshx`, `${HOME}/project/id_rsa.pub`, "/database/x"],
    ...[`${HOME}/project/.claude/commands/x.md`, `${HOME}/.config/nvim/init.lua`, `${HOME}/project/.docker/Dockerfile`],
    ...[`${HOME}/project/.gitignore`, `${HOME}/project/.github/x.yml`, `${HOME}/project/.env.example`, "/etc/hosts"],
    ...[`${HOME}/project/environment.ts`, `${HOME}/project/keys.ts`, "/processes"],
    ...[`${HOME}/project/notes.bak`, `${HOME}/project/package.lock`, `${HOME}/project/#draft#`, `${HOME}/project/~`],
  ])("[Q1] shows %s to every role", (path) => {
    expect([hidden.fromEverybody(path), hidden.belowAdmin(path)]).toEqual([false, false]);
  });

  it.each([
    "/w/.env",
    "/w/.env.local",
    "/w/.git/config",
    "/w/.npmrc",
    "/w/server.key",
    "/w/a.tfstate",
    `${HOME}/.gitconfig`,
    "/w/prod.env",
    "/w/.env~",
    "/w/.env-prod.bak",
    "/w/.env.swp",
    "/w/#.env#",
    "/w/.#.env",
    "/w/server.key.old",
  ])("[S44] an admin sees %s, and no other role does", (path) => {
    expect([hidden.fromEverybody(path), hidden.belowAdmin(path)]).toEqual([false, true]);
  });

  it.each(["/w/id_rsa~", "/w/id_rsa.bak", "/w/.id_rsa.swp", "/w/.ssh.old/x", "/w/.aws/credentials.bak", "/w/.netrc#"])(
    "[S44] hides the copy %s from every role",
    (path) => {
      expect(hidden.fromEverybody(path)).toBe(true);
    },
  );

  it.each(["/w/.mcp.json", "/w/.mcp.json.orig", "/w/.claude/settings.json", "/w/a/.claude/settings.local.json"])(
    "[S59] an admin sees %s, and no other role does",
    (path) => {
      expect([hidden.fromEverybody(path), hidden.belowAdmin(path)]).toEqual([false, true]);
    },
  );

  it("[S44] follows links: a hidden place is hidden at its real path", () => {
    const folder = mkdtempSync(join(tmpdir(), "quarterdeck-hidden-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of ["home", "dotfiles/claude", "dotfiles/vim"]) mkdirSync(join(folder, name), { recursive: true });
    symlinkSync(join(folder, "dotfiles/claude"), join(folder, "home/.claude"));
    const { fromEverybody } = hiddenPaths({ home: join(folder, "home"), env: {}, own: [] });
    expect(fromEverybody(join(folder, "dotfiles/claude/settings.json"))).toBe(true);
    expect(fromEverybody(join(folder, "dotfiles/vim/vimrc"))).toBe(false);
  });

  it("[S44] uses the XDG variables that move parts of the home", () => {
    const env = { XDG_CONFIG_HOME: "/srv/config", XDG_DATA_HOME: "/srv/share" };
    const { fromEverybody } = hiddenPaths({ home: HOME, env, own: [] });
    expect(["/srv/config/gh/hosts.yml", "/srv/share/keyrings/x", `${HOME}/.config/gh`].every(fromEverybody)).toBe(true);
    expect(fromEverybody("/srv/config/nvim")).toBe(false);
  });

  it("[S44] hides the path that a variable names, unless it is the home itself", () => {
    for (const name of HIDDEN_BY_VARIABLE) {
      const { fromEverybody } = hiddenPaths({ home: HOME, env: { [name]: "/srv/secret:/srv/second" }, own: [] });
      expect(fromEverybody("/srv/secret/x") && fromEverybody("/srv/second")).toBe(true);
      const { fromEverybody: isHidden } = hiddenPaths({ home: HOME, env: { [name]: "/home:relative:" }, own: [] });
      expect(isHidden(`${HOME}/work`)).toBe(false);
    }
  });
});
