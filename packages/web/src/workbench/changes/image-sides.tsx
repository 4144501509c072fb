import type { Client } from "@quarterdeck/client";
import { formatBytes } from "../../words/format.ts";
import type { ChangedFile } from "./changed-file.ts";
import { loadSides, type FileSide, type ChangeScope } from "./source.ts";
import { useLoaded } from "./use-changes.ts";
import { WORDS } from "./words.ts";

export interface SidesProps {
  readonly client: Client;
  readonly session: string;
  readonly file: ChangedFile;
  readonly scope: ChangeScope;
  readonly revision: number;
  readonly isNear: boolean;
}

/** A picture as it was and as it is. */
export const ImageSides = ({ client, session, file, scope, revision, isNear }: SidesProps) => {
  const { value, problem } = useLoaded(isNear, `${file.path} ${file.stamp} ${revision}`, () =>
    loadSides(client, session, file, scope),
  );
  if (problem !== undefined) return <p className="review-note">{problem}</p>;
  if (value === undefined) return <div className="review-waits" style={{ height: 200 }} aria-busy="true" />;
  return (
    <div className="image-sides">
      <ImageSide
        side={value.old}
        words={WORDS.image.before}
        none={file.status === "added" ? WORDS.image.new : WORDS.image.notKept}
      />
      <ImageSide
        side={value.new}
        words={WORDS.image.after}
        none={file.status === "deleted" ? WORDS.image.deleted : WORDS.image.notThere}
      />
    </div>
  );
};

const ImageSide = ({
  side,
  words,
  none,
}: {
  readonly side: FileSide | undefined;
  readonly words: string;
  readonly none: string;
}) => (
  <figure>
    <figcaption>
      {words}
      {side?.size !== undefined && <span className="num"> {formatBytes(side.size)}</span>}
    </figcaption>
    {side?.url === undefined ? <p className="review-note">{none}</p> : <img src={side.url} alt={words} />}
  </figure>
);
