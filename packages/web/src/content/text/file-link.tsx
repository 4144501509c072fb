import { createContext, Fragment, use, type ReactNode } from "react";
import { showInBench } from "../../store/workbench.ts";
import { fileRefOf, fileRefsIn, type FileRef } from "./file-refs.ts";
import { WORDS } from "../words.ts";

/** A link to another site contains no other links. */
export const InsideLink = createContext(false);

/** Opens the file at the line, beside the conversation. Not a button: its words are part of a text that one selects and copies. */
export const FileLink = ({ file, children }: { readonly file: FileRef; readonly children: ReactNode }) => {
  if (use(InsideLink)) return children;
  const open = (): void =>
    showInBench({ tab: "files", path: file.path, ...(file.line !== undefined && { line: file.line }) });
  return (
    <span
      role="link"
      tabIndex={0}
      className="file-link"
      title={WORDS.open(file.path)}
      onClick={(event) => {
        event.stopPropagation();
        // A click that selects text does not follow the link.
        if (getSelection()?.isCollapsed !== false) open();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.defaultPrevented) return;
        event.preventDefault();
        open();
      }}
    >
      {children}
    </span>
  );
};

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

/** A text that is a place, or is not. */
export const asFileLink = (text: string): ReactNode => {
  const file = fileRefOf(text);
  return file === undefined ? text : <FileLink file={file}>{text}</FileLink>;
};
