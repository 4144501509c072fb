import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "@quarterdeck/test-kit/scratch-folder";
import { previewSettings, readSettingsFiles, settingsPlace, writeSettings } from "./settings-files.ts";
import type { WritableScope } from "@quarterdeck/permissions/words";
import type { SettingsFolders } from "./settings-files.ts";

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const folders = (): SettingsFolders => {
  const root = scratchFolder();
  mkdirSync(join(root, "work"));
  return { cwd: join(root, "work"), configDir: join(root, "home/.claude"), managedDir: join(root, "managed") };
};
const ALLOW = '{"permissions":{"allow":["Bash(ls)"]},"model":"opus"}';
const add = (): string => ALLOW;

test("[H36] every file that can have rules for a folder is read, the strongest first", async () => {
  const at = folders();
  put(join(at.managedDir!, "managed-settings.json"), '{"a":1}');
  put(join(at.managedDir!, "managed-settings.d/b.json"), '{"b":1}');
  put(join(at.cwd, ".claude/settings.json"), "\uFEFF" + ALLOW);
  put(join(at.configDir, "settings.json"), "[]");
  const read = await readSettingsFiles(at);
  expect(read.map(({ scope, value, problem }) => [scope, value, problem === undefined])).toEqual([
    ["policySettings", { a: 1 }, true],
    ["policySettings", { b: 1 }, true],
    ["localSettings", undefined, true],
    ["projectSettings", JSON.parse(ALLOW), true],
    ["userSettings", undefined, false],
  ]);
  put(join(at.configDir, "settings.json"), "{ // no\n}");
  expect((await readSettingsFiles(at)).at(-1)?.problem).toMatch(/not valid JSON, so Claude Code ignores it/u);
});

test("[H36] in the home folder, the project's file is the user's file and is read once", async () => {
  const root = scratchFolder();
  put(join(root, ".claude/settings.json"), ALLOW);
  const read = await readSettingsFiles({ cwd: root, configDir: join(root, ".claude"), managedDir: join(root, "none") });
  expect(read.map(({ scope }) => scope)).toEqual(["policySettings", "localSettings", "userSettings"]);
});

test("[H37] a change is shown first and made once, and only of the text that was shown", async () => {
  const at = folders();
  const place = settingsPlace(at, "localSettings");
  const shown = await previewSettings(place, add);
  expect(shown).toMatchObject({ before: undefined, after: ALLOW, path: join(at.cwd, ".claude/settings.local.json") });
  expect(existsSync(place.path)).toBe(false);
  const written = await writeSettings(place, add, shown.hash);
  expect(written.value).toEqual(JSON.parse(ALLOW));
  expect(readFileSync(place.path, "utf8")).toBe(ALLOW);
  await expect(writeSettings(place, () => "{}", shown.hash)).rejects.toMatchObject({ code: "changed" });
  expect(readFileSync(place.path, "utf8")).toBe(ALLOW);
  expect(readdirSync(join(at.cwd, ".claude"))).toEqual(["settings.local.json"]);
});

test("[H37] concurrent changes of one file do not lose each other", async () => {
  const at = folders();
  const place = settingsPlace(at, "userSettings");
  const { hash } = await previewSettings(place, add);
  const results = await Promise.allSettled([1, 2, 3].map((n) => writeSettings(place, () => `{"n":${n}}`, hash)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  expect(readFileSync(place.path, "utf8")).toBe('{"n":1}');
});

test("[H37] a change keeps the mode of the file and its byte order mark", async () => {
  const at = folders();
  const place = settingsPlace(at, "projectSettings");
  put(place.path, "\uFEFF{}");
  execFileSync("chmod", ["640", place.path]);
  const shown = await previewSettings(place, (text) => (text === "{}" ? ALLOW : "wrong"));
  await writeSettings(place, add, shown.hash);
  expect(readFileSync(place.path, "utf8")).toBe("\uFEFF" + ALLOW);
  expect(statSync(place.path).mode & 0o777).toBe(0o640);
});

test.each<[string, WritableScope, (at: SettingsFolders, path: string) => void, RegExp]>([
  ["a FIFO", "projectSettings", (_, path) => void execFileSync("mkfifo", [path]), /not a regular file/u],
  ["a folder", "localSettings", (_, path) => mkdirSync(path), /is a folder/u],
  ["a link out of the folder", "projectSettings", (at, path) => symlinkSync(outside(at), path), /leads out/u],
  ["a link to nothing", "userSettings", (_, path) => symlinkSync("/nowhere/at/all", path), /leads to nothing/u],
  ["a file of 5 MB", "userSettings", (_, path) => (put(path, ""), truncateSync(path, 5 << 20)), /larger than 4 MB/u],
])("[H37, S71] %s is neither read nor replaced, and the answer says why", async (_, scope, make, why) => {
  const at = folders();
  const place = settingsPlace(at, scope);
  mkdirSync(dirname(place.path), { recursive: true });
  make(at, place.path);
  const before = lstatSync(place.path).ino;
  expect((await readSettingsFiles(at)).find((file) => file.scope === scope)?.problem).toMatch(why);
  await expect(previewSettings(place, add)).rejects.toMatchObject({ code: "settings-refused" });
  await expect(writeSettings(place, add, "none")).rejects.toThrow(why);
  expect(lstatSync(place.path).ino).toBe(before);
});

const outside = (at: SettingsFolders): string => {
  const path = join(dirname(at.cwd), "elsewhere.json");
  put(path, "{}");
  return path;
};

test("[H37, S71] a `.claude` that is a link out of the folder is not written into", async () => {
  const at = folders();
  const elsewhere = join(dirname(at.cwd), "elsewhere");
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(at.cwd, ".claude"));
  await expect(writeSettings(settingsPlace(at, "localSettings"), add, "none")).rejects.toThrow(/leads out/u);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("[H37] the user's own file may be a link, as in a folder of dotfiles, and stays one", async () => {
  const at = folders();
  const place = settingsPlace(at, "userSettings");
  mkdirSync(dirname(place.path), { recursive: true });
  symlinkSync(outside(at), place.path);
  await writeSettings(place, add, (await previewSettings(place, add)).hash);
  expect(lstatSync(place.path).isSymbolicLink()).toBe(true);
  expect(readFileSync(place.path, "utf8")).toBe(ALLOW);
});

test("[H37] managed settings and a folder that does not exist are refused", async () => {
  const at = folders();
  const managed = { scope: "policySettings", path: join(at.managedDir!, "managed-settings.json") } as const;
  await expect(writeSettings(managed, add, "none")).rejects.toMatchObject({ code: "settings-refused" });
  const gone = settingsPlace({ ...at, cwd: join(at.cwd, "gone") }, "localSettings");
  await expect(writeSettings(gone, add, "none")).rejects.toMatchObject({ code: "settings-refused" });
  expect(existsSync(gone.within!)).toBe(false);
});
