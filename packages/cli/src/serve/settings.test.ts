import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readServeSettings, settingFlags, settingHelp, SETTINGS } from "./settings.ts";
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
