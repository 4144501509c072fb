// The page's frame: rail, conversation, workbench, status line; a phone has one column and shows the rail on a button press or a swipe.

import { useCallback, useEffect, useRef, useState, type CSSProperties } from "react";
import { isRunning } from "@quarterdeck/client/content";
import { outbox } from "../composer/outbox.ts";
import { afterFirstScreen, later } from "../parts/later.tsx";
import { groupSessions, neighbour } from "../sessions/group-sessions.ts";
import { Rail } from "../sessions/rail.tsx";
import { useRailChoices } from "../store/rail-choices.ts";
import { ClientProvider, useClient, useSessionList, useSessionView } from "../store/client.tsx";
import { fleetOf } from "../store/fleet.ts";
import { PHONE, SHEET, TIGHT, useMedia } from "../store/media.ts";
import { may } from "../store/may.ts";
import { openSurface, useSurface } from "../store/surfaces.ts";
import { showInBench, uncover, useBench } from "../store/workbench.ts";
import { useAttention } from "./attention.ts";
import { Banners } from "./banners.tsx";
import { Broken } from "./broken.tsx";
import { SessionScreen } from "./session-screen.tsx";
import { MenuButton } from "./menu-button.tsx";
import { usePageKeys } from "./keys.ts";
import { go, hrefOf, useRoute } from "../store/route.ts";
import { stopTurn } from "../composer/stopping.ts";
import { StatusLine } from "./status-line.tsx";
import { useDrawerFocus } from "./drawer-focus.ts";
import { WORDS } from "./words.ts";
import "./frame.css";

const RailStrip = later(async () => (await import("../sessions/rail-strip.tsx")).RailStrip);
const Workbench = later(async () => (await import("../workbench/workbench.tsx")).Workbench);
const RulesPage = later(async () => (await import("../rules/rules-page.tsx")).RulesPage);
const SearchPage = later(async () => (await import("../search/search-page.tsx")).SearchPage);
const ReplayScreen = later(async () => (await import("./replay-screen.tsx")).ReplayScreen);
const Home = later(async () => (await import("../home/home.tsx")).Home);
const Board = later(async () => (await import("../board/board.tsx")).Board);
const RailGrip = later(async () => {
  await afterFirstScreen();
  return (await import("../sessions/rail-grip.tsx")).RailGrip;
});
const AskedBriefs = later(async () => {
  await afterFirstScreen();
  return (await import("../store/ask-briefs.ts")).AskedBriefs;
});
const Calls = later(async () => {
  await afterFirstScreen();
  return (await import("./calls.ts")).Calls;
});
const Toasts = later(async () => {
  await afterFirstScreen();
  return (await import("../parts/toasts.tsx")).Toasts;
});
const ServerPage = later(async () => (await import("../server/server-page.tsx")).ServerPage);
const Surfaces = later(async () => (await import("./surfaces.tsx")).Surfaces);

/** Each screen asks the machine that its address names, or that has its session. */
export const PageFrame = () => {
  const client = useClient();
  const route = useRoute();
  const there = fleetOf(client)?.of(route.machine, "id" in route ? route.id : undefined);
  return (
    <ClientProvider client={there ?? client}>
      <MachineFrame />
    </ClientProvider>
  );
};

