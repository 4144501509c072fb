// The files of the session's folder: a tree with what changed, and any file that this device may see.

import { useCallback, useEffect, useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import { useClient } from "../../store/client.tsx";
import { useHead } from "../../store/session.ts";
import { noteShownFile } from "../../store/workbench.ts";
import type { TabProps } from "../tab.ts";
import { absolutePath } from "./absolute-path.ts";
import { FileTree } from "./file-tree.tsx";
import { FileViewer } from "./file-viewer.tsx";
import { WORDS } from "./words.ts";
import "../changes/changes.css";
import "./files.css";

interface Open {
  readonly path: string;
  readonly line?: number | undefined;
}

/** Where each session's tab was, for as long as the page is open. */
const lastOpen = new Map<string, Open>();

export const FilesTab = ({ view, place, target }: TabProps) => {
  const client = useClient();
  const { cwd } = useHead(view);
  const [open, setOpen] = useState<Open | undefined>(() => lastOpen.get(view.id));
  const show = useCallback(
    (next: Open | undefined) => {
      if (next === undefined) lastOpen.delete(view.id);
      else lastOpen.set(view.id, next);
      setOpen(next);
    },
    [view.id],
  );
  useEffect(() => {
    if (target?.path !== undefined) show({ path: absolutePath(target.path, cwd), line: target.line });
  }, [target, cwd, show]);
  const shown = open?.path;
  useEffect(() => {
    noteShownFile(shown);
    return () => noteShownFile(undefined);
  }, [shown]);
  const tree = <FileTree client={client} view={view} open={open?.path} onOpen={(path) => show({ path })} />;
  if (open === undefined) return tree;
  return (
    <div className={`files-both files-${place}`}>
      {place === "wide" && tree}
      <FileViewer
        key={open.path}
        {...{ client, view }}
        path={open.path}
        line={open.line}
        // A new object for each visit, also of the same line.
        visit={open}
        back={
          place !== "wide" && (
            <button type="button" className="files-back" onClick={() => show(undefined)}>
              <Icon name="left" size={14} /> {WORDS.files}
            </button>
          )
        }
      />
    </div>
  );
};
