// WebSocket text frames, built by hand: a frame that many clients get is built once, and `ws` does not build it again for each.
// Frames from a server have no mask, so that one is the same for every client (RFC 6455, 5.2). Nothing here knows JSON.
// The gain and the fallback: docs/decisions/0005-frames-below-ws.md.

export interface WireFrame {
  /** The whole frame with its header. Where all of it is ASCII, a Latin-1 string: Node writes that without a buffer of ours. */
  readonly data: Buffer | string;
  /** The text in UTF-16 units, as a client counts it in `session/ack`. */
  readonly length: number;
}

const FINAL_TEXT = 0x81;
/** Above this, copying a string twice costs more than a buffer. */
const SHORT = 16_384;

const headerSizeOf = (size: number): number => (size < 126 ? 2 : size < 65_536 ? 4 : 10);

/** `size` is that of the text in bytes. Give it where it is known: counting it makes V8 join a text of many parts. */
export const frameOf = (text: string, size = Buffer.byteLength(text)): WireFrame => {
  const { length } = text;
  if (size === length && size < SHORT) {
    const header =
      size < 126 ? String.fromCharCode(FINAL_TEXT, size) : String.fromCharCode(FINAL_TEXT, 126, size >> 8, size & 0xff);
    return { data: header + text, length };
  }
  const start = headerSizeOf(size);
  const data = Buffer.allocUnsafe(start + size);
  data[0] = FINAL_TEXT;
  data[1] = start === 2 ? size : start === 4 ? 126 : 127;
  if (start === 4) data.writeUInt16BE(size, 2);
  else if (start === 10) data.writeBigUInt64BE(BigInt(size), 2);
  data.write(text, start, "utf8");
  return { data, length };
};

/** The bytes on the wire. */
export const bytesOfFrame = ({ data }: WireFrame): Buffer =>
  typeof data === "string" ? Buffer.from(data, "latin1") : data;

/** The bytes of the text alone, for a sender that makes headers itself. */
export const payloadOf = (frame: WireFrame): Buffer => {
  const bytes = bytesOfFrame(frame);
  const [, short = 0] = bytes;
  return bytes.subarray(short < 126 ? 2 : short === 126 ? 4 : 10);
};
