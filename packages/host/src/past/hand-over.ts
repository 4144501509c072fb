// The command that continues a session in a terminal. A person pastes it, so no name of a folder may run anything, and none may act on
// the terminal.

import { join } from "node:path";
import type { SessionRecord } from "../store/event-store.ts";

/** A session that a person continues in a terminal. */
export interface HandedOver {
  readonly at: number;
  readonly command: string;
}

export const handedOverIn = ({ settings }: SessionRecord): HandedOver | undefined =>
  settings["handedOver"] as HandedOver | undefined;

export interface ContinuedSession {
  readonly cwd: string;
  /** The CLI's id of the session. */
  readonly cliId: string;
  /** The CLI's own folder. */
  readonly config: string;
  readonly home: string | undefined;
}

/** For sh, bash and zsh. */
export const continueCommand = ({ cwd, cliId, config, home }: ContinuedSession): string => {
  const isUsual = home !== undefined && config === join(home, ".claude");
  const place = isUsual ? "" : `CLAUDE_CONFIG_DIR=${shellWord(config)} `;
  return `cd ${shellWord(cwd)} && ${place}claude --resume ${shellWord(cliId)}`;
};

/** Characters that a terminal acts on when they are pasted, or that nobody sees. */
const ACTIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const EVERY_UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\']/gu;

/** One word of a shell command. */
export const shellWord = (text: string): string => {
  if (/^[\w@%+=:,./-]+$/u.test(text) && !text.startsWith("-")) return text;
  if (!ACTIVE.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const escaped = (character: string): string =>
    [...Buffer.from(character, "utf8")].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  return `$'${text.replaceAll(EVERY_UNSAFE, escaped)}'`;
};
