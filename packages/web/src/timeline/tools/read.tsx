import { formatBytes } from "../../words/format.ts";
import { grammarOfPath } from "../../content/code/language-names.ts";
import { CopyButton } from "../../parts/text-button.tsx";
import { CodeViewer } from "../../content/text/code-viewer.tsx";
import { JsonView } from "../../content/text/json-view.tsx";
import { Output } from "../../content/text/output.tsx";
import { Picture, Pictures } from "../../content/text/picture.tsx";
import { later } from "../../parts/later.tsx";
import type { Cell } from "./notebook-cell.tsx";
import { fileOf, PathWords, ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, resultOf, type ToolCall } from "./tool-call.ts";
import { WORDS } from "./words.ts";
import { fill } from "../../parts/fill.tsx";

const NotebookCell = later(async () => (await import("./notebook-cell.tsx")).NotebookCell);

export const ReadCard = ({ call }: CallCardProps) => {
  const { file_path: path, offset, limit, pages } = inputOf(call, "Read");
  return (
    <ToolCard
      call={call}
      title="Read"
      file={fileOf(path, offset, call.state === "done")}
      about={
        <>
          <PathWords path={path} />
          <span className="faint">{linesWanted(offset, limit)}</span>
          {pages !== undefined && <span className="faint">{WORDS.pages(pages)}</span>}
        </>
      }
      outcome={<Size call={call} />}
      opens={resultOf(call, "Read")?.type === "image"}
    >
      {call.result?.ok === true && <Contents call={call} path={path ?? ""} />}
    </ToolCard>
  );
};

const linesWanted = (offset: number | undefined, limit: number | undefined): string => {
  if (limit === undefined) return offset === undefined ? "" : WORDS.fromLine(offset);
  const from = offset ?? 1;
  return WORDS.lines(from, from + limit - 1);
};

const Size = ({ call }: { readonly call: ToolCall }) => {
  const result = resultOf(call, "Read");
  switch (result?.type) {
    case "text": {
      const { numLines, totalLines } = result.file;
      const all = totalLines !== undefined && totalLines > numLines ? totalLines : undefined;
      return <span className="good num">{WORDS.read(numLines, all)}</span>;
    }
    case "image":
      return <span className="good">{WORDS.image}</span>;
    case "notebook":
      return <span className="good num">{WORDS.cells(result.file.cells.length)}</span>;
    case "pdf":
      return <span className="good">PDF</span>;
    case "parts":
      return <span className="good num">{WORDS.pageCount(result.file.count)}</span>;
    default:
      return null;
  }
};

const Contents = ({ call, path }: { readonly call: ToolCall; readonly path: string }) => {
  const result = resultOf(call, "Read");
  const notes = call.result?.notes ?? [];
  switch (result?.type) {
    case "text":
      return (
        <>
          {result.file.content === "" ? (
            <p className="tool-note">{WORDS.empty}</p>
          ) : (
            <CodeViewer
              code={result.file.content}
              grammar={grammarOfPath(path)}
              name={call.id}
              firstLine={result.file.startLine}
              foot={<CopyButton text={result.file.content} />}
            />
          )}
          {notes.map((note) => (
            <p key={note} className="tool-note">
              {note}
            </p>
          ))}
        </>
      );
    case "image":
      return (
        <Picture mediaType={result.file.type} data={result.file.base64} about={path} size={result.file.originalSize} />
      );
    case "notebook":
      return (
        <div className="cells">
          {result.file.cells.map((cell, index) => (
            <NotebookCell key={index} cell={cell as Cell} name={`${call.id}/${index}`} />
          ))}
        </div>
      );
    case "pdf":
      return <Pdf data={result.file.base64} name={path} size={result.file.originalSize} />;
    case "parts":
      return (
        <>
          <Pictures images={call.result?.images ?? []} about={path} />
          <p className="tool-note">
            {fill(WORDS.asImages(result.file.count, result.firstPage), {
              folder: <span className="mono">{result.file.outputDir}</span>,
            })}
          </p>
        </>
      );
    default: {
      const { text = "", images = [], parts = [] } = call.result ?? {};
      return (
        <>
          <Pictures images={images} about={path} />
          {text !== "" && <Output text={text} name={call.id} shows="start" />}
          {parts.length > 0 && <JsonView value={parts} name={call.id} />}
        </>
      );
    }
  }
};

interface PdfProps {
  readonly data: string;
  readonly name: string;
  readonly size: number | undefined;
}

/** The browser's own viewer shows a PDF, isolated from this page. Drawing it here would run it here. */
const Pdf = ({ data, name, size }: PdfProps) => {
  const follow = (how: { readonly target: "_blank" } | { readonly download: string }): void => {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
    const url = URL.createObjectURL(new Blob([bytes], { type: "application/pdf" }));
    Object.assign(document.createElement("a"), { href: url, rel: "noopener", ...how }).click();
    setTimeout(() => URL.revokeObjectURL(url), PDF_KEPT_MS);
  };
  return (
    <p className="tool-note">
      {WORDS.pdf(size === undefined ? undefined : formatBytes(size))}{" "}
      <button type="button" className="text-button" onClick={() => follow({ target: "_blank" })}>
        {WORDS.open}
      </button>{" "}
      <button
        type="button"
        className="text-button"
        onClick={() => follow({ download: name.slice(name.lastIndexOf("/") + 1) || "file.pdf" })}
      >
        {WORDS.download}
      </button>
    </p>
  );
};

/** A viewer may fetch the rest when a person scrolls. */
const PDF_KEPT_MS = 60_000;