const MachineFrame = () => {
  const client = useClient();
  const fleet = fleetOf(client);
  const route = useRoute();
  const { sessions } = useSessionList();
  const bench = useBench();
  const rail = useRailChoices();
  const phone = useMedia(PHONE);
  const small = useMedia(SHEET);
  const tight = useMedia(TIGHT);
  const surface = useSurface();
  const [drawer, setDrawer] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const openId = route.screen === "session" ? route.id : undefined;
  const target = route.screen === "session" ? route.target : undefined;
  const view = useSessionView(openId);

  useAttention(sessions, openId);
  useEffect(() => outbox.resume(client), [client]);
  useEffect(() => setDrawer(false), [openId, target, route.screen]);
  // A link to a session or a row shows the conversation.
  useEffect(() => uncover(), [openId, target]);
  const openDrawer = useCallback(() => setDrawer(true), []);

  const benchOpen = view !== undefined && view.snapshot.status !== "failed" && (small ? bench.sheet : bench.open);
  const place = small ? "sheet" : bench.wide ? "wide" : "beside";
  const covered = benchOpen && place !== "beside";
  // The board lists the same sessions, so the rail folds there.
  const onBoard = route.screen === "board";
  const folded = !phone && (onBoard || (benchOpen && tight && !small));
  const behind = phone || folded;
  const frame = useRef<HTMLDivElement>(null);
  const swipes = phone && !covered;
  useEffect(() => {
    if (!swipes) return undefined;
    let stop: (() => void) | false | undefined;
    void import("./swipe.ts").then(
      ({ watchSwipe }) => (stop ??= watchSwipe(frame.current!, drawer, setDrawer)),
      () => undefined,
    );
    return () => {
      if (stop) stop();
      stop = false;
    };
  }, [swipes, drawer]);
  const nav = useRef<HTMLElement>(null);
  useDrawerFocus(behind && drawer, nav);
  const onSearch = (): void => {
    if (behind) setDrawer(true);
    requestAnimationFrame(() => search.current?.focus());
  };

  const step = (by: 1 | -1): void => {
    const next = neighbour(groupSessions(client.sessions.snapshot.sessions, rail), openId, by);
    if (next !== undefined) go(hrefOf(next));
  };
  usePageKeys({
    client,
    view,
    running: () => view !== undefined && isRunning(view.snapshot.head.phase),
    tab: (id) => {
      if (view !== undefined) showInBench({ tab: id });
      return view !== undefined;
    },
    run: {
      palette: () => openSurface({ kind: "palette" }),
      "sessions.find": onSearch,
      "session.next": () => step(1),
      "session.previous": () => step(-1),
      "session.stop": () => {
        if (openId !== undefined && may(client, "session/interrupt")) stopTurn(client, openId).catch(() => undefined);
      },
    },
  });

  const benchClass = !benchOpen ? "" : place === "beside" ? "frame-bench" : `frame-${place}`;
  return (
    <div
      ref={frame}
      className={`frame ${benchClass} ${folded ? "frame-folded" : ""} ${drawer ? "frame-drawer" : ""}`}
      style={
        {
          ...(benchOpen && { "--bench": `${bench.width}px` }),
          ...(rail.width !== undefined && !behind && { "--rail": `min(${rail.width}px, 45vw)` }),
        } as CSSProperties
      }
    >
      <button
        type="button"
        className="skip btn btn-main"
        onClick={() => document.querySelector<HTMLElement>("#composer, .main a, .main button")?.focus()}
      >
        {WORDS.skip}
      </button>
      <Banners />
      {folded && <RailStrip screen={route.screen} onMenu={openDrawer} />}
      <nav
        ref={nav}
        className={`rail ${behind ? "rail-drawer" : ""}`}
        aria-label={WORDS.sessions}
        inert={(behind && !drawer) || (covered && place === "sheet")}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.defaultPrevented || !drawer) return;
          event.preventDefault();
          setDrawer(false);
        }}
      >
        {(!onBoard || drawer) && <Rail openId={openId} screen={route.screen} search={search} />}
        {!behind && <RailGrip width={rail.width} />}
      </nav>
      {behind && drawer && (
        <button type="button" className="scrim" aria-label={WORDS.close} onClick={() => setDrawer(false)} />
      )}
      <main className={`main ${covered ? "main-covered" : ""}`} inert={(behind && drawer) || covered}>
        {fleet !== undefined && <fleet.Note />}
        {route.screen === "home" && <Home key={route.machine} menu={<MenuButton onMenu={openDrawer} />} />}
        {onBoard && (
          <Broken what={WORDS.parts.page}>
            <Board menu={<MenuButton onMenu={openDrawer} />} />
          </Broken>
        )}
        {route.screen === "rules" && (
          <Broken what={WORDS.parts.page}>
            <RulesPage where={route.where} audit={route.audit} menu={<MenuButton onMenu={openDrawer} />} />
          </Broken>
        )}
        {route.screen === "search" && (
          <Broken what={WORDS.parts.page}>
            <SearchPage query={route.query} menu={<MenuButton onMenu={openDrawer} />} />
          </Broken>
        )}
        {route.screen === "replay" && (
          <Broken key={route.id} what={WORDS.parts.replay}>
            <ReplayScreen id={route.id} menu={<MenuButton onMenu={openDrawer} />} />
          </Broken>
        )}
        {route.screen === "server" && (
          <Broken what={WORDS.parts.page}>
            <ServerPage menu={<MenuButton onMenu={openDrawer} />} />
          </Broken>
        )}
        {view !== undefined && (
          <Broken key={view.id} what={WORDS.parts.conversation}>
            <SessionScreen view={view} target={target} onMenu={openDrawer} />
          </Broken>
        )}
      </main>
      {benchOpen && (
        <aside className="bench" aria-label={WORDS.workbench} inert={behind && drawer}>
          <Broken what={WORDS.parts.workbench}>
            <Workbench key={view.id} view={view} bench={bench} place={place} />
          </Broken>
        </aside>
      )}
      <StatusLine view={view} />
      <Toasts />
      <Calls sessions={sessions} openId={openId} />
      <AskedBriefs client={client} sessions={sessions} />
      {surface !== undefined && <Surfaces surface={surface} />}
    </div>
  );
};
