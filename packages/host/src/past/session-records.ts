// The record of each session in the store: its folder, its title and the options of its next process.

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { argvOf } from "@quarterdeck/protocol";
import type { ClaudeOptions } from "@quarterdeck/protocol";
import { HostError } from "../host-error.ts";
import type { StartOptions } from "../host-options.ts";
import { flagsOf } from "../process/launch-plan.ts";
import { jsonSchemaOf } from "../session/output-schema.ts";
import { translated } from "../session/translated.ts";
import type { HandedOver } from "./hand-over.ts";
import { leftBehind } from "../relay/left-responders.ts";
import type { LeftBehind } from "../relay/left-responders.ts";
import type { EventStore, SessionRecord } from "../store/event-store.ts";

export class SessionRecords {
  readonly #store: EventStore;
  readonly #version: string | undefined;

  /** `version`: of the CLI. */
  constructor(store: EventStore, version: string | undefined) {
    this.#store = store;
    this.#version = version;
  }

  get(id: string): SessionRecord {
    const record = this.#store.session(id);
    if (record === undefined) throw new HostError("unknown-session", `Session ${id} does not exist.`, { id });
    return record;
  }

  async change(id: string, fields: Partial<SessionRecord>): Promise<SessionRecord> {
    const record = { ...this.get(id), ...fields };
    await this.#store.putSession(record);
    return record;
  }

  /** A new session. `about` has what is known of its past. */
  async add(
    id: string,
    options: StartOptions,
    cli: ClaudeOptions,
    about: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const { cwd, title, output, keepPermissions, withoutFolderSettings } = options;
    const flags = { ...options.cli, ...(output !== undefined && { jsonSchema: jsonSchemaOf(output) }) };
    // Refuse before anything is stored or spawned.
    translated(() =>
      argvOf(flagsOf({ ...flags, ...cli }), this.#version === undefined ? {} : { version: this.#version }),
    );
    const now = Date.now();
    await this.#store.putSession({
      id,
      createdAt: now,
      updatedAt: now,
      cwd,
      archived: false,
      ...(cli.sessionId !== undefined && { cliSessionId: cli.sessionId }),
      settings: {
        cli: flags,
        ...(keepPermissions === true && { keepPermissions }),
        ...(withoutFolderSettings === true && { withoutFolderSettings }),
        ...about,
      },
      ...(title !== undefined && { title }),
    });
  }

  /** From now on. */
  async setCli(id: string, cli: ClaudeOptions): Promise<void> {
    await this.change(id, { settings: { ...this.get(id).settings, cli } });
  }

  /** What the program that drives the session answers itself. Later processes must not run without that. */
  async setLeft(id: string, request: LeftBehind | undefined): Promise<void> {
    const record = this.#store.session(id);
    if (record === undefined) return;
    const { left: before, ...settings } = record.settings;
    const left = request === undefined ? undefined : leftBehind(request);
    if (left === undefined && before === undefined) return;
    await this.change(id, { settings: { ...settings, ...(left !== undefined && { left }) } });
  }

  /** Undefined: it is ours again. */
  async setHandedOver(id: string, handedOver: HandedOver | undefined): Promise<void> {
    const { settings } = this.get(id);
    const { handedOver: before, ...others } = settings;
    if (handedOver === undefined && before === undefined) return;
    await this.change(id, { settings: { ...others, ...(handedOver !== undefined && { handedOver }) } });
  }

  /** For this and later processes of the session. A flag without a value is taken away. */
  async setFlags(
    id: string,
    flags: { allowDangerouslySkipPermissions?: boolean; debugFile?: string | undefined },
  ): Promise<void> {
    const record = this.get(id);
    const cli = Object.fromEntries(
      Object.entries({ ...cliOf(record), ...flags }).filter(([, value]) => value !== undefined && value !== false),
    );
    await this.change(id, { settings: { ...record.settings, cli } });
  }
}

/** What a program that drove the session would answer. */
export const leftOf = ({ settings }: SessionRecord): { readonly left?: LeftBehind } => {
  const left = settings["left"] as LeftBehind | undefined;
  return left === undefined ? {} : { left };
};

export const folderAt = async (cwd: string): Promise<string> => {
  const folder = resolve(cwd);
  if (
    await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    )
  )
    return folder;
  throw new HostError("no-folder", `The folder ${folder} does not exist. Create it, or choose another.`, { cwd });
};

export const isWithoutFolder = ({ settings }: SessionRecord): boolean => settings["withoutFolderSettings"] === true;

export const cliOf = (record: SessionRecord): ClaudeOptions => {
  const { sessionId: _id, ...cli } = (record.settings["cli"] ?? {}) as ClaudeOptions;
  return cli;
};
