// The dialogs of the page. Loaded when the first one opens.

import type { ReactElement } from "react";
import { later } from "../parts/later.tsx";
import { ClientProvider, useClient } from "../store/client.tsx";
import { fleetOf } from "../store/fleet.ts";
import { closeSurface, type Surface } from "../store/surfaces.ts";
import { ConfirmDialog, RenameDialog } from "../sessions/small-dialogs.tsx";
import { ResumeDialog } from "../sessions/resume-dialog.tsx";
import { ExportDialog } from "../sessions/export-dialog.tsx";
import { HandOverDialog } from "../sessions/hand-over-dialog.tsx";
import { StartDialog } from "../sessions/start-dialog.tsx";
import { TrustDialog } from "../sessions/trust-dialog.tsx";
import { SettingsDialog } from "../sessions/settings-dialog.tsx";
import { RewindDialog } from "../workbench/changes/rewind-dialog.tsx";
import { PermissionsDialog, ServersDialog } from "./session-surfaces.tsx";

const Palette = later(async () => (await import("../palette/palette.tsx")).Palette);
const HelpDialog = later(async () => (await import("../help/help-dialog.tsx")).HelpDialog);
const KeysDialog = later(async () => (await import("../help/keys-dialog.tsx")).KeysDialog);

/** A dialog asks the machine that has its session. */
export const Surfaces = ({ surface }: { readonly surface: Surface }) => {
  const client = useClient();
  const { machine, session } = surface as { readonly machine?: string; readonly session?: string };
  const there = (machine ?? session) === undefined ? undefined : fleetOf(client)?.of(machine, session);
  return (
    <ClientProvider client={there ?? client}>
      <OpenSurface surface={surface} />
    </ClientProvider>
  );
};

const OpenSurface = ({ surface }: { readonly surface: Surface }): ReactElement => {
  switch (surface.kind) {
    case "start":
      return <StartDialog key={surface.machine} {...surface} onClose={closeSurface} />;
    case "resume":
      return <ResumeDialog onClose={closeSurface} />;
    case "settings":
      return <SettingsDialog tab={surface.tab ?? "look"} onClose={closeSurface} />;
    case "help":
      return <HelpDialog onClose={closeSurface} />;
    case "palette":
      return <Palette onClose={closeSurface} />;
    case "keys":
      return <KeysDialog onClose={closeSurface} />;
    case "permissions":
      return <PermissionsDialog session={surface.session} onClose={closeSurface} />;
    case "servers":
      return <ServersDialog session={surface.session} onClose={closeSurface} />;
    case "export":
      return (
        <ExportDialog key={surface.session} session={surface.session} title={surface.title} onClose={closeSurface} />
      );
    case "terminal":
      return <HandOverDialog key={surface.session} session={surface.session} onClose={closeSurface} />;
    case "rename":
      return <RenameDialog session={surface.session} title={surface.title} onClose={closeSurface} />;
    case "rewind":
      return <RewindDialog key={surface.prompt} {...surface} onClose={closeSurface} />;
    case "trust":
      return <TrustDialog key={surface.cwd} {...surface} onClose={closeSurface} />;
    case "confirm":
      return <ConfirmDialog about={surface} onClose={closeSurface} />;
  }
};
