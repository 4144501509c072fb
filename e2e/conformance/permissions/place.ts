// The folders of one session: a HOME, a project in it, and a folder outside of both, laid out as a case wants them. It owns the
// placeholders in both directions. Nothing of a machine's paths gets into a verdict.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { FileSpec, PermissionCase } from "./case.ts";

export interface Place {
  readonly box: string;
  readonly home: string;
  readonly cwd: string;
  readonly out: string;
  readonly fill: <T>(value: T) => T;
  readonly blank: <T>(value: T) => T;
  readonly remove: () => void;
}

export const placeFor = (
  one: PermissionCase,
  base: Readonly<Record<string, FileSpec>>,
  root: string,
  name: string,
): Place => {
  const box = join(root, name.replaceAll(/[^\w.-]/g, "_"));
  rmSync(box, { recursive: true, force: true });
  const [home, cwd, out] = [join(box, "home"), join(box, "home", "proj"), join(box, "out")];
  for (const folder of [cwd, out]) mkdirSync(folder, { recursive: true });
  const place: Place = {
    box,
    home,
    cwd,
    out,
    fill: (value) => mapText(value, (text) => filled(text, { cwd, home, out })),
    blank: (value) => mapText(value, (text) => blanked(text, { cwd, home, out, box, root })),
    remove: () => {
      rmSync(box, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  layOut(one, base, place);
  return place;
};

const layOut = (one: PermissionCase, base: Readonly<Record<string, FileSpec>>, { fill, home, cwd }: Place): void => {
  for (const [name, spec] of Object.entries({ ...base, ...one.files })) putFile(fill(name), fill(spec));
  const settings = (path: string, value: unknown): void => {
    if (value === undefined) return;
    putFile(path, typeof value === "string" ? fill(value) : JSON.stringify(fill(value)));
  };
  settings(join(home, ".claude/settings.json"), one.settings?.user);
  settings(join(cwd, ".claude/settings.json"), one.settings?.project);
  settings(join(cwd, ".claude/settings.local.json"), one.settings?.local);
  if (one.trusted !== undefined && one.trusted !== false) {
    const folder = one.trusted === true ? cwd : fill(one.trusted);
    const value = { projects: { [folder]: { hasTrustDialogAccepted: true } } };
    writeFileSync(join(home, ".claude.json"), JSON.stringify(value));
  }
  if (one.git === undefined || one.git === false) return;
  const git = (...args: string[]): void => {
    const who = ["-c", "user.name=lab", "-c", "user.email=lab@example.com"];
    execFileSync("git", ["-C", cwd, ...who, ...args], { env: { PATH: process.env["PATH"], HOME: home } });
  };
  git("init", "-q", "-b", "main");
  if (one.git === "all") git("add", "-Af");
  git("commit", "-q", "--allow-empty", "-m", "start");
};

const putFile = (path: string, spec: FileSpec): void => {
  mkdirSync(dirname(path), { recursive: true });
  if (typeof spec === "string") writeFileSync(path, spec);
  else if ("symlink" in spec) symlinkSync(spec.symlink, path);
  else if ("exec" in spec) writeFileSync(path, spec.exec, { mode: 0o755 });
  else mkdirSync(path, { recursive: true });
};

const mapText = <T>(value: T, change: (text: string) => string): T => {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((one: unknown) => mapText(one, change)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapText(one, change)])) as T;
};

const filled = (text: string, { cwd, home, out }: Readonly<Record<"cwd" | "home" | "out", string>>): string =>
  text
    .replaceAll("{{cwd}}", cwd)
    .replaceAll("{{home}}", home)
    .replaceAll("{{out}}", out)
    .replaceAll(/\{\{(\w)\*(\d+)\}\}/g, (_, letter: string, count: string) => letter.repeat(Number(count)));

type Names = Readonly<Record<"cwd" | "home" | "out" | "box" | "root", string>>;
const blanked = (text: string, { cwd, home, out, box, root }: Names): string =>
  text
    .replaceAll(/(\w)\1{999,}/g, (run: string, letter: string) => `{{${letter}*${String(run.length)}}}`)
    .replaceAll(cwd, "{{cwd}}")
    .replaceAll(home, "{{home}}")
    .replaceAll(out, "{{out}}")
    .replaceAll(box, "{{box}}")
    .replaceAll(cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), "{{cwd-slug}}")
    .replaceAll(root, "{{root}}")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "{{uuid}}")
    .replaceAll(/127\.0\.0\.1:\d{4,5}/g, "127.0.0.1:{{port}}")
    .replaceAll(/claude-\d{2,5}\b/g, "claude-{{uid}}");

/** What the CLI keeps for itself in HOME. It says nothing about a call. */
const BOOKKEEPING =
  /^home\/(\.claude\.json|\.claude\/(?!settings\.json|skills|commands|agents|CLAUDE\.md|hooks|src|a\.txt|plans\/x)|\.cache|\.local|\.npm|\.config)/;

export type Listing = ReadonlyMap<string, string>;

export const listingOf = (box: string): Listing => {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(box, folder), { withFileTypes: true })) {
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (BOOKKEEPING.test(name) || name.includes("/.git/")) continue;
      const full = join(box, name);
      if (entry.isDirectory()) {
        if (name !== "home/.claude") found.set(`${name}/`, "folder");
        walk(name);
      } else if (entry.isSymbolicLink()) found.set(name, `link ${readlinkSync(full)}`);
      else if (entry.isFile()) found.set(name, fingerprint(full));
      else found.set(name, "other");
    }
  };
  walk("");
  return found;
};

const fingerprint = (path: string): string => {
  const { mtimeMs, size } = statSync(path);
  return `${createHash("sha1").update(readFileSync(path)).digest("hex")} ${String(mtimeMs)} ${String(size)}`;
};

/** `+` made, `~` changed, `-` removed. */
export const changesOf = (before: Listing, after: Listing): readonly string[] => {
  const changes: string[] = [];
  for (const [name, print] of after) {
    if (!before.has(name)) changes.push(`+${name}`);
    else if (before.get(name) !== print) changes.push(`~${name}`);
  }
  for (const name of before.keys()) if (!after.has(name)) changes.push(`-${name}`);
  return changes.toSorted().map((change) =>
    change
      .replace("home/proj/", "{{cwd}}/")
      .replace("home/", "{{home}}/")
      .replace(/^(.)out\//, "$1{{out}}/"),
  );
};
