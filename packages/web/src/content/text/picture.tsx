import { isImageMediaType, isRecord } from "@quarterdeck/client/content";
import { useState } from "react";
import { formatBytes } from "../../words/format.ts";
import { WORDS } from "../words.ts";

export interface PictureProps {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  readonly about: string;
  readonly size?: number | undefined;
}

/** A picture of a message. Only formats that cannot contain scripts. */
export const Picture = ({ mediaType, data, about, size }: PictureProps) => {
  const [large, setLarge] = useState(false);
  if (!isImageMediaType(mediaType)) return <p className="tool-note">{WORDS.ofType(mediaType)}</p>;
  const name = about === "" ? WORDS.image : WORDS.imageOf(about);
  return (
    <figure className={`picture ${large ? "picture-large" : ""}`}>
      <button
        type="button"
        onClick={() => setLarge(!large)}
        aria-label={large ? WORDS.shrink(name) : WORDS.enlarge(name)}
      >
        <img src={`data:${mediaType};base64,${data}`} alt={name} />
      </button>
      {size !== undefined && <figcaption>{formatBytes(size)}</figcaption>}
    </figure>
  );
};

/** The pictures of a tool's result. */
export const Pictures = ({ images, about }: { readonly images: readonly unknown[]; readonly about: string }) =>
  images.map((image, index) => {
    const source = isRecord(image) && isRecord(image["source"]) ? image["source"] : {};
    const { type, media_type: mediaType, data } = source;
    if (type !== "base64" || typeof mediaType !== "string" || typeof data !== "string") return null;
    return <Picture key={index} mediaType={mediaType} data={data} about={about} />;
  });
