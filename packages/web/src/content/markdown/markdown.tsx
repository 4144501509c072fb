// Renders blocks of Markdown. A block is rendered again only if its text changed. In the streamed block, unfinished
// markup is closed first. Text never becomes markup, and nothing is loaded from elsewhere.

import { Fragment, memo, type ReactNode } from "react";
import type { Token, Tokens } from "marked";
import { blocksOf, DETAILS, type MarkdownBlock } from "./block-splitter.ts";
import { CodeBlock, readFence } from "./code-block.tsx";
import { inOrder, visible } from "../text/visible.ts";
import { asFileLink, InsideLink, withFileLinks } from "../text/file-link.tsx";
import { Formula } from "./math.tsx";
import { hostShown, hostText, linkOf, type Link } from "./links.ts";
import { foldedParts } from "./folded.ts";
import { NoteRef } from "./note-ref.tsx";
import { TableScroll } from "./table-scroll.tsx";
import { decodeEntities, markdownTokens, UNFINISHED_LINK, type MathToken, type NoteToken } from "./tokens.ts";
import { WORDS } from "../words.ts";
import { fill } from "../../parts/fill.tsx";

/** A text that is complete. */
export const Markdown = memo(({ text }: { readonly text: string }) => (
  <div className="prose">
    <Blocks blocks={blocksOf(text)} />
  </div>
));

export const Blocks = ({
  blocks,
  open,
}: {
  readonly blocks: readonly MarkdownBlock[];
  readonly open?: MarkdownBlock | undefined;
}) => (
  <>
    {blocks.map((block, index) => (
      <BlockView key={index} kind={block.kind} text={block.text} isOpen={false} />
    ))}
    {open !== undefined && <BlockView key={blocks.length} kind={open.kind} text={open.text} isOpen />}
  </>
);

interface BlockViewProps {
  readonly kind: MarkdownBlock["kind"];
  readonly text: string;
  readonly isOpen: boolean;
}

const BlockView = memo(({ kind, text, isOpen }: BlockViewProps) =>
  kind === "code" ? (
    <CodeBlock {...readFence(text)} isOpen={isOpen} />
  ) : DETAILS.test(text) ? (
    <Folded text={text} />
  ) : (
    blockTokens(markdownTokens(text, isOpen))
  ),
);

/** `<details>` as the reader folds it. Only this element is made, without anything that its tag says. */
const Folded = ({ text }: { readonly text: string }) => {
  const { summary, body, open } = foldedParts(text);
  return (
    <details className="folded" open={open}>
      <summary>{inlineTokens(markdownTokens(summary, false).flatMap(tokensIn))}</summary>
      <Blocks blocks={blocksOf(body)} />
    </details>
  );
};

const Footnote = ({ note }: { readonly note: NoteToken }) => (
  <p className="footnote" data-note={note.label} tabIndex={-1}>
    <span className="footnote-label">{note.label}</span> {inlineTokens(note.tokens)}
  </p>
);

const blockTokens = (tokens: readonly Token[]): ReactNode[] => tokens.map(blockToken);

const blockToken = (token: Token, key: number): ReactNode => {
  switch (token.type) {
    case "space":
      return null;
    case "paragraph":
      return <p key={key}>{inlineTokens((token as Tokens.Paragraph).tokens)}</p>;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      // Inside a tight list, or a text that was not parsed as Markdown.
      return tokens === undefined ? (
        <p key={key} className="as-written">
          {text}
        </p>
      ) : (
        <Fragment key={key}>{inlineTokens(tokens)}</Fragment>
      );
    }
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      // The page has its own heading above these.
      const Heading = `h${Math.min(depth + 2, 6)}` as "h3";
      return (
        <Heading key={key} className={`h h-${depth}`}>
          {inlineTokens(tokens)}
        </Heading>
      );
    }
    case "code": {
      const { lang, text } = token as Tokens.Code;
      return <CodeBlock key={key} word={lang?.split(/[\s{]/u, 1)[0] ?? ""} code={text} />;
    }
    case "blockquote":
      return (
        <blockquote key={key} dir="auto">
          {blockTokens((token as Tokens.Blockquote).tokens)}
        </blockquote>
      );
    case "hr":
      return <hr key={key} />;
    case "list":
      return listToken(token as Tokens.List, key);
    case "table":
      return tableToken(token as Tokens.Table, key);
    case "math":
      return <Formula key={key} tex={(token as unknown as MathToken).tex} display />;
    case "footnote":
      return <Footnote key={key} note={token as unknown as NoteToken} />;
    case "def":
      // Shown as text, because other blocks cannot use the definition.
      return (
        <p key={key}>{inlineTokens(markdownTokens(token.raw.replace(/^\s*\[/u, "\\["), false).flatMap(tokensIn))}</p>
      );
    default:
      return <p key={key}>{token.raw}</p>;
  }
};
const tokensIn = (token: Token): readonly Token[] =>
  "tokens" in token && token.tokens !== undefined ? token.tokens : [token];

const listToken = (list: Tokens.List, key: number): ReactNode => {
  const items = list.items.map((item, index) => (
    <li key={index} className={item.task ? "task-item" : undefined}>
      {item.task && (
        <input
          type="checkbox"
          checked={item.checked === true}
          readOnly
          disabled
          aria-label={item.checked === true ? WORDS.done : WORDS.notDone}
        />
      )}
      {blockTokens(item.tokens.filter((token) => token.type !== "checkbox"))}
    </li>
  ));
  return list.ordered ? (
    <ol key={key} dir="auto" start={list.start === "" ? undefined : list.start}>
      {items}
    </ol>
  ) : (
    <ul key={key} dir="auto">
      {items}
    </ul>
  );
};

