import { memo, useLayoutEffect, useRef } from "react";
import { CodeText } from "../code/code-text.tsx";
import { grammarOfWord } from "../code/language-names.ts";
import { CopyButton } from "../../parts/text-button.tsx";
import { later } from "../../parts/later.tsx";
import { WORDS } from "../words.ts";

const Diagram = later(async () => (await import("./diagram.tsx")).Diagram);

/** A fence as it was written, including its first line. */
export const readFence = (text: string): { readonly word: string; readonly code: string } => {
  const end = text.indexOf("\n");
  const first = end === -1 ? text : text.slice(0, end);
  const mark = /^(?:`{3,}|~{3,})/u.exec(first)?.[0] ?? "";
  const word = first.slice(mark.length).trim().split(/[\s{]/u, 1)[0] ?? "";
  if (end === -1) return { word, code: "" };
  const body = text.slice(end + 1).trimEnd();
  const lastLine = body.slice(body.lastIndexOf("\n") + 1).trim();
  const isClosed = lastLine.length >= mark.length && lastLine === mark[0]!.repeat(lastLine.length);
  return { word, code: isClosed ? body.slice(0, Math.max(0, body.lastIndexOf("\n"))) : body };
};

export interface CodeBlockProps {
  readonly word: string;
  readonly code: string;
  readonly isOpen?: boolean;
}

export const CodeBlock = memo(({ word, code, isOpen = false }: CodeBlockProps) => {
  const body = useRef<HTMLPreElement>(null);
  // A tall block scrolls inside. While it is streamed, it shows its end.
  useLayoutEffect(() => {
    if (isOpen && body.current !== null) body.current.scrollTop = body.current.scrollHeight;
  });
  const isDiagram = word.toLowerCase() === "mermaid";
  return (
    <figure className="code">
      <figcaption>
        <span>{word === "" ? WORDS.text : word}</span>
        <CopyButton text={code} />
      </figcaption>
      {isDiagram && !isOpen ? (
        <Diagram source={code} />
      ) : (
        <pre ref={body} className="code-body" tabIndex={0} aria-label={word === "" ? WORDS.code : WORDS.codeIn(word)}>
          <CodeText code={code} grammar={grammarOfWord(word)} isOpen={isOpen} />
        </pre>
      )}
    </figure>
  );
});
