// Who wants what: the first line of a permission's card, with the path in the project and the size of the change.

import { toolTitle } from "@quarterdeck/client/content";
import { partsOf } from "@quarterdeck/permissions/dangers";
import { DiffCount } from "../content/diff/diff-view.tsx";
import type { Hunk } from "../content/diff/hunks.ts";
import { TrueText } from "../content/text/true-text.tsx";
import { showInBench } from "../store/workbench.ts";
import { wantsTo } from "../words/names.ts";
import { shownPath, splitPath } from "../words/paths.ts";
import type { Asked } from "./asked.ts";
import { FILE_TOOLS, pathOf, type ShownPreview } from "./input-view.tsx";
import { WORDS } from "./words.ts";
import { fill } from "../parts/fill.tsx";

interface CardTopProps {
  readonly asked: Asked;
  readonly agent: string | undefined;
  readonly cwd: string | undefined;
  readonly preview: ShownPreview;
  readonly hunks: readonly Hunk[];
}

export const CardTop = ({ asked, agent, cwd, preview, hunks }: CardTopProps) => {
  const { tool_name: name, title, input } = asked;
  const tool = toolTitle(name);
  const path = FILE_TOOLS.has(name) ? pathOf(input) : undefined;
  return (
    <header className="ask-top">
      <h3>
        {name === "Bash" ? (
          commandWords(input["command"])
        ) : path === undefined ? (
          <TrueText text={tool} />
        ) : (
          FILE_WORDS[name]
        )}
      </h3>
      {path !== undefined && <PathWords path={shownPath(path, cwd)} whole={path} />}
      {preview?.kind === "new-file" && <span className="badge badge-go">{WORDS.newFile}</span>}
      {hunks.length > 0 && <DiffCount hunks={hunks} />}
      <p>
        {title !== undefined ? (
          <TrueText text={title} />
        ) : path === undefined && name !== "Bash" ? (
          WORDS.wants(wantsTo(name, WORDS.wantsTool))
        ) : null}
        {tool !== name && (
          <>
            {" · "}
            {/* Two MCP servers can have the same display name. */}
            <TrueText text={name} />
          </>
        )}
        {agent !== undefined && <> {fill(WORDS.agent, { name: <TrueText text={agent} /> })}</>}
      </p>
      {path !== undefined && preview?.kind === "diff" && (
        <button type="button" className="ask-link" onClick={() => showInBench({ tab: "files", path })}>
          {WORDS.openFile}
        </button>
      )}
    </header>
  );
};

const FILE_WORDS: Readonly<Record<string, string>> = {
  Edit: WORDS.wantsEdit,
  MultiEdit: WORDS.wantsEdit,
  NotebookEdit: WORDS.wantsEdit,
  Write: WORDS.wantsWrite,
};

const commandWords = (command: unknown): string => {
  return WORDS.wantsRun(typeof command === "string" ? partsOf(command).length : 1);
};

const PathWords = ({ path, whole }: { readonly path: string; readonly whole: string }) => {
  const { folder, name } = splitPath(path);
  return (
    <span className="ask-file" title={whole}>
      <TrueText text={folder} />
      <b>
        <TrueText text={name} />
      </b>
    </span>
  );
};
