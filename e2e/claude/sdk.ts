// The parts of the official SDK that the tests use, with the types that they need.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { agentSdkFolder } from "../../bench/agent-sdk.ts";

export type SdkMessage = Readonly<Record<string, unknown>> & { readonly type: string; readonly subtype?: string };
type Fields = Readonly<Record<string, unknown>>;

export interface SdkQuery extends AsyncGenerator<SdkMessage, void> {
  interrupt(): Promise<unknown>;
  close(): void;
  readonly [control: string]: unknown;
}

export interface Sdk {
  readonly query: (call: { prompt: string | AsyncIterable<unknown>; options: Fields }) => SdkQuery;
  readonly createSdkMcpServer: (about: Fields) => unknown;
  readonly tool: (name: string, about: string, shape: Fields, run: (input: never) => Promise<unknown>) => unknown;
}

const fileOfSdk = async (name: string): Promise<string> =>
  join(await agentSdkFolder(() => {}), "node_modules", "@anthropic-ai", "claude-agent-sdk", name);

export const loadSdk = async (): Promise<Sdk> => (await import(pathToFileURL(await fileOfSdk("sdk.mjs")).href)) as Sdk;

/** Every option of `query`, as its types list them. */
export const optionNames = async (): Promise<string[]> => {
  const types = readFileSync(await fileOfSdk("sdk.d.ts"), "utf8");
  const options = /^export declare type Options = \{\r?\n([^]*?)^\};/mu.exec(types)?.[1] ?? "";
  return [...options.matchAll(/^ {4}(\w+)\?:/gmu)].map(([, name]) => name!);
};
