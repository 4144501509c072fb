import { useEffect, useRef, useState } from "react";
import { useMedia } from "../../store/media.ts";
import { CodeText } from "../code/code-text.tsx";
import { WORDS } from "../diagram-words.ts";

/** A Mermaid source as an image. Shows the source while it is drawn, and if it cannot be drawn. */
export const Diagram = ({ source }: { readonly source: string }) => {
  const systemDark = useMedia("(prefers-color-scheme: dark)");
  const theme = document.documentElement.dataset["theme"];
  const dark = theme === undefined || theme === "system" ? systemDark : theme === "dark";
  const [drawn, setDrawn] = useState<{ readonly url: string } | { readonly problem: string }>();
  useEffect(() => {
    let gone = false;
    let url: string | undefined;
    import("./draw-diagram.ts")
      .then(({ drawDiagram }) => drawDiagram(source, dark, () => !gone))
      .then(
        (made) => {
          url = made;
          if (gone) URL.revokeObjectURL(made);
          else setDrawn({ url: made });
        },
        (error: unknown) => {
          if (!gone) setDrawn({ problem: error instanceof Error ? error.message.split("\n")[0]! : String(error) });
        },
      );
    return () => {
      gone = true;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [source, dark]);
  if (drawn !== undefined && "url" in drawn) {
    return <Picture url={drawn.url} source={source} />;
  }
  return (
    <pre className="code-body">
      <CodeText code={source} grammar={undefined} />
      {drawn !== undefined && <span className="diagram-problem">{WORDS.cannot(drawn.problem)}</span>}
    </pre>
  );
};

const STEPS = [0.5, 0.75, 1, 1.5, 2, 3, 4];

/** Fits its column at first. Zoomed, it scrolls inside. */
const Picture = ({ url, source }: { readonly url: string; readonly source: string }) => {
  const [zoom, setZoom] = useState<number>();
  const [natural, setNatural] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const width = (): number => {
    const room = (box.current?.clientWidth ?? 0) - 24;
    return zoom ?? (natural === 0 ? 1 : Math.min(1, room / natural));
  };
  const to = (step: 1 | -1): void => {
    const now = width();
    const next = step === 1 ? STEPS.find((each) => each > now + 0.01) : STEPS.findLast((each) => each < now - 0.01);
    if (next !== undefined) setZoom(next);
  };
  return (
    <figure className="diagram">
      <div className="diagram-tools" role="group" aria-label={WORDS.zoom}>
        <button type="button" aria-label={WORDS.zoomOut} onClick={() => to(-1)}>
          −
        </button>
        <button type="button" aria-pressed={zoom === undefined} onClick={() => setZoom(undefined)}>
          {zoom === undefined ? WORDS.fit : `${Math.round(zoom * 100)} %`}
          {zoom !== undefined && <span className="sr-only">{WORDS.toFit}</span>}
        </button>
        <button type="button" aria-label={WORDS.zoomIn} onClick={() => to(1)}>
          +
        </button>
      </div>
      <div
        ref={box}
        className="diagram-view"
        tabIndex={0}
        role="region"
        aria-label={WORDS.diagram}
        onDoubleClick={() => setZoom(zoom === undefined ? 2 : undefined)}
      >
        <img
          src={url}
          alt={WORDS.source(source)}
          onLoad={({ currentTarget }) => setNatural(currentTarget.naturalWidth)}
          {...(zoom !== undefined && natural > 0 && { style: { width: natural * zoom, maxWidth: "none" } })}
        />
      </div>
    </figure>
  );
};
