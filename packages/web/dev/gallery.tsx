// The timeline without a server, for development: `?recording=2.1.325/04a_files`, `?scene=tools`.

import "../src/styles/tokens.css";
import "../src/styles/base.css";
import "../src/parts/parts.css";
import "./gallery.css";
import { useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { createFold, eventsOfRecording } from "@quarterdeck/session";
import type { SessionActions } from "../src/store/session-actions.ts";
import { cleanSheet, cleanTree, textOfSheet } from "../src/content/markdown/clean-svg.ts";
import { Timeline } from "../src/timeline/timeline.tsx";
import { FoldView } from "./fold-view.ts";
import { SCENES } from "./scenes/scenes.ts";

const query = new URLSearchParams(location.search);
const theme = query.get("theme");
if (theme !== null) document.documentElement.dataset["theme"] = theme;

const recordings = import.meta.glob<string>("../../protocol/fixtures/recordings/**/*.ndjson", {
  query: "?raw",
  import: "default",
});

const view = new FoldView(query.get("recording") ?? query.get("scene") ?? "gallery");
const actions: SessionActions = {
  may: () => true,
  editPrompt: async () => {},
  cancelPrompt: async () => true,
  fork: async () => {},
  resume: async () => {},
  rawEvents: async (seqs) => view.events.filter((event) => seqs.includes(event.seq)),
  readFile: () => Promise.reject(new Error("No files here.")),
  find: async (text) => ({
    hits: view.all
      .filter((row) => JSON.stringify(row).toLowerCase().includes(text.toLowerCase()))
      .map((row) => ({ rowId: row.id, order: row.order, excerpt: "" })),
    complete: true,
  }),
  request: async () => ({ output: "line 1\nline 2\n" }),
  openRow: () => {},
  sendAgain: () => undefined,
  lookAtFolder: () => undefined,
  linkTo: (rowId) => `${location.href}#${rowId}`,
  toast: (text) => console.info(text),
};

const rowId = query.get("target");
const target = rowId === null ? undefined : { rowId };

const Gallery = () => {
  const snapshot = useSyncExternalStore(
    (listener) => view.subscribe(listener),
    () => view.snapshot,
  );
  return (
    <main className="gallery">
      <Timeline
        view={view}
        snapshot={snapshot}
        actions={actions}
        target={snapshot.rows.length === 0 ? undefined : target}
      />
    </main>
  );
};

createRoot(document.querySelector("#page")!).render(<Gallery />);
const drawSvg = async (source: string): Promise<string> =>
  (await import("../src/content/markdown/draw-diagram.ts")).drawSvg(source, true, () => true);
Object.assign(globalThis, { view, drawSvg, cleanTree, cleanSheet, textOfSheet });

let order = 0;
const load = async (): Promise<void> => {
  const recording = query.get("recording");
  if (recording !== null) {
    const text = await recordings[`../../protocol/fixtures/recordings/${recording}.ndjson`]!();
    for (const event of eventsOfRecording(text)) view.feed(event);
  }
  if (query.has("recordings")) {
    const texts = await Promise.all(
      Object.entries(recordings).map(async ([path, read]) => [path, await read()] as const),
    );
    const rows = texts.flatMap(([path, text]) => {
      const fold = createFold();
      for (const event of eventsOfRecording(text)) fold.apply(event);
      return fold.rows.map((row) => ({ ...row, id: `${path}#${row.id}`, order: ++order, rev: order }));
    });
    view.add(rows);
  }
  const scene = query.get("scene");
  if (scene !== null) await SCENES[scene]?.(view, query);
};
await load();
document.documentElement.dataset["loaded"] = "";
