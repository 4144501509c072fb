// Pictures in the form that the API accepts: four types, at most 8,000 pixels per side, at most 5 MB as base64. Other
// images are redrawn.

import { isImageMediaType } from "@quarterdeck/client/content";
import { WORDS } from "./extra-words.ts";

export interface ShrunkImage {
  readonly mediaType: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
}

const SIDE = 8000;
/** Base64 turns three bytes into four. */
const BYTES = 3_700_000;
/** If the file is too large, pixels are removed first: the model uses about this many. */
const ENOUGH = 2000;

/** `undefined`: keep it as it is. Otherwise the size to draw it in. */
export const shrinkTo = ({
  mediaType,
  bytes,
  width,
  height,
}: ShrunkImage): { width: number; height: number } | undefined => {
  const fits = width <= SIDE && height <= SIDE;
  if (isImageMediaType(mediaType) && fits && bytes <= BYTES) return undefined;
  const longest = Math.max(width, height, 1);
  const most = bytes > BYTES ? ENOUGH : SIDE;
  const scale = Math.min(1, most / longest);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
};

/**
 * The picture itself, or a smaller one. An image type that the browser cannot read is sent as a file. A broken picture
 * is an error now rather than later.
 */
export const shrinkImage = async (file: Blob): Promise<Blob> => {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) {
    if (isImageMediaType(file.type)) throw new Error(WORDS.notImage);
    return file;
  }
  try {
    const about = { mediaType: file.type, bytes: file.size, width: bitmap.width, height: bitmap.height };
    let size = shrinkTo(about);
    if (size === undefined) return file;
    for (let quality = 0.9; ; quality -= 0.15) {
      const canvas = new OffscreenCanvas(size.width, size.height);
      const paper = canvas.getContext("2d")!;
      paper.fillStyle = "#fff";
      // Only PNG keeps transparency.
      if (file.type !== "image/png" || quality < 0.9) paper.fillRect(0, 0, size.width, size.height);
      paper.drawImage(bitmap, 0, 0, size.width, size.height);
      // Screenshots and drawings keep sharp edges as PNG, if that fits.
      const sharp = file.type === "image/png" && quality === 0.9;
      const blob = await canvas.convertToBlob(
        sharp ? { type: "image/png" } : { type: "image/jpeg", quality: Math.max(0.4, quality) },
      );
      if (blob.size <= BYTES) return blob;
      if (quality < 0.5) size = { width: Math.ceil(size.width * 0.7), height: Math.ceil(size.height * 0.7) };
    }
  } finally {
    bitmap.close();
  }
};
