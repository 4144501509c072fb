import { isRecord } from "@quarterdeck/client/content";
import { grammarOfWord } from "../../content/code/language-names.ts";
import { Markdown } from "../../content/markdown/markdown.tsx";
import { CodeViewer } from "../../content/text/code-viewer.tsx";
import { Output } from "../../content/text/output.tsx";
import { Picture } from "../../content/text/picture.tsx";
import { WORDS } from "./rare-words.ts";

export interface Cell {
  readonly cellType?: string;
  readonly cell_type?: string;
  readonly source?: string | readonly string[];
  readonly language?: string;
  readonly cell_id?: string;
  readonly outputs?: readonly unknown[];
}

const sourceOf = (cell: Cell): string => (typeof cell.source === "string" ? cell.source : (cell.source ?? []).join(""));

/** Code with its outputs, or rendered Markdown. */
export const NotebookCell = ({ cell, name }: { readonly cell: Cell; readonly name: string }) => {
  const isCode = (cell.cellType ?? cell.cell_type) !== "markdown";
  const source = sourceOf(cell);
  return (
    <div className={`cell ${isCode ? "cell-code" : "cell-markdown"}`}>
      <span className="cell-kind">
        {isCode ? (cell.language ?? WORDS.code) : "markdown"}
        {cell.cell_id !== undefined && <span className="faint"> {cell.cell_id}</span>}
      </span>
      {isCode ? (
        <CodeViewer code={source} grammar={grammarOfWord(cell.language ?? "python")} name={name} />
      ) : (
        <div className="cell-prose">
          <Markdown text={source} />
        </div>
      )}
      {(cell.outputs ?? []).map((output, index) => (
        <CellOutput key={index} output={output} name={`${name}/${index}`} />
      ))}
    </div>
  );
};

const CellOutput = ({ output, name }: { readonly output: unknown; readonly name: string }) => {
  if (!isRecord(output)) return null;
  const { text, image } = output;
  return (
    <>
      {typeof text === "string" && text !== "" && (
        <Output text={text} name={name} label={WORDS.cellOutput} shows="start" />
      )}
      {isRecord(image) && typeof image["image_data"] === "string" && typeof image["media_type"] === "string" && (
        <Picture mediaType={image["media_type"]} data={image["image_data"]} about={WORDS.aCellOutput} />
      )}
    </>
  );
};
