import { BridgeError, type Client } from "@quarterdeck/client";
import { useMemo } from "react";
import { outbox } from "../composer/outbox.ts";
import { toast, toastError } from "../parts/toast.tsx";
import { fork, resume } from "../sessions/session-commands.ts";
import { may } from "../store/may.ts";
import { tellSent } from "../store/sent.ts";
import { openSurface, type TrustChoice } from "../store/surfaces.ts";
import { go, hrefOf } from "../store/route.ts";
import type { SessionActions } from "../store/session-actions.ts";

const folderOf = (client: Client, session: string): string =>
  client.sessions.snapshot.sessions.find(({ id }) => id === session)?.cwd ?? "";

export const useSessionActions = (client: Client, session: string): SessionActions =>
  useMemo(
    () => ({
      may: (method, params) => may(client, method, params),
      editPrompt: async (uuid, content) => {
        const edit = () => client.command("session/editPrompt", { session, uuid, content: content as string });
        await edit().catch((error: unknown) => {
          if (!(error instanceof BridgeError) || error.code !== "folder-untrusted") throw error;
          const goOn = async (choice: TrustChoice): Promise<void> => {
            if (choice === "without-settings")
              await client.command("sessions/resume", { session, withoutFolderSettings: true });
            await edit();
          };
          const then = (choice: TrustChoice): void => void goOn(choice).catch(toastError);
          openSurface({ kind: "trust", cwd: folderOf(client, session), sends: true, then });
        });
      },
      cancelPrompt: async (uuid) => (await client.command("session/cancelPrompt", { session, uuid })).cancelled,
      sendAgain: (content) => {
        outbox.send(client, { session, content, uploads: [] });
        tellSent(session);
      },
      fork: (rowId) => fork(client, session, rowId),
      resume: () => resume(client, session, folderOf(client, session)),
      lookAtFolder: () => {
        const isLive = client.sessions.snapshot.sessions.find(({ id }) => id === session)?.live === true;
        if (!isLive && may(client, "sessions/resume"))
          return void resume(client, session, folderOf(client, session)).catch(toastError);
        const beginAnew = async (): Promise<void> => {
          await client.command("sessions/close", { session, finishTurn: true });
          await client.command("sessions/resume", { session });
        };
        openSurface({
          kind: "trust",
          cwd: folderOf(client, session),
          runs: true,
          then: (choice) => {
            if (choice === "trusted") beginAnew().catch(toastError);
          },
        });
      },
      rawEvents: async (seqs) => (await client.call("session/events", { session, seqs: [...seqs] })).events,
      readFile: (path) => client.call("files/read", { session, path }),
      find: (text, signal) => client.call("session/find", { session, text, limit: 1000 }, signal && { signal }),
      request: async (request) => (await client.command("session/request", { session, request })).response,
      openRow: (id) => go(hrefOf(session, id)),
      linkTo: (rowId) => new URL(hrefOf(session, rowId), location.href).href,
      toast,
    }),
    [client, session],
  );
