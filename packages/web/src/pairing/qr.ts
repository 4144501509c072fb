// A QR code as rows of dark and light: bytes, error correction M, versions 1 to 10 (213 bytes), as ISO 18004 has it. Enough for
// a pairing link, and a camera is the quickest way to a phone.

/** By version: bytes for correction in a block, blocks of the first size, their data bytes, blocks of the second size (one byte more). */
const BLOCKS: readonly (readonly [ecc: number, first: number, data: number, second: number])[] = [
  [10, 1, 16, 0],
  [16, 1, 28, 0],
  [26, 1, 44, 0],
  [18, 2, 32, 0],
  [24, 2, 43, 0],
  [16, 4, 27, 0],
  [18, 4, 31, 0],
  [22, 2, 38, 2],
  [22, 3, 36, 2],
  [26, 4, 43, 1],
];
const ALIGNMENT: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
];

const EXP = new Uint8Array(512);
const LOG = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power++) {
  EXP[power] = value;
  EXP[power + 255] = value;
  LOG[value] = power;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}
const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : EXP[LOG[a]! + LOG[b]!]!);

const correction = (data: Uint8Array, count: number): Uint8Array => {
  let divisor = Uint8Array.of(1);
  for (let root = 0; root < count; root++) {
    const next = new Uint8Array(divisor.length + 1);
    for (const [at, factor] of divisor.entries()) {
      next[at]! ^= factor;
      next[at + 1]! ^= times(factor, EXP[root]!);
    }
    divisor = next;
  }
  const rest = new Uint8Array(data.length + count);
  rest.set(data);
  for (let at = 0; at < data.length; at++) {
    const factor = rest[at]!;
    for (const [offset, value] of divisor.entries()) rest[at + offset]! ^= times(value, factor);
  }
  return rest.slice(data.length);
};

