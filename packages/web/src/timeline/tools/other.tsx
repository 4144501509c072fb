// Tools without their own card, such as MCP tools and new tools of a newer CLI. Shows input and result.

import { isRecord, splitMcpName, toolSubject, toolTitle } from "@quarterdeck/client/content";
import { Markdown, OutLink } from "../../content/markdown/markdown.tsx";
import { linkOf } from "../../content/markdown/links.ts";
import { useScopeHead } from "../scope.tsx";
import { JsonView } from "../../content/text/json-view.tsx";
import { Output } from "../../content/text/output.tsx";
import { Pictures } from "../../content/text/picture.tsx";
import { ToolCard, type CallCardProps } from "./tool-card.tsx";
import type { ToolCall } from "./tool-call.ts";
import { WORDS } from "./rare-words.ts";
import { WORDS as ROWS } from "../words.ts";
import { fill } from "../../parts/fill.tsx";

export const OtherCard = ({ call }: CallCardProps) => {
  const names = useScopeHead((head) => head.servers);
  const servers = names.map((server) => server.name);
  const mcp = splitMcpName(call.name, servers);
  const hasInput = Object.keys(call.input).length > 0;
  return (
    <ToolCard
      call={call}
      title={<span title={call.name}>{toolTitle(call.name, call.input, servers)}</span>}
      about={<span className="mono">{toolSubject(call.name, call.input).replaceAll("\n", " ").slice(0, 160)}</span>}
      marks={mcp !== undefined && <span className="tool-mark">MCP</span>}
      outcome={call.state === "done" && <span className="good">{WORDS.done}</span>}
    >
      {hasInput && (
        <Part title={WORDS.input}>
          <Fields input={call.input} name={call.id} />
        </Part>
      )}
      {call.result?.ok === true && <Result call={call} />}
    </ToolCard>
  );
};

const Part = ({ title, children }: { readonly title: string; readonly children: React.ReactNode }) => (
  <div className="tool-part">
    <h4>{title}</h4>
    {children}
  </div>
);

/** Short values as a list of fields, anything else as JSON. */
const Fields = ({ input, name }: { readonly input: Readonly<Record<string, unknown>>; readonly name: string }) => {
  const entries = Object.entries(input);
  const isPlain =
    entries.length <= 12 &&
    entries.every(([, value]) => !isRecord(value) && !Array.isArray(value) && String(value).length < 400);
  if (!isPlain) return <JsonView value={input} name={name} />;
  return (
    <dl className="fields">
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
};

const Result = ({ call }: { readonly call: ToolCall }) => {
  const result = call.result!;
  const { text, images = [], parts = [] } = result;
  const { structured } = result;
  const json = text === "" ? undefined : jsonOf(text);
  return (
    <Part title={WORDS.result}>
      <Pictures images={images} about={toolTitle(call.name)} />
      {json !== undefined ? (
        <JsonView value={json} name={`${call.id}/text`} />
      ) : text === "" ? null : looksLikeMarkdown(text) ? (
        <div className="tool-prose">
          <Markdown text={text} />
        </div>
      ) : (
        <Output text={text} name={call.id} shows="start" />
      )}
      {parts.map((part, index) => (
        <ContentPart key={index} part={part} name={`${call.id}/${index}`} />
      ))}
      {text === "" && structured !== undefined && <JsonView value={structured} name={`${call.id}/structured`} />}
      {text === "" && structured === undefined && images.length + parts.length === 0 && (
        <p className="tool-note faint">{ROWS.noOutput}</p>
      )}
    </Part>
  );
};

/** A block of an MCP result that is neither text nor image. */
const ContentPart = ({ part, name }: { readonly part: unknown; readonly name: string }) => {
  if (isRecord(part) && typeof part["uri"] === "string") {
    const link = linkOf(part["uri"]);
    const words = typeof part["name"] === "string" ? part["name"] : part["uri"];
    return (
      <p className="tool-note">
        {fill(WORDS.resource, {
          link:
            link === undefined ? (
              <span className="mono">{part["uri"]}</span>
            ) : (
              <OutLink link={link} words={words}>
                {words}
              </OutLink>
            ),
        })}
      </p>
    );
  }
  return <JsonView value={part} name={name} />;
};

const jsonOf = (text: string): unknown => {
  const start = text.trimStart()[0];
  if (start !== "{" && start !== "[") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // It is not JSON after all.
    return undefined;
  }
};

const looksLikeMarkdown = (text: string): boolean =>
  text.length < 60_000 && /^(?:#{1,4} |[-*] |\d+\. |```|\|)/mu.test(text.slice(0, 4_000));
