// The whole environment of a CLI under test, built from nothing. Nothing from the person who runs the tests (a key, a
// proxy, a setting) may reach it, and nothing of it may leave the machine.
import { dirname } from "node:path";

export interface CleanEnvOptions {
  readonly home: string;
  readonly tmp: string;
  readonly apiUrl: string;
  /** Where Node keeps compiled code. The older CLIs are 11 MB of script and start a quarter faster with it. */
  readonly compileCache: string;
  readonly extra?: Readonly<Record<string, string>>;
}

export const cleanEnv = ({ home, tmp, apiUrl, compileCache, extra = {} }: CleanEnvOptions): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  HOME: home,
  TMPDIR: tmp,
  // Older CLIs write to /tmp, whatever TMPDIR says.
  CLAUDE_CODE_TMPDIR: tmp,
  LANG: "C.UTF-8",
  TERM: "dumb",
  SHELL: "/bin/bash",
  NODE_COMPILE_CACHE: compileCache,
  ANTHROPIC_API_KEY: "sk-ant-fake-key-for-a-scripted-api",
  ANTHROPIC_BASE_URL: apiUrl,
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  // A scripted API answers at once. The default retries would only slow the runs.
  CLAUDE_CODE_MAX_RETRIES: "2",
  ...extra,
});

/**
 * For environments of our own programs that are built from nothing: the compile cache of this test run
 * (vitest.config.ts).
 */
export const COMPILED: Readonly<Record<string, string>> =
  process.env["NODE_COMPILE_CACHE"] === undefined ? {} : { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