const codewords = (bytes: Uint8Array, version: number): Uint8Array => {
  const [ecc, first, size, second] = BLOCKS[version - 1]!;
  const capacity = first * size + second * (size + 1);
  const bits: number[] = [];
  const put = (value: number, width: number): void => {
    for (let bit = width - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  put(0b0100, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, capacity * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  const data = new Uint8Array(capacity);
  for (let at = 0; at < capacity; at++) {
    const from = at * 8;
    if (from < bits.length) data[at] = bits.slice(from, from + 8).reduce((sum, bit) => (sum << 1) | bit, 0);
    else data[at] = (at - bits.length / 8) % 2 === 0 ? 0xec : 0x11;
  }
  const blocks = Array.from({ length: first + second }, (_, block) => {
    const from = block * size + Math.max(0, block - first);
    return data.slice(from, from + size + (block < first ? 0 : 1));
  });
  const checks = blocks.map((block) => correction(block, ecc));
  const woven: number[] = [];
  for (let at = 0; at <= size; at++) for (const block of blocks) if (at < block.length) woven.push(block[at]!);
  for (let at = 0; at < ecc; at++) for (const check of checks) woven.push(check[at]!);
  return Uint8Array.from(woven);
};

type Grid = (boolean | undefined)[][];

const bch = (value: number, generator: number, width: number): number => {
  let rest = value << width;
  for (let bit = 31 - Math.clz32(rest); bit >= width; bit = 31 - Math.clz32(rest)) rest ^= generator << (bit - width);
  return (value << width) | rest;
};

/** Everything that is there whatever the text: finders, timing, alignment, version. */
const frame = (version: number): Grid => {
  const size = 17 + 4 * version;
  const grid: Grid = Array.from({ length: size }, () => Array.from({ length: size }, () => undefined));
  const square = (row: number, column: number, half: number, dark: (distance: number) => boolean): void => {
    for (let dy = -half; dy <= half; dy++)
      for (let dx = -half; dx <= half; dx++) {
        const line = grid[row + dy];
        if (line !== undefined && column + dx >= 0 && column + dx < size)
          line[column + dx] = dark(Math.max(Math.abs(dx), Math.abs(dy)));
      }
  };
  const finder = (distance: number): boolean => distance !== 2 && distance !== 4;
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    square(row, column, 4, finder);
  const places = ALIGNMENT[version - 1]!;
  for (const row of places)
    for (const column of places)
      if (grid[row]![column] === undefined) square(row, column, 2, (distance) => distance !== 1);
  for (let at = 8; at < size - 8; at++) {
    grid[6]![at] ??= at % 2 === 0;
    grid[at]![6] ??= at % 2 === 0;
  }
  if (version >= 7) {
    const word = bch(version, 0x1f25, 12);
    for (let bit = 0; bit < 18; bit++) {
      const dark = ((word >> bit) & 1) === 1;
      const [far, near] = [size - 11 + (bit % 3), Math.floor(bit / 3)];
      grid[far]![near] = dark;
      grid[near]![far] = dark;
    }
  }
  return grid;
};

const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (r, c) => (r + c) % 2 === 0,
  (r) => r % 2 === 0,
  (_, c) => c % 3 === 0,
  (r, c) => (r + c) % 3 === 0,
  (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2 === 0,
  (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0,
  (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
];

const writeFormat = (grid: Grid, mask: number): void => {
  const size = grid.length;
  const word = bch(mask, 0x537, 10) ^ 0x5412;
  for (let bit = 0; bit < 15; bit++) {
    const dark = ((word >> bit) & 1) === 1;
    const row = bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit;
    grid[row]![8] = dark;
    const column = bit < 8 ? size - 1 - bit : bit === 8 ? 7 : 14 - bit;
    grid[8]![column] = dark;
  }
  grid[size - 8]![8] = true;
};

const fill = (version: number, words: Uint8Array, mask: number): boolean[][] => {
  const grid = frame(version);
  writeFormat(grid, mask);
  const size = grid.length;
  let bit = 0;
  for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const row = up ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (grid[row]![column] !== undefined) continue;
        const word = words[bit >> 3] ?? 0;
        grid[row]![column] = (((word >> (7 - (bit & 7))) & 1) === 1) !== MASKS[mask]!(row, column);
        bit += 1;
      }
    }
  }
  return grid as boolean[][];
};

/** Runs, squares and imbalance make a code hard to read; so do things that look like finders. */
const penalty = (grid: readonly (readonly boolean[])[]): number => {
  const size = grid.length;
  let points = 0;
  const columns = grid.map((_, column) => grid.map((row) => row[column]!));
  for (const line of [...grid, ...columns]) {
    const text = line.map(Number).join("");
    for (const [run] of text.matchAll(/0{5,}|1{5,}/gu)) points += run.length - 2;
    points += 40 * [...text.matchAll(/(?=00001011101|10111010000)/gu)].length;
  }
  for (let row = 1; row < size; row++)
    for (let column = 1; column < size; column++) {
      const dark = grid[row]![column];
      if (dark === grid[row - 1]![column] && dark === grid[row]![column - 1] && dark === grid[row - 1]![column - 1])
        points += 3;
    }
  const share = grid.flat().filter(Boolean).length / (size * size);
  return points + 10 * Math.floor(Math.abs(share - 0.5) * 20);
};

/** `undefined`: too long for a code that a camera likes. */
export const qrOf = (text: string): readonly (readonly boolean[])[] | undefined => {
  const bytes = new TextEncoder().encode(text);
  const version =
    BLOCKS.findIndex(
      ([, first, size, second], at) => first * size + second * (size + 1) - (at < 9 ? 2 : 3) >= bytes.length,
    ) + 1;
  if (version === 0) return undefined;
  const words = codewords(bytes, version);
  return MASKS.map((_, mask) => fill(version, words, mask)).toSorted((a, b) => penalty(a) - penalty(b))[0];
};
