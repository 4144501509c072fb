// What is asked for, drawn from the real bytes: a command, a file's change, or every field as it is. Nothing is cut; what is
// long scrolls, and until its end has been seen nothing can be allowed (S17).

import type { Client, OpenRequest, RequestPreview } from "@quarterdeck/client";
import { fieldsBesideDiff, textsIn, warningsOf } from "@quarterdeck/client/content";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { formatBytes, plural } from "../words/format.ts";
import { linesOf } from "../content/diff/compare.ts";
import type { Hunk } from "../content/diff/hunks.ts";
import { claimOf, mainField, type Asked, type Input } from "./asked.ts";
import { TrueText } from "../content/text/true-text.tsx";

export const FILE_TOOLS: ReadonlySet<string> = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

export interface InputViewProps {
  readonly client: Client;
  readonly session: string;
  readonly open: OpenRequest & { readonly request: Asked };
  readonly onRead: () => void;
}

export const InputView = ({ client, session, open, onRead }: InputViewProps) => {
  const { tool_name: tool, input } = open.request;
  const preview = usePreview(client, session, open);
  const claim = claimOf(tool, input);
  return (
    <>
      <Warnings input={input} />
      <ToEnd onRead={onRead} isWhole={preview !== undefined}>
        {FILE_TOOLS.has(tool) && preview !== undefined && preview.kind !== "none" ? (
          <Preview tool={tool} preview={preview} input={input} />
        ) : (
          <Fields tool={tool} input={input} />
        )}
      </ToEnd>
      <Measure text={textOf(input[mainField(tool) ?? ""] ?? input)} />
      {claim !== undefined && (
        <p className="ask-claim">
          Claude says: <TrueText text={claim} />
        </p>
      )}
    </>
  );
};

const usePreview = (client: Client, session: string, open: OpenRequest & { readonly request: Asked }) => {
  const wanted = FILE_TOOLS.has(open.request.tool_name);
  const [preview, setPreview] = useState<RequestPreview | undefined>(wanted ? undefined : NO_PREVIEW);
  useEffect(() => {
    if (!wanted) return undefined;
    const abort = new AbortController();
    client.call("requests/preview", { session, requestId: open.id }, { signal: abort.signal }).then(setPreview, () => {
      // The fields themselves are shown then, which say the same.
      if (!abort.signal.aborted) setPreview(NO_PREVIEW);
    });
    return () => abort.abort();
  }, [client, session, open.id, wanted]);
  return preview;
};
const NO_PREVIEW: RequestPreview = { kind: "none", hunks: [] };

export const Warnings = ({ input, how }: { readonly input: Input; readonly how?: string }) => {
  const warnings = warningsOf(textsIn(input).join("\n"), how);
  if (warnings.length === 0) return null;
  return (
    <p className="ask-warning" role="alert">
      Look closely: {warnings.join("; ")}.
    </p>
  );
};

const LONG_BYTES = 1000;

/** What is too long to be seen at once can be compared: its size, and the beginning of its SHA-256. */
const Measure = ({ text }: { readonly text: string }) => {
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
    <p className="ask-none num">
      {plural(bytes.length, "byte")} · SHA-256 <code>{hash}</code>…
    </p>
  );
};

/** Scrolls when it must; says when the end has been in sight, whatever it is that scrolls: this, its card or the conversation. */
export const ToEnd = ({
  onRead,
  isWhole = true,
  className = "ask-input",
  label = "Requested action",
  children,
}: {
  readonly onRead: () => void;
  /** False while more is to come. */
  readonly isWhole?: boolean;
  readonly className?: string;
  readonly label?: string;
  readonly children: ReactNode;
}) => {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const mark = end.current;
    if (!isWhole || mark === null) return undefined;
    const buttons = mark.closest(".ask-card")?.querySelector(".ask-acts") ?? undefined;
    let isInView = false;
    const look = (): void => {
      if (isInView && !isBehind(mark, buttons)) onRead();
    };
    const sight = new IntersectionObserver((seen) => {
      isInView = seen.at(-1)?.isIntersecting === true;
      look();
    });
    sight.observe(mark);
    const resized = new ResizeObserver(look);
    if (buttons !== undefined) resized.observe(buttons);
    document.addEventListener("scroll", look, { capture: true, passive: true });
    return () => {
      sight.disconnect();
      resized.disconnect();
      document.removeEventListener("scroll", look, { capture: true });
    };
  }, [onRead, isWhole]);
  return (
    <div className={className} tabIndex={0} role="region" aria-label={label}>
      {children}
      <div ref={end} className="ask-end" />
    </div>
  );
};

