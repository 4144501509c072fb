// What can be done to a session from outside its conversation: the menu of the rail and of the header do the same things.

import { BridgeError, type Client, type SessionSummary } from "@quarterdeck/client";
import { needs } from "@quarterdeck/client/policy";
import { go, hrefOf, replayHref } from "../store/route.ts";
import type { MenuItem } from "../parts/menu.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { afterConfirm, openSurface, type TrustChoice } from "../store/surfaces.ts";
import { sessionTitleOf } from "../words/session-words.ts";
import { may } from "../store/may.ts";
import { isPinned, setPinned } from "../store/rail-choices.ts";
import { markUnread } from "../store/seen.ts";
import { WORDS } from "./words.ts";

export const fork = async (client: Client, session: string, atRow?: string, isWithout = false): Promise<void> => {
  const made = await client
    .command("sessions/fork", {
      session,
      ...(atRow !== undefined && { atRow }),
      ...(isWithout && { withoutFolderSettings: true }),
    })
    .catch((error: unknown) => {
      if (!(error instanceof BridgeError) || error.code !== "folder-untrusted") throw error;
      const then = (choice: TrustChoice): void =>
        void fork(client, session, atRow, choice === "without-settings").catch(toastError);
      openSurface({ kind: "trust", session, cwd: String(error.data["folder"]), then });
      return undefined;
    });
  if (made === undefined) return;
  go(hrefOf(made.session.id));
  toast(WORDS.forked, {
    action: { label: WORDS.goBack, run: () => go(hrefOf(session, atRow)) },
  });
};

/** If the folder is not trusted, it asks first, and then resumes. */
export const resume = async (client: Client, session: string, cwd: string, takesOver = false): Promise<void> => {
  const start = async (withoutFolderSettings: boolean): Promise<void> => {
    const { session: live } = await client.command("sessions/resume", {
      session,
      ...(takesOver && { takeOver: true }),
      ...(withoutFolderSettings && { withoutFolderSettings }),
    });
    go(hrefOf(live.id));
  };
  try {
    await start(false);
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    if (error.code === "session-held" && !takesOver) return takeOver(client, session, cwd);
    if (error.code !== "folder-untrusted") throw error;
    openSurface({
      kind: "trust",
      session,
      cwd,
      then: (choice) => void start(choice === "without-settings").catch(toastError),
    });
  }
};

/** Continues a session of a terminal here. If the terminal still has it open, its process ends, so the page asks first. */
export const takeOver = (client: Client, session: string, cwd: string): void =>
  afterConfirm(needs("sessions/resume", { takeOver: true }), {
    title: WORDS.takeAsk,
    text: WORDS.takeHint,
    action: WORDS.take,
    run: () => void resume(client, session, cwd, true).catch(toastError),
  });

export const archive = async (client: Client, summary: SessionSummary, archived: boolean): Promise<void> => {
  await client.command("sessions/archive", { session: summary.id, archived });
  toast((archived ? WORDS.stored : WORDS.restored)(sessionTitleOf(summary)), {
    action: {
      label: WORDS.undo,
      run: () =>
        void client.command("sessions/archive", { session: summary.id, archived: !archived }).catch(toastError),
    },
  });
};

const remove = (client: Client, summary: SessionSummary): void =>
  afterConfirm(needs("sessions/delete"), {
    title: WORDS.deleteAsk,
    text: WORDS.deleteHint(sessionTitleOf(summary)),
    action: WORDS.delete,
    tone: "danger",
    run: () => {
      client
        .command("sessions/delete", { session: summary.id })
        .then(() => {
          if (location.hash.startsWith(hrefOf(summary.id))) go(hrefOf());
          toast(WORDS.deleted(sessionTitleOf(summary)));
        })
        .catch(toastError);
    },
  });

export const copyLink = async (session: string, rowId?: string): Promise<void> => {
  await navigator.clipboard.writeText(new URL(hrefOf(session, rowId), location.href).href);
  toast(WORDS.copied);
};

export const sessionMenu = (client: Client, summary: SessionSummary): readonly MenuItem[] => {
  const run = (work: () => Promise<unknown>) => () => void work().catch(toastError);
  const { id } = summary;
  return [
    {
      id: "rename",
      label: WORDS.rename,
      disabled: !may(client, "sessions/rename"),
      run: () => openSurface({ kind: "rename", session: id, title: summary.title ?? "" }),
    },
    {
      id: "pin",
      label: isPinned(id) ? WORDS.unpin : WORDS.pin,
      detail: WORDS.onDevice,
      run: () => setPinned([id], !isPinned(id)),
    },
    { id: "unread", label: WORDS.unsee, run: () => markUnread(summary) },
    {
      id: "fork",
      label: WORDS.fork,
      icon: "fork",
      disabled: !may(client, "sessions/fork"),
      run: run(() => fork(client, id)),
    },
    ...(summary.live
      ? [
          {
            id: "close",
            label: WORDS.stop,
            detail: WORDS.stopHint,
            disabled: !may(client, "sessions/close"),
            run: run(() => client.command("sessions/close", { session: id })),
          },
        ]
      : [
          {
            id: "resume",
            label: WORDS.resume,
            disabled: !may(client, "sessions/resume"),
            run: run(() => resume(client, id, summary.cwd)),
          },
        ]),
    { id: "terminal", label: WORDS.terminal, run: () => openSurface({ kind: "terminal", session: id }) },
    { id: "link", label: WORDS.copyLink, icon: "link", run: run(() => copyLink(id)) },
    { id: "replay", label: WORDS.replay, apart: true, run: () => go(replayHref(id)) },
    {
      id: "export",
      label: WORDS.export,
      icon: "out",
      disabled: !may(client, "tickets/create", { kind: "export" }),
      run: () => openSurface({ kind: "export", session: id, title: sessionTitleOf(summary) }),
    },
    {
      id: "archive",
      label: summary.archived ? WORDS.unarchive : WORDS.archive,
      apart: true,
      disabled: !may(client, "sessions/archive"),
      run: run(() => archive(client, summary, !summary.archived)),
    },
    {
      id: "delete",
      label: WORDS.remove,
      icon: "trash",
      tone: "danger",
      disabled: !may(client, "sessions/delete"),
      run: () => remove(client, summary),
    },
  ];
};
