import { useEffect, useState } from "react";
import { useMedia } from "../../store/media.ts";
import { CodeText } from "../code/code-text.tsx";

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
    return (
      <figure className="diagram">
        <img src={drawn.url} alt={`Diagram. Source: ${source}`} />
      </figure>
    );
  }
  return (
    <pre className="code-body">
      <CodeText code={source} grammar={undefined} />
      {drawn !== undefined && <span className="diagram-problem">Can't draw this diagram: {drawn.problem}</span>}
    </pre>
  );
};