/** The buttons stay at the bottom of a card that scrolls. An IntersectionObserver does not see what they cover. */
const isBehind = (mark: Element, cover: Element | undefined): boolean => {
  if (cover === undefined) return false;
  const [{ top, bottom }, covering] = [mark.getBoundingClientRect(), cover.getBoundingClientRect()];
  return bottom > covering.top + 1 && top < covering.bottom;
};

const Fields = ({ tool, input }: { readonly tool: string; readonly input: Input }) => {
  const main = mainField(tool);
  const hasClaim = claimOf(tool, input) !== undefined;
  const rest = Object.entries(input).filter(([key]) => key !== main && !(hasClaim && key === "description"));
  const text = main === undefined ? undefined : input[main];
  return (
    <>
      {main !== undefined && (
        <pre className="ask-main">
          {tool === "Bash" && (
            <span className="ask-prompt" aria-hidden="true">
              ${" "}
            </span>
          )}
          <TrueText text={textOf(text)} />
        </pre>
      )}
      <FieldList fields={rest} />
      {main === undefined && rest.length === 0 && <p className="ask-none">No input</p>}
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
              <TrueText text={textOf(value)} />
            </pre>
          </dd>
        </div>
      ))}
    </dl>
  );

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "nothing");

interface PreviewProps {
  readonly tool: string;
  readonly preview: RequestPreview;
  readonly input: Input;
}

export const Preview = ({ tool, preview, input }: PreviewProps) => {
  const path = textOf(input["file_path"] ?? input["notebook_path"]);
  const hasChange = preview.hunks.length > 0 || preview.text !== undefined;
  const beside = Object.entries(fieldsBesideDiff(tool, input)).filter(([key]) => key !== "file_path");
  return (
    <>
      <p className="ask-path">
        <TrueText text={path} />
        {preview.kind === "new-file" && <span className="badge badge-go">new file</span>}
        {preview.kind === "unreadable" && (
          <span className="badge badge-stop">
            can't be read: <TrueText text={preview.reason ?? "unknown reason"} />
          </span>
        )}
        {preview.text !== undefined && <span className="ask-size">{formatBytes(byteLength(preview.text))}</span>}
      </p>
      {hasChange && <FieldList fields={beside} />}
      {preview.hunks.length > 0 ? (
        <TrueDiff hunks={preview.hunks} />
      ) : preview.text !== undefined ? (
        <pre className="ask-main">
          <TrueText text={preview.text} />
        </pre>
      ) : (
        <Fields tool="" input={input} />
      )}
    </>
  );
};

/** Every line of it: a fold could hide what is allowed. */
export const TrueDiff = ({ hunks }: { readonly hunks: readonly Hunk[] }) => (
  <div className="ask-diff">
    {hunks.map((hunk, at) => (
      <div key={at} className="ask-hunk">
        {linesOf(hunk).map((line, index) => (
          <div key={index} className={`ask-line ask-${line.kind}`}>
            <span className="ask-no">{line.old ?? ""}</span>
            <span className="ask-no">{line.new ?? ""}</span>
            <span
              className="ask-sign"
              aria-label={line.kind === "added" ? "added" : line.kind === "removed" ? "removed" : undefined}
            >
              {line.kind === "added" ? "+" : line.kind === "removed" ? "−" : " "}
            </span>
            <TrueText text={line.text} />
          </div>
        ))}
      </div>
    ))}
  </div>
);
