// Waits for what a view shows.

import type { Client, SessionSnapshot, SessionView } from "@quarterdeck/client";

export const until = (view: SessionView, isSo: (snapshot: SessionSnapshot) => boolean): Promise<SessionSnapshot> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!isSo(view.snapshot)) return;
      stop();
      resolve(view.snapshot);
    };
    const stop = view.subscribe(look);
    look();
  });

export const readyView = async (client: Client, id: string): Promise<SessionView> => {
  const view = client.session(id);
  await until(view, ({ status }) => status === "ready");
  return view;
};

export const stateOf = (client: Client, isSo: (state: Client["state"]) => boolean): Promise<Client["state"]> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!isSo(client.state)) return;
      stop();
      resolve(client.state);
    };
    const stop = client.onState(look);
    look();
  });
