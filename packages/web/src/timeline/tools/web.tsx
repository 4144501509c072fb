import { formatBytes } from "../../words/format.ts";
import { Markdown, OutLink } from "../../content/markdown/markdown.tsx";
import { linkOf } from "../../content/markdown/links.ts";
import { Output } from "../../content/text/output.tsx";
import { ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, resultOf } from "./tool-call.ts";
import { WORDS } from "./rare-words.ts";
import { fill } from "../../parts/fill.tsx";

const Address = ({ url }: { readonly url: string | undefined }) => {
  const link = url === undefined ? undefined : linkOf(url);
  if (link === undefined) return <span className="mono">{url}</span>;
  const { pathname, search } = new URL(link.href);
  return (
    <span className="mono" title={url}>
      <b>{link.host}</b>
      {pathname === "/" ? "" : pathname}
      {search}
    </span>
  );
};

export const WebFetchCard = ({ call }: CallCardProps) => {
  const { url, prompt } = inputOf(call, "WebFetch");
  const result = resultOf(call, "WebFetch");
  const link = url === undefined ? undefined : linkOf(url);
  const text = result?.result ?? (call.result?.ok === true ? call.result.text : "");
  return (
    <ToolCard
      call={call}
      title="WebFetch"
      about={<Address url={url} />}
      outcome={
        result !== undefined && (
          <span className={(result.code ?? 200) < 400 ? "good num" : "bad num"}>
            {[result.code, result.bytes === undefined ? undefined : formatBytes(result.bytes)]
              .filter((word) => word !== undefined)
              .join(" · ")}
          </span>
        )
      }
    >
      {prompt !== undefined && (
        <p className="tool-note">
          <span className="faint">{WORDS.prompt}</span> {prompt}
        </p>
      )}
      {text !== "" && (
        <div className="tool-prose">
          <Markdown text={text} />
        </div>
      )}
      {link !== undefined && (
        <p className="tool-note">
          {fill(WORDS.source, {
            link: (
              <OutLink link={link} words={link.href}>
                {link.href}
              </OutLink>
            ),
          })}
        </p>
      )}
    </ToolCard>
  );
};

export const WebSearchCard = ({ call }: CallCardProps) => {
  const { query, allowed_domains: only, blocked_domains: without } = inputOf(call, "WebSearch");
  const result = resultOf(call, "WebSearch");
  const hits = (result?.results ?? []).flatMap((entry) => (typeof entry === "string" ? [] : entry.content));
  const words = (result?.results ?? []).filter((entry) => typeof entry === "string");
  const plain = result === undefined && call.result?.ok === true ? call.result.text : "";
  return (
    <ToolCard
      call={call}
      title="WebSearch"
      about={
        <>
          {query}
          {only !== undefined && only.length > 0 && <span className="faint">{WORDS.only(only.join(", "))}</span>}
          {without !== undefined && without.length > 0 && (
            <span className="faint">{WORDS.without(without.join(", "))}</span>
          )}
        </>
      }
      outcome={result !== undefined && <span className="good num">{WORDS.hits(hits.length)}</span>}
    >
      {hits.length > 0 && (
        <ul className="hits">
          {hits.map((hit, index) => {
            const link = linkOf(hit.url);
            return (
              <li key={index}>
                {link === undefined ? (
                  hit.title
                ) : (
                  <OutLink link={link} words={hit.title}>
                    {hit.title}
                  </OutLink>
                )}
                {hit.snippet !== undefined && <p>{hit.snippet}</p>}
              </li>
            );
          })}
        </ul>
      )}
      {words.map((text, index) => (
        <div key={index} className="tool-prose">
          <Markdown text={text} />
        </div>
      ))}
      {plain !== "" && <Output text={plain} name={call.id} shows="start" />}
    </ToolCard>
  );
};
