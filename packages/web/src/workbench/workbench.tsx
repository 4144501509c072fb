// The panel with tabs: beside the conversation, in its place, or a sheet over it on a small page.

import type { SessionView } from "@quarterdeck/client";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { ChoicesProvider, KeptChoices } from "../content/kept-choices.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { useHead } from "../store/session.ts";
import { UPRIGHT, useMedia } from "../store/media.ts";
import { Grip } from "../parts/grip.tsx";
import {
  BENCH_LEAST,
  BENCH_WIDTH,
  closeBench,
  setBenchWide,
  setBenchWidth,
  showInBench,
  uncover,
  type Bench,
} from "../store/workbench.ts";
import { formatShare } from "../words/format.ts";
import type { TabProps } from "./tab.ts";
import { hintOf } from "../keys/key-table.ts";
import { TABS } from "./tabs.ts";
import { WORDS } from "./words.ts";
import "./workbench.css";

export interface WorkbenchProps {
  readonly view: SessionView;
  readonly bench: Bench;
  readonly place: TabProps["place"];
}

export const Workbench = ({ view, bench, place }: WorkbenchProps) => {
  const upright = useMedia(UPRIGHT);
  const panel = useId();
  const tab = TABS.find(({ id }) => id === bench.tab) ?? TABS[0]!;
  const target = bench.target?.tab === tab.id ? bench.target : undefined;
  const body = useRef<HTMLDivElement>(null);
  useSheetFocus(place !== "beside");
  // A tab that a key or a link opened gets the focus.
  useEffect(() => {
    if (target !== undefined && target.path === undefined)
      document.querySelector<HTMLElement>(`.bench [role="tab"][aria-selected="true"]`)?.focus();
  }, [target]);
  const tabs = <TabList view={view} open={tab.id} panel={panel} />;
  return (
    <div
      className={`bench-in bench-${place}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || place === "beside") return;
        // The browser closes an open menu with it.
        if (document.querySelector("[popover=auto]:popover-open") !== null) return;
        event.preventDefault();
        uncover();
      }}
    >
      {place === "beside" && (
        <Grip
          label={WORDS.width}
          width={bench.width}
          least={BENCH_LEAST}
          property="--bench"
          part=".bench"
          edge="left"
          onWidth={(width = BENCH_WIDTH) => setBenchWidth(width)}
        />
      )}
      <header className="bench-head">
        {place !== "beside" && <Back view={view} />}
        {upright ? <h2>{tab.title}</h2> : tabs}
        {place !== "sheet" && (
          <div className="bench-end">
            <IconButton
              icon={place === "wide" ? "shrink" : "expand"}
              label={place === "wide" ? WORDS.beside : WORDS.fullWidth}
              onClick={() => setBenchWide(place !== "wide")}
            />
            <IconButton icon="close" label={WORDS.close} onClick={closeBench} />
          </div>
        )}
      </header>
      <div ref={body} className="bench-body" role="tabpanel" id={panel} aria-label={tab.title}>
        <ChoicesProvider value={choicesOf(view)}>
          <tab.View key={tab.id} view={view} place={place} target={target} />
        </ChoicesProvider>
      </div>
      {place === "sheet" && tab.id !== "context" && <ContextNote view={view} />}
      {upright && tabs}
    </div>
  );
};

/** The conversation behind a sheet is inert. The focus moves into the sheet, and back to the header afterwards. */
const useSheetFocus = (covers: boolean): void =>
  useEffect(() => {
    const isLost = (): boolean =>
      document.activeElement === document.body || document.activeElement?.closest("[inert]") != null;
    const focus = (selector: string): void =>
      [...document.querySelectorAll<HTMLElement>(selector)]
        .find((element) => element.checkVisibility())
        ?.focus({ preventScroll: true });
    if (!covers) return undefined;
    if (isLost()) focus(".bench-back");
    return () => {
      if (isLost()) focus(".head-bench, .head-delta");
    };
  }, [covers]);

/** What a person unfolded in a panel stays so while the session is open, also after a visit to another tab. */
const choices = new WeakMap<SessionView, KeptChoices>();
const choicesOf = (view: SessionView): KeptChoices => {
  const known = choices.get(view) ?? new KeptChoices();
  choices.set(view, known);
  return known;
};

/** Shows how many requests wait in the conversation behind the panel. */
const Back = ({ view }: { readonly view: SessionView }) => {
  const { requests } = useHead(view);
  return (
    <button type="button" className={`bench-back ${requests.length > 0 ? "bench-waits" : ""}`} onClick={uncover}>
      <Icon name="left" />
      {WORDS.conversation}
      {requests.length > 0 && <span className="badge badge-brass">{WORDS.requests(requests.length)}</span>}
    </button>
  );
};

/** The share of used context at which the note appears. */
const FULL = 0.8;

/** On a small page, no status line shows this. */
const ContextNote = ({ view }: { readonly view: SessionView }) => {
  const { used = 0, window = Infinity } = useHead(view).gauges.context ?? {};
  if (used / window < FULL) return null;
  return (
    <p className="bench-full">
      {WORDS.contextFull(formatShare(used / window))}
      <Button small onClick={() => showInBench({ tab: "context" })}>
        {WORDS.showContext}
      </Button>
    </p>
  );
};

interface TabListProps {
  readonly view: SessionView;
  readonly open: string;
  readonly panel: string;
}

const TabList = ({ view, open, panel }: TabListProps) => {
  const head = useHead(view);
  const step = (event: React.KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = TABS.findIndex(({ id }) => id === open);
    showInBench({ tab: TABS[(at + by + TABS.length) % TABS.length]!.id });
  };
  const list = useRef<HTMLDivElement>(null);
  const [overflows, setOverflows] = useState(false);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => {
      const { scrollWidth = 0, clientWidth = 0 } = list.current ?? {};
      setOverflows(scrollWidth > clientWidth + 1);
    });
    watch.observe(list.current!);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    list.current
      ?.querySelector(`[aria-selected="true"]`)
      ?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  }, [open, overflows]);
  return (
    <div className="bench-tabs-in">
      <div ref={list} className="bench-tabs" role="tablist" aria-label={WORDS.workbench} onKeyDown={step}>
        {TABS.map(({ id, title, badge }) => {
          const count = badge?.(head) ?? 0;
          return (
            <button
              key={id}
              type="button"
              role="tab"
              aria-selected={id === open}
              aria-controls={id === open ? panel : undefined}
              aria-description={hintOf(`tab.${id}`) || undefined}
              tabIndex={id === open ? 0 : -1}
              onClick={() => showInBench({ tab: id })}
            >
              {title}
              {count > 0 && <span className="bench-count num">{count}</span>}
            </button>
          );
        })}
      </div>
      {overflows && (
        <Menu className="icon-btn bench-more" label={WORDS.moreTabs} items={() => hiddenTabs(list.current, open)}>
          <Icon name="more" />
        </Menu>
      )}
    </div>
  );
};

/** Tabs that are cut off or out of sight now. */
const hiddenTabs = (list: HTMLElement | null, open: string): readonly MenuItem[] => {
  const seen = list?.getBoundingClientRect();
  const shown = [...(list?.children ?? [])].map((tab) => {
    const { left, right } = tab.getBoundingClientRect();
    return seen !== undefined && left >= seen.left - 1 && right <= seen.right + 1;
  });
  return TABS.filter((_, at) => shown[at] !== true).map(({ id, title }) => ({
    ...{ id, label: title, keys: hintOf(`tab.${id}`) },
    ...(id === open && { checked: true }),
    run: () => showInBench({ tab: id }),
  }));
};
