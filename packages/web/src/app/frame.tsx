// The page's frame: rail, conversation, inspector, status line; on a phone one column, with the rail behind a button or a swipe.

import { useCallback, useEffect, useRef, useState } from "react";
import { isRunning } from "@quarterdeck/client/content";
import { outbox } from "../composer/outbox.ts";
import { later } from "../parts/later.tsx";
import { toastError, Toasts } from "../parts/toast.tsx";
import { groupSessions, neighbour } from "../sessions/group-sessions.ts";
import { Rail } from "../sessions/rail.tsx";
import { useClient, useSessionList, useSessionView } from "../store/client.tsx";
import { NARROW, PHONE, useMedia } from "../store/media.ts";
import { changeSettings, useSettings } from "../store/settings.ts";
import { may } from "../store/may.ts";
import { openSurface, useSurface } from "../store/surfaces.ts";
import { useAttention } from "./attention.ts";
import { Banners } from "./banners.tsx";
import { Broken } from "./broken.tsx";
import { Conversation } from "./conversation.tsx";
import { Home } from "./home.tsx";
import { MenuButton } from "./menu-button.tsx";
import { usePageKeys } from "./keys.ts";
import { go, hrefOf, useRoute } from "../store/route.ts";
import { StatusLine } from "./status-line.tsx";
import { useSwipe } from "./swipe.ts";
import "./frame.css";

const Inspector = later(async () => (await import("./inspector.tsx")).Inspector);
const RulesPage = later(async () => (await import("../rules/rules-page.tsx")).RulesPage);
const Surfaces = later(async () => (await import("./surfaces.tsx")).Surfaces);

export const Frame = () => {
  const client = useClient();
  const route = useRoute();
  const { sessions } = useSessionList();
  const settings = useSettings();
  const phone = useMedia(PHONE);
  const narrow = useMedia(NARROW);
  const surface = useSurface();
  const [drawer, setDrawer] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const openId = route.screen === "session" ? route.id : undefined;
  const target = route.screen === "session" ? route.target : undefined;
  const view = useSessionView(openId);

  useAttention(sessions, openId);
  useEffect(() => outbox.resume(client), [client]);
  useEffect(() => setDrawer(false), [openId, target, route.screen]);
  const openDrawer = useCallback(() => setDrawer(true), []);
  const frame = useSwipe(phone, drawer, setDrawer);

  usePageKeys({
    search: () => {
      if (phone) setDrawer(true);
      requestAnimationFrame(() => search.current?.focus());
    },
    newSession: () => {
      if (may(client, "sessions/start")) openSurface({ kind: "start" });
    },
    step: (by) => {
      const next = neighbour(groupSessions(client.sessions.snapshot.sessions), openId, by);
      if (next !== undefined) go(hrefOf(next));
    },
    help: () => openSurface({ kind: "keys" }),
    interrupt: () => {
      if (openId !== undefined && may(client, "session/interrupt"))
        client.command("session/interrupt", { session: openId, holdQueue: true }).catch(toastError);
    },
    running: () => view !== undefined && isRunning(view.snapshot.head.phase),
  });

  const inspecting = view !== undefined && view.snapshot.status !== "failed" && settings.inspector === "open" && !phone;
  return (
    <div ref={frame} className={`frame ${inspecting ? "frame-inspecting" : ""} ${drawer ? "frame-drawer" : ""}`}>
      <button
        type="button"
        className="skip btn btn-main"
        onClick={() => document.querySelector<HTMLElement>("#composer, .main a, .main button")?.focus()}
      >
        Skip sessions
      </button>
      <Banners />
      <nav
        className="rail"
        aria-label="Sessions"
        inert={phone && !drawer}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.defaultPrevented || !drawer) return;
          event.preventDefault();
          setDrawer(false);
        }}
      >
        <Rail openId={openId} screen={route.screen} search={search} />
      </nav>
      {phone && drawer && (
        <button type="button" className="scrim" aria-label="Close sessions" onClick={() => setDrawer(false)} />
      )}
      <main className="main" inert={phone && drawer}>
        {route.screen === "home" && <Home onMenu={openDrawer} />}
        {route.screen === "rules" && (
          <Broken what="This page">
            <RulesPage where={route.where} audit={route.audit} menu={<MenuButton onMenu={openDrawer} />} />
          </Broken>
        )}
        {view !== undefined && (
          <Broken key={view.id} what="This conversation">
            <Conversation view={view} target={target} onMenu={openDrawer} />
          </Broken>
        )}
      </main>
      {inspecting && (
        <aside className={`inspector ${narrow ? "inspector-over" : ""}`} aria-label="Inspector">
          <Broken what="The inspector">
            <Inspector key={view.id} view={view} onClose={() => changeSettings({ inspector: "closed" })} />
          </Broken>
        </aside>
      )}
      <StatusLine view={view} />
      <Toasts />
      {surface !== undefined && <Surfaces surface={surface} />}
    </div>
  );
};
