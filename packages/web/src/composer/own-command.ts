// The commands that the page answers itself. They are never sent.

import type { Client } from "@quarterdeck/client";
import { toast, toastError } from "../parts/toast.tsx";
import { openSurface } from "../store/surfaces.ts";
import { showInBench } from "../store/workbench.ts";
import { setModel } from "./pickers.tsx";
import type { OwnCommand } from "./slash.ts";
import { WORDS } from "./words.ts";

export interface OwnCommandContext {
  readonly client: Client;
  readonly session: string;
  readonly openModels: () => void;
  readonly askAside: (question: string) => void;
}

export const runOwnCommand = (command: OwnCommand, args: string, context: OwnCommandContext): void => {
  const { client, session, openModels, askAside } = context;
  switch (command) {
    case "model":
      if (args === "") openModels();
      else setModel(client, session, args).catch(toastError);
      break;
    case "fast":
      openModels();
      break;
    case "config":
      showInBench({ tab: "settings" });
      break;
    case "help":
      openSurface({ kind: "help" });
      break;
    case "keybindings-help":
      openSurface({ kind: "keys" });
      break;
    case "permissions":
      openSurface({ kind: "permissions", session });
      break;
    case "mcp":
      openSurface({ kind: "servers", session });
      break;
    case "resume":
      openSurface({ kind: "resume" });
      break;
    case "btw":
      if (args === "") toast(WORDS.btw);
      else askAside(args);
      break;
    default:
      command satisfies never;
  }
};
