import { Fragment, type ReactNode } from "react";
import { showInBench } from "../../store/workbench.ts";
import { fileRefsIn, type FileRef } from "./file-refs.ts";

/** Opens the file at the line, beside the conversation. */
export const FileLink = ({ file, children }: { readonly file: FileRef; readonly children: ReactNode }) => (
  <button
    type="button"
    className="file-link"
    title={`Open ${file.path}`}
    onClick={() => showInBench({ tab: "files", path: file.path, ...(file.line !== undefined && { line: file.line }) })}
  >
    {children}
  </button>
);

/** A text whose places in files can be followed. */
export const withFileLinks = (text: string): ReactNode => {
  const refs = fileRefsIn(text);
  if (refs.length === 0) return text;
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const ref of refs) {
    pieces.push(
      <Fragment key={at}>{text.slice(at, ref.from)}</Fragment>,
      <FileLink key={`${ref.from}l`} file={ref}>
        {text.slice(ref.from, ref.to)}
      </FileLink>,
    );
    at = ref.to;
  }
  return [...pieces, <Fragment key="end">{text.slice(at)}</Fragment>];
};
