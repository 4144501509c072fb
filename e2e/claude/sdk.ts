// The parts of the official SDK that the tests use, with the types that they need.

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

export const loadSdk = async (): Promise<Sdk> => {
  const folder = await agentSdkFolder(() => {});
  const entry = join(folder, "node_modules", "@anthropic-ai", "claude-agent-sdk", "sdk.mjs");
  return (await import(pathToFileURL(entry).href)) as Sdk;
};
