// What one editor can show. Everything that an editor did not declare is left out or said in another way. Editors differ in
// what they do with a turn that another device began, so each has a policy (docs/decisions/0017-turns-begun-elsewhere.md).

import type { InitializeRequest } from "@agentclientprotocol/sdk/unstable";

/** `live`: shown at once. `held`: shown at the start of the editor's next prompt. */
export type ShowsElsewhere = "live" | "held";

export interface Abilities {
  /** The name that the editor gave, for our table and for words. */
  readonly name: string;
  readonly elsewhere: ShowsElsewhere;
  /** Shows a dialog as its title and one button for each kind of choice, without the names that we give. */
  readonly onlyKinds: boolean;
  readonly notices: boolean;
  readonly compactions: boolean;
  readonly forms: boolean;
  readonly urls: boolean;
  /** Draws a terminal from `_meta.terminal_info`, `terminal_output` and `terminal_exit`. */
  readonly terminals: boolean;
  /** Takes the output as `_meta.terminal_output_delta`. */
  readonly terminalDeltas: boolean;
  /** May run this program in a terminal, to sign in. */
  readonly signIn: boolean;
}

/** Editors that append an update to the conversation at any time. Others lose it, so they get it with the next prompt. */
const LIVE_CLIENTS: ReadonlySet<string> = new Set(["zed"]);

/** Avante gives no name. */
const ONLY_KINDS: ReadonlySet<string> = new Set(["codecompanion.nvim", ""]);

export const abilitiesOf = (
  { clientCapabilities, clientInfo }: Pick<InitializeRequest, "clientCapabilities" | "clientInfo">,
  chosen?: ShowsElsewhere,
): Abilities => {
  const { session, elicitation, auth, _meta: meta } = clientCapabilities ?? {};
  const name = (clientInfo?.name ?? "").toLowerCase();
  return {
    name,
    elsewhere: chosen ?? (LIVE_CLIENTS.has(name) ? "live" : "held"),
    onlyKinds: ONLY_KINDS.has(name),
    notices: session?.notices != null,
    compactions: session?.compaction != null,
    forms: elicitation?.form != null,
    urls: elicitation?.url != null,
    terminals: meta?.["terminal_output"] === true || meta?.["terminal_output_delta"] === true,
    terminalDeltas: meta?.["terminal_output_delta"] === true,
    signIn: auth?.terminal === true,
  };
};
