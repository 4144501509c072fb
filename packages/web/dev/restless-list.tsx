// A list whose rows keep changing their height. `grow` changes all of them at once while another row is added. With
// `?restless`, a row has another height each time it is rendered.

import { useState, type CSSProperties } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { VirtualList } from "../src/timeline/virtual-list.tsx";
import "../src/styles/base.css";
import "../src/timeline/timeline.css";
import "./restless-list.css";

interface Entry {
  readonly key: string;
  readonly height: number;
}

const isRestless = new URLSearchParams(location.search).has("restless");
let drawn = 0;

const Row = ({ height }: { readonly height: number }) => {
  const [own] = useState(() => (isRestless ? (++drawn % 2 === 0 ? 900 : 3) : undefined));
  return <div className="row" style={{ "--height": `${own ?? height}px` } as CSSProperties} />;
};
const render = (entry: Entry) => <Row height={entry.height} />;

const entriesOf = (count: number, height: number): readonly Entry[] =>
  Array.from({ length: count }, (_, at) => ({ key: String(at), height }));

const List = () => {
  const [entries, setEntries] = useState(() => entriesOf(200, 40));
  Object.assign(globalThis, {
    grow: (height: number) => flushSync(() => setEntries(entriesOf(entries.length + 1, height))),
  });
  return <VirtualList entries={entries} render={render} label="Restless" />;
};

createRoot(document.querySelector("#page")!).render(<List />);
