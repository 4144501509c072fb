import { later } from "../../parts/later.tsx";
import { PathWords, ToolCard, type CallCardProps } from "./tool-card.tsx";
import { inputOf, resultOf } from "./tool-call.ts";
import { WORDS } from "./words.ts";

/** The cards are closed at first. */
const Files = later(async () => (await import("./search-results.tsx")).FoundFiles);
const Matches = later(async () => (await import("./search-results.tsx")).Matches);
export const prefetchResults = (): void => Files.prefetch();

export const GlobCard = ({ call }: CallCardProps) => {
  const { pattern, path } = inputOf(call, "Glob");
  const result = resultOf(call, "Glob");
  const files = result?.filenames ?? linesOf(call.result?.ok === true ? call.result.text : "");
  const count = result?.totalMatches ?? files.length;
  return (
    <ToolCard
      call={call}
      title="Glob"
      about={<Searched pattern={pattern} path={path} />}
      outcome={<Found count={count} words={WORDS.files(count, result?.truncated === true)} />}
    >
      {files.length > 0 && <Files files={files} name={call.id} />}
    </ToolCard>
  );
};

export const GrepCard = ({ call }: CallCardProps) => {
  const input = inputOf(call, "Grep");
  const result = resultOf(call, "Grep");
  const mode = result?.mode ?? input.output_mode ?? "files_with_matches";
  const lines = linesOf(result?.content ?? (call.result?.ok === true ? call.result.text : ""));
  const files = result?.filenames ?? [];
  const isCut = result?.appliedLimit !== undefined;
  const isList = mode === "files_with_matches" && files.length > 0;
  const count =
    mode === "content" ? (result?.numMatches ?? result?.numLines ?? lines.length) : (result?.numFiles ?? files.length);
  return (
    <ToolCard
      call={call}
      title="Grep"
      about={
        <>
          <Searched pattern={input.pattern} path={input.path} />
          {input.glob !== undefined && <span className="faint">{WORDS.in + input.glob}</span>}
          {input.type !== undefined && <span className="faint">{WORDS.inType(input.type)}</span>}
          {input["-i"] === true && <span className="faint">{WORDS.ignoreCase}</span>}
        </>
      }
      outcome={<Found count={count} words={WORDS[mode === "content" ? "matches" : "files"](count, isCut)} />}
    >
      {isList ? (
        <Files files={files} name={call.id} />
      ) : (
        lines.length > 0 && (
          <Matches lines={lines} pattern={input.pattern} ignoreCase={input["-i"] === true} name={call.id} />
        )
      )}
    </ToolCard>
  );
};

const Searched = ({ pattern, path }: { readonly pattern: string | undefined; readonly path: string | undefined }) => (
  <>
    <span className="mono">{pattern}</span>
    {path !== undefined && (
      <>
        <span className="faint">{WORDS.in}</span>
        <PathWords path={path} />
      </>
    )}
  </>
);

const Found = ({ count, words }: { readonly count: number; readonly words: string }) => (
  <span className={count === 0 ? "faint" : "good num"}>{words}</span>
);

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/u, "").split("\n"));