const tableToken = (table: Tokens.Table, key: number): ReactNode => (
  <TableScroll key={key}>
    <table dir="auto">
      <thead>
        <tr>{table.header.map((cell, index) => tableCell("th", cell, index))}</tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          <tr key={index}>{row.map((cell, column) => tableCell("td", cell, column))}</tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
);
const tableCell = (Cell: "th" | "td", cell: Tokens.TableCell, key: number): ReactNode => (
  <Cell key={key} className={cell.align === null ? undefined : `to-${cell.align}`}>
    {inlineTokens(cell.tokens)}
  </Cell>
);

const inlineTokens = (tokens: readonly Token[] | undefined): ReactNode[] => (tokens ?? []).map(inlineToken);

const inlineToken = (token: Token, key: number): ReactNode => {
  switch (token.type) {
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? textOf(text, key) : <Fragment key={key}>{inlineTokens(tokens)}</Fragment>;
    }
    case "escape":
      return <Fragment key={key}>{(token as Tokens.Escape).text}</Fragment>;
    case "strong":
      return <strong key={key}>{inlineTokens((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em key={key}>{inlineTokens((token as Tokens.Em).tokens)}</em>;
    case "del":
      return <del key={key}>{inlineTokens((token as Tokens.Del).tokens)}</del>;
    case "codespan":
      return <code key={key}>{asFileLink((token as Tokens.Codespan).text)}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return linkToken(token as Tokens.Link, key);
    case "image":
      return imageToken(token as Tokens.Image, key);
    case "math":
      return (
        <Formula
          key={key}
          tex={(token as unknown as MathToken).tex}
          display={(token as unknown as MathToken).display}
        />
      );
    case "checkbox":
      return null;
    case "noteref":
      return <NoteRef key={key} label={(token as unknown as NoteToken).label} />;
    default:
      return <Fragment key={key}>{token.raw}</Fragment>;
  }
};

/** The only tag that tables need. */
const BREAK = /<br\s*\/?>/giu;
const textOf = (text: string, key: number): ReactNode => {
  const words = inOrder(decodeEntities(text));
  if (!words.includes("<br")) return <Fragment key={key}>{withFileLinks(words)}</Fragment>;
  return (
    <Fragment key={key}>
      {words.split(BREAK).map((line, index) => (
        <Fragment key={index}>
          {index > 0 && <br />}
          {line}
        </Fragment>
      ))}
    </Fragment>
  );
};

const linkToken = (token: Tokens.Link, key: number): ReactNode => {
  if (token.href === UNFINISHED_LINK) return <Fragment key={key}>{inlineTokens(token.tokens)}</Fragment>;
  const link = linkOf(decodeEntities(token.href));
  // A link inside a link would have its own target.
  const tokens = token.tokens.map(withoutLinks);
  const words = tokens.map(wordsOf).join("");
  if (link === undefined) {
    return (
      <Fragment key={key}>
        {inlineTokens(tokens)}
        {token.href !== token.text && (
          <span className="link-host">
            {" "}
            (<bdi dir="ltr">{asFileLink(visible(token.href))}</bdi>)
          </span>
        )}
      </Fragment>
    );
  }
  return (
    <OutLink key={key} link={link} words={words}>
      <InsideLink value={true}>{inlineTokens(tokens)}</InsideLink>
    </OutLink>
  );
};

const withoutLinks = (token: Token): Token => {
  if (token.type === "image") {
    const words = WORDS.imageOf((token as Tokens.Image).text);
    return { type: "text", raw: words, text: words };
  }
  const inner = "tokens" in token ? token.tokens?.map(withoutLinks) : undefined;
  if (token.type === "link")
    return { type: "text", raw: token.raw, text: (token as Tokens.Link).text, tokens: inner ?? [] };
  return inner === undefined ? token : { ...token, tokens: inner };
};

/** The visible text of a token. */
const wordsOf = (token: Token): string => {
  if ("tokens" in token && token.tokens !== undefined) return token.tokens.map(wordsOf).join("");
  if (token.type === "math") return (token as unknown as MathToken).tex;
  if (token.type === "text") return decodeEntities((token as Tokens.Text).text).replaceAll(BREAK, " ");
  return "text" in token && typeof token.text === "string" ? token.text : token.raw;
};

/**
 * Opens in a new tab, sends no referrer, and shows where it leads. Words that look like another address are shown with
 * their hidden characters, and the real host is marked.
 */
export const OutLink = ({
  link,
  words,
  children,
}: {
  readonly link: Link;
  readonly words: string;
  readonly children: ReactNode;
}) => {
  const shown = hostShown(words, link);
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow" title={link.href}>
      <bdi>{shown === "other" && visible(words) !== words ? visible(words) : children}</bdi>
      {shown === "beside" && (
        <span className="link-host">
          {" "}
          <bdi dir="ltr">{hostText(link.host)}</bdi>
        </span>
      )}
      {shown === "other" && (
        <span className="link-host link-other">
          {" "}
          {fill(WORDS.goesTo, { host: <bdi dir="ltr">{hostText(link.host)}</bdi> })}
        </span>
      )}
    </a>
  );
};

/** Never loaded: the address of an image in a model's text could send data out. */
const imageToken = (token: Tokens.Image, key: number): ReactNode => {
  const link = linkOf(decodeEntities(token.href));
  const words = token.text === "" ? WORDS.anImage : token.text;
  return (
    <span key={key} className="image-note">
      {fill(WORDS.imageOf("{image}"), {
        image:
          link === undefined ? (
            visible(`${words} (${token.href})`)
          ) : (
            <OutLink link={link} words={words}>
              {words}
            </OutLink>
          ),
      })}
    </span>
  );
};
