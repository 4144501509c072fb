// What is asked for, drawn from the real bytes: a command, a file's change, or every field as it is. Nothing is cut; what is
// long scrolls, says how long it is, and counts as read when its end was in sight (S17).

import type { Client, OpenRequest, RequestPreview } from "@quarterdeck/client";
import { fieldsBesideDiff, filePathIn, textsIn } from "@quarterdeck/client/content";
import type { Danger } from "@quarterdeck/permissions/dangers";
import { WRITING_TOOLS } from "@quarterdeck/permissions/words";
import { useEffect, useMemo, useState } from "react";
import { grammarOfPath } from "../content/code/language-names.ts";
import { wholly, type Hunk } from "../content/diff/hunks.ts";
import { TrueText } from "../content/text/true-text.tsx";
import { formatBytes } from "../words/format.ts";
import { claimOf, mainField, type Asked, type Input } from "./asked.ts";
import { TrueCommand } from "./true-command.tsx";
import { TrueDiff } from "./true-diff.tsx";
import { WORDS } from "./words.ts";
import { fill } from "../parts/fill.tsx";
import { oddTextWarnings } from "./odd-text.ts";

export const FILE_TOOLS: ReadonlySet<string> = new Set(WRITING_TOOLS);

/** Undefined while it is loading. */
export type ShownPreview = RequestPreview | undefined;

export interface InputViewProps {
  readonly tool: string;
  readonly input: Input;
  readonly preview: ShownPreview;
  readonly dangers: readonly Danger[];
}

/** What is to be read. The frame that scrolls is around it. */
export const InputView = ({ tool, input, preview, dangers }: InputViewProps) =>
  FILE_TOOLS.has(tool) && preview !== undefined && preview.kind !== "none" ? (
    <InputPreview tool={tool} preview={preview} input={input} />
  ) : (
    <Fields tool={tool} input={input} dangers={dangers} />
  );

export const usePreview = (
  client: Client,
  session: string,
  open: OpenRequest & { readonly request: Asked },
): ShownPreview => {
  const wanted = FILE_TOOLS.has(open.request.tool_name);
  const [preview, setPreview] = useState<ShownPreview>(wanted ? undefined : NO_PREVIEW);
  useEffect(() => {
    if (!wanted) return undefined;
    const abort = new AbortController();
    client.call("requests/preview", { session, requestId: open.id }, { signal: abort.signal }).then(setPreview, () => {
      // The fields are shown instead. They say the same.
      if (!abort.signal.aborted) setPreview(NO_PREVIEW);
    });
    return () => abort.abort();
  }, [client, session, open.id, wanted]);
  return preview;
};
const NO_PREVIEW: RequestPreview = { kind: "none", hunks: [] };

/** The change of a file. A new file is all added. */
export const hunksOf = (preview: ShownPreview): readonly Hunk[] => {
  if (preview === undefined) return [];
  return preview.kind === "new-file" && preview.text !== undefined ? [wholly("", preview.text)] : preview.hunks;
};

/** A field to write in shows no marks. */
export const Warnings = ({ input, isEdited = false }: { readonly input: Input; readonly isEdited?: boolean }) => {
  const warnings = oddTextWarnings(textsIn(input).join("\n"), isEdited);
  if (warnings.length === 0) return null;
  return (
    <p className="ask-warning" role="alert">
      {WORDS.look(warnings)}
    </p>
  );
};

const LONG_BYTES = 1000;

/** What is too long to be seen at once can be compared: its size, and the beginning of its SHA-256. */
export const Measure = ({ tool, input }: { readonly tool: string; readonly input: Input }) => {
  const text = valueText(input[mainField(tool) ?? ""] ?? input);
  const bytes = useMemo(() => new TextEncoder().encode(text), [text]);
  const [hash, setHash] = useState("");
  const long = bytes.length >= LONG_BYTES;
  useEffect(() => {
    if (!long) return;
    void crypto.subtle
      .digest("SHA-256", bytes)
      .then((digest) =>
        setHash(Array.from(new Uint8Array(digest, 0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("")),
      );
  }, [bytes, long]);
  if (!long) return null;
  return (
    <p className="ask-measure num">
      {fill(WORDS.measure(text.replace(/\n$/u, "").split("\n").length, formatBytes(bytes.length)), {
        hash: <code>{hash}</code>,
      })}
    </p>
  );
};

const Fields = ({
  tool,
  input,
  dangers = [],
}: {
  readonly tool: string;
  readonly input: Input;
  readonly dangers?: readonly Danger[];
}) => {
  const main = mainField(tool);
  const hasClaim = claimOf(tool, input) !== undefined;
  const rest = Object.entries(input).filter(([key]) => key !== main && !(hasClaim && key === "description"));
  const text = main === undefined ? undefined : input[main];
  return (
    <>
      {main !== undefined &&
        (tool === "Bash" ? (
          <TrueCommand command={valueText(text)} dangers={dangers} />
        ) : (
          <pre className="ask-main">
            <TrueText text={valueText(text)} />
          </pre>
        ))}
      <FieldList fields={rest} />
      {main === undefined && rest.length === 0 && <p className="ask-none">{WORDS.noInput}</p>}
    </>
  );
};

/** Each field as it is. */
export const FieldList = ({ fields }: { readonly fields: readonly (readonly [string, unknown])[] }) =>
  fields.length === 0 ? null : (
    <dl className="ask-fields">
      {fields.map(([key, value]) => (
        <div key={key}>
          <dt>
            <TrueText text={key} />
          </dt>
          <dd>
            <pre>
              <TrueText text={valueText(value)} />
            </pre>
          </dd>
        </div>
      ))}
    </dl>
  );

export const valueText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? WORDS.nothing);

export const pathOf = (input: Input): string | undefined => {
  const path = filePathIn(input);
  return path === undefined ? undefined : valueText(path);
};

interface PreviewProps {
  readonly tool: string;
  readonly preview: RequestPreview;
  readonly input: Input;
}

export const InputPreview = ({ tool, preview, input }: PreviewProps) => {
  const hunks = useMemo(() => hunksOf(preview), [preview]);
  // The CLI adds `replace_all: false` to each edit.
  const beside = Object.entries(fieldsBesideDiff(tool, input)).filter(
    ([key, value]) => key !== "file_path" && !(key === "replace_all" && value === false),
  );
  return (
    <>
      {preview.kind === "unreadable" && (
        <p className="ask-path">
          <span className="badge badge-stop">
            {fill(WORDS.unreadable, { reason: <TrueText text={preview.reason ?? WORDS.noReason} /> })}
          </span>
        </p>
      )}
      {hunks.length > 0 && <FieldList fields={beside} />}
      {hunks.length > 0 ? (
        <TrueDiff hunks={hunks} grammar={grammarOfPath(pathOf(input) ?? "")} />
      ) : (
        <Fields tool="" input={input} />
      )}
    </>
  );
};
