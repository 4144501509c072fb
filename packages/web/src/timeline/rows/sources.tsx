// The sources of an answer, numbered, below it.

import { sourcesOf } from "@quarterdeck/client/content";
import type { TextRow } from "@quarterdeck/client";
import { linkOf } from "../../content/markdown/links.ts";
import { OutLink } from "../../content/markdown/markdown.tsx";
import { TrueText } from "../../content/text/true-text.tsx";
import { WORDS } from "../rare-words.ts";
import "./sources.css";

export const Sources = ({ citations }: Pick<TextRow, "citations">) => {
  const sources = sourcesOf(citations);
  if (sources.length === 0) return null;
  return (
    <ol className="sources" aria-label={WORDS.sources}>
      {sources.map(({ title, url, quote }, at) => {
        const link = url === undefined ? undefined : linkOf(url);
        return (
          <li key={at}>
            {link === undefined ? (
              <TrueText text={title} />
            ) : (
              <OutLink link={link} words={title}>
                <TrueText text={title} />
              </OutLink>
            )}
            {quote !== undefined && (
              <q className="source-quote">
                <TrueText text={quote} />
              </q>
            )}
          </li>
        );
      })}
    </ol>
  );
};
