// A screenshot with at most 256 colors: a third of the bytes, and the same to the eye. It reads what Chromium writes (eight bits a channel,
// not interlaced), and writes an indexed picture.

import { crc32, deflateSync, inflateSync } from "node:zlib";

const MAGIC = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const COLOURS = 256;

export const paletted = (png: Buffer): Buffer => {
  const { width, height, pixels } = decoded(png);
  const counts = new Map<number, number>();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const palette = paletteOf([...counts].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).map(([color]) => color));
  const indexOf = new Map(palette.map((color, index) => [color, index]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const color = pixels[y * width + x]!;
      let index = indexOf.get(color);
      if (index === undefined) indexOf.set(color, (index = nearest(palette, color)));
      rows[y * (width + 1) + 1 + x] = index;
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    MAGIC,
    chunk("IHDR", header),
    chunk("PLTE", colors),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
};

/** How near two colors must be so that one replaces the other. While there is room, they must be nearer. */
const NEARNESS = [150, 50, 0];

/** Frequent colors first. A rare color comes before many similar ones, so that a small red dot keeps its color. */
const paletteOf = (colors: readonly number[]): readonly number[] => {
  const palette: number[] = [];
  const chosen = new Set<number>();
  for (const nearness of NEARNESS)
    for (const color of colors) {
      if (palette.length === COLOURS) return palette;
      if (chosen.has(color) || (nearness > 0 && palette.some((known) => distance(known, color) < nearness))) continue;
      palette.push(color);
      chosen.add(color);
    }
  return palette;
};

const distance = (a: number, b: number): number => {
  const [red, green, blue] = [(a >> 16) - (b >> 16), ((a >> 8) & 255) - ((b >> 8) & 255), (a & 255) - (b & 255)];
  return red * red * 3 + green * green * 4 + blue * blue * 2;
};

const nearest = (palette: readonly number[], color: number): number => {
  let [best, least] = [0, Infinity];
  for (const [index, known] of palette.entries()) {
    const far = distance(known, color);
    if (far < least) [best, least] = [index, far];
  }
  return best;
};

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
};

const decoded = (png: Buffer): { readonly width: number; readonly height: number; readonly pixels: Uint32Array } => {
  const [width, height, depth, kind] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]];
  const channels = kind === 6 ? 4 : 3;
  if (depth !== 8 || (kind !== 6 && kind !== 2)) throw new Error("Chromium writes another kind of PNG now.");
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = new Uint32Array(width * height);
  let before = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)]!;
    const line = Uint8Array.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let x = 0; x < stride; x += 1) {
      const left = x < channels ? 0 : line[x - channels]!;
      const corner = x < channels ? 0 : before[x - channels]!;
      line[x]! += predicted(filter, left, before[x]!, corner);
    }
    for (let x = 0; x < width; x += 1)
      pixels[y * width + x] = (line[x * channels]! << 16) | (line[x * channels + 1]! << 8) | line[x * channels + 2]!;
    before = line;
  }
  return { width, height, pixels };
};

const predicted = (filter: number, left: number, above: number, corner: number): number => {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4: {
      const guess = left + above - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
      return a <= b && a <= c ? left : b <= c ? above : corner;
    }
    default:
      return 0;
  }
};
