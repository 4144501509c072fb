import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { absoluteFlags, readServeSettings, settingFlags, settingHelp, SETTINGS } from "./settings.ts";
import type { ServeSettings } from "./settings.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (args: string[], env: Record<string, string> = {}, config?: unknown): ServeSettings => {
  const configHome = join(folder, "config");
  if (config !== undefined) {
    mkdirSync(join(configHome, "quarterdeck"), { recursive: true });
    const text = typeof config === "string" ? config : JSON.stringify(config);
    writeFileSync(join(configHome, "quarterdeck", "config.json"), text);
  }
  const { values } = parseArgs({ args, options: settingFlags(), allowPositionals: true });
  return readServeSettings({ flags: values, env: { XDG_CONFIG_HOME: configHome, ...env }, cwd: folder });
};

describe("settings", () => {
  it("are safe by default", () => {
    expect(read([], { XDG_DATA_HOME: "/data" })).toEqual({
      port: 7433,
      host: "127.0.0.1",
      dataDir: "/data/quarterdeck",
      claude: undefined,
      demo: false,
      roots: [],
      maxSessions: 20,
      tls: undefined,
      proxies: undefined,
      allowHosts: [],
      notifyHosts: [],
      ccpocketPort: undefined,
      snapshots: true,
      cleanEnv: undefined,
      uploadBytes: 32 * 1024 * 1024,
      finishTurnsMs: 10_000,
      opensBrowser: true,
      printsLink: true,
      logFormat: undefined,
      logLevel: undefined,
    });
  });

  it("come from the command line before the environment before the file", () => {
    const file = { port: 1, "max-sessions": 1, "allow-host": ["file.example"], "no-open": true, root: ["here"] };
    const env = {
      QUARTERDECK_PORT: "2",
      QUARTERDECK_MAX_SESSIONS: "2",
      QUARTERDECK_ALLOW_HOST: "a.example, b.example",
    };
    const all = read(["--port", "3"], env, file);
    expect([all.port, all.maxSessions, all.allowHosts, all.opensBrowser, all.roots]).toEqual([
      3,
      2,
      ["a.example", "b.example"],
      false,
      [join(folder, "config", "quarterdeck", "here")],
    ]);
  });

  it("have an environment variable for every flag", () => {
    const env = {
      QUARTERDECK_HOST: "::1",
      QUARTERDECK_DATA_DIR: "data",
      QUARTERDECK_ROOT: "/a:/b",
      QUARTERDECK_TLS_CERT: "/c.pem",
      QUARTERDECK_TLS_KEY: "~/k.pem",
      QUARTERDECK_BEHIND_PROXY: "1",
      QUARTERDECK_PROXY: "10.0.0.2",
      QUARTERDECK_NO_LINK: "true",
      QUARTERDECK_DEMO: "0",
      QUARTERDECK_LOG_LEVEL: "debug",
    };
    expect(read([], env)).toMatchObject({
      host: "::1",
      dataDir: join(folder, "data"),
      roots: ["/a", "/b"],
      tls: { cert: "/c.pem", key: join(homedir(), "k.pem") },
      proxies: ["10.0.0.2"],
      printsLink: false,
      demo: false,
      logLevel: "debug",
    });
  });

  it("find the program from where they stand: a name on the PATH, or a path", () => {
    const inFile = join(folder, "config", "quarterdeck");
    const of = (...given: Parameters<typeof read>): string | undefined => read(...given).claude;
    expect(of([], {}, { claude: "claude-next" })).toBe("claude-next");
    expect(of([], {}, { claude: "~/bin/claude" })).toBe(join(homedir(), "bin/claude"));
    expect(of([], {}, { claude: "./claude" })).toBe(join(inFile, "claude"));
    expect(of([], { QUARTERDECK_CLAUDE: "bin/claude" }, { claude: "./claude" })).toBe(join(folder, "bin/claude"));
    expect(of(["--claude", "/opt/claude"], { QUARTERDECK_CLAUDE: "bin/claude" })).toBe("/opt/claude");
  });

  it("choose one agent: a flag for one replaces the other of the file", () => {
    const agentOf = (...given: Parameters<typeof read>) => {
      const { demo, claude } = read(...given);
      return { demo, claude };
    };
    expect(agentOf(["--demo"], {}, { claude: "/opt/claude" })).toEqual({ demo: true, claude: undefined });
    expect(agentOf(["--claude", "/opt/claude"], { QUARTERDECK_DEMO: "1" }, {})).toEqual({
      demo: false,
      claude: "/opt/claude",
    });
    expect(agentOf([], { QUARTERDECK_DEMO: "0" }, { claude: "/opt/claude" })).toEqual({
      demo: false,
      claude: "/opt/claude",
    });
    expect(() => agentOf([], {}, { demo: true, claude: "/opt/claude" })).toThrow(/either --demo or --claude/u);
  });

  it("give sessions all variables, or with clean-env the named ones, from any source", () => {
    const namesOf = (...given: Parameters<typeof read>) => read(...given).cleanEnv;
    expect(namesOf([], {}, { "clean-env": false })).toBeUndefined();
    expect(namesOf([], {}, { "clean-env": true })).toEqual([]);
    expect(namesOf([], {}, { "clean-env": true, env: ["DATABASE_URL", "AWS_*"] })).toEqual(["DATABASE_URL", "AWS_*"]);
    expect(namesOf([], { QUARTERDECK_CLEAN_ENV: "1", QUARTERDECK_ENV: "A, B" })).toEqual(["A", "B"]);
    expect(namesOf(["--env", "C"], { QUARTERDECK_ENV: "A" }, { "clean-env": true, env: ["D"] })).toEqual(["C"]);
    expect(() => namesOf([], { QUARTERDECK_CLEAN_ENV: "0" }, { "clean-env": true, env: ["A"] })).toThrow(
      /--env needs --clean-env/u,
    );
    expect(() => namesOf([], {}, { "clean-env": "yes" })).toThrow(/has an error at clean-env/u);
    expect(() => namesOf([], {}, { "clean-env": true, env: "A" })).toThrow(/has an error at env/u);
  });

  it("are the same flags for a program that starts in another folder", () => {
    const flags = [
      "--port",
      "80",
      "--root",
      "src",
      "--root=~/x",
      "--claude",
      "./claude",
      "--tls-cert",
      "/c",
      "--no-open",
    ];
    expect(absoluteFlags(flags, "/srv")).toEqual([
      ...["--port", "80", "--root", "/srv/src", "--root", join(homedir(), "x"), "--claude", "/srv/claude"],
      ...["--tls-cert", "/c", "--no-open"],
    ]);
    expect(absoluteFlags(["--claude", "claude"], "/srv")).toEqual(["--claude", "claude"]);
  });

  it("report what is wrong with them", () => {
    const mistakes: readonly (readonly [string[], Record<string, string>, unknown, RegExp])[] = [
      [["--port", "x"], {}, undefined, /^--port must be a number\.$/u],
      [["--port", "70000"], {}, undefined, /from 0 to 65535/u],
      [["--port", ""], {}, undefined, /must be a number/u],
      [["--max-sessions", "0"], {}, undefined, /at least 1/u],
      [["--tls-cert", "x"], {}, undefined, /--tls-cert and --tls-key together/u],
      [["--proxy", "10.0.0.1"], {}, undefined, /needs --behind-proxy/u],
      [["--log", "xml"], {}, undefined, /json or text/u],
      [["--log-level", "loud"], {}, undefined, /debug, info, warn, error/u],
      [["--demo", "--claude", "x"], {}, undefined, /either --demo or --claude/u],
      [[], { QUARTERDECK_PORT: "abc" }, undefined, /^QUARTERDECK_PORT must be a number/u],
      [[], { QUARTERDECK_DEMO: "maybe" }, undefined, /^QUARTERDECK_DEMO must be 1 or 0/u],
      [[], {}, "{", /config\.json is not JSON/u],
      [[], {}, { prot: 1 }, /config\.json has an error: .*prot/u],
      [[], {}, { port: "1" }, /config\.json has an error at port/u],
      [["--config", "none.json"], {}, undefined, /none\.json cannot be read/u],
    ];
    for (const [args, env, config, message] of mistakes) expect(() => read(args, env, config)).toThrow(message);
  });

  it("are all in the help", () => {
    expect(settingHelp().map(([flag]) => flag.split(" ")[0])).toEqual(Object.keys(SETTINGS).map((name) => `--${name}`));
  });
});
