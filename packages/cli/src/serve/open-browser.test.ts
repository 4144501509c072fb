import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasScreen, openBrowser } from "./open-browser.ts";

const LINK = "http://127.0.0.1:1/#pair=secret-code";
let folder: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-open-"));
  mkdirSync(join(folder, "bin"));
  env = { PATH: join(folder, "bin"), DISPLAY: ":0" };
});
afterEach(() => rmSync(folder, { recursive: true }));

const program = (name: string, ...lines: readonly string[]): void => {
  writeFileSync(join(folder, "bin", name), ["#!/bin/sh", ...lines, ""].join("\n"));
  chmodSync(join(folder, "bin", name), 0o755);
};

describe("a browser", () => {
  it("opens if the machine has a screen", () => {
    const cases: readonly (readonly [NodeJS.Platform, Record<string, string>, boolean])[] = [
      ["linux", { DISPLAY: ":0" }, true],
      ["linux", { WAYLAND_DISPLAY: "wayland-0" }, true],
      ["linux", {}, false],
      ["linux", { DISPLAY: ":0", CI: "true" }, false],
      ["linux", { DISPLAY: ":10", SSH_CONNECTION: "a b c d" }, false],
      ["linux", { DISPLAY: ":0", WSL_DISTRO_NAME: "Ubuntu" }, false],
      ["darwin", {}, true],
      ["darwin", { SSH_TTY: "/dev/ttys0" }, false],
      ["win32", {}, false],
    ];
    expect(cases.map(([platform, given]) => hasScreen({ env: given, platform }))).toEqual(
      cases.map(([, , open]) => open),
    );
  });

  it("gets a private file: the link is in no arguments", async () => {
    program("xdg-settings", "echo firefox.desktop");
    program(
      "xdg-open",
      `echo "$*" > ${join(folder, "args")}.new`,
      `mv ${join(folder, "args")}.new ${join(folder, "args")}`,
    );
    env["PATH"] += ":/usr/bin:/bin";
    const forget = await openBrowser({ link: LINK, dataDir: folder, env, platform: "linux" });
    const file = join(folder, "open.html");
    await expect.poll(() => existsSync(join(folder, "args"))).toBe(true);
    expect(readFileSync(join(folder, "args"), "utf8")).toBe(`${file}\n`);
    expect(readFileSync(file, "utf8")).toContain(`content="0;url=${LINK}"`);
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    forget!();
    expect(existsSync(file)).toBe(false);
  });

  it("does not open if it could not read that file", async () => {
    program("xdg-settings", "echo firefox_firefox.desktop");
    expect(await openBrowser({ link: LINK, dataDir: folder, env, platform: "linux" })).toBeUndefined();
    expect(existsSync(join(folder, "open.html"))).toBe(false);
  });
});
