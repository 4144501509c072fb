// WebSocket frames, built by hand. A frame for many clients is built once, and `ws` does not build it again for
// each. Frames from a server have no mask, so a frame is the same for every client (RFC 6455, 5.2). This file knows no
// JSON. For the gain and the fallback, see docs/decisions/0005-frames-below-ws.md.

export interface WireFrame {
  /**
   * The whole frame with its header. An ASCII frame is a Latin-1 string, which Node writes without a buffer of ours.
   */
  readonly data: Buffer | string;
  /** The text in UTF-16 units, as a client counts it in `session/ack`. */
  readonly length: number;
  readonly isBinary?: true;
}

const FINAL_TEXT = 0x81;
const FINAL_BINARY = 0x82;
/** Above this, copying a string twice costs more than a buffer. */
const SHORT = 16_384;

const headerSizeOf = (size: number): number => (size < 126 ? 2 : size < 65_536 ? 4 : 10);

/** `size` is the byte size of the text. Pass it if it is known: counting it makes V8 flatten a text of many parts. */
export const frameOf = (text: string, size = Buffer.byteLength(text)): WireFrame => {
  const { length } = text;
  if (size === length && size < SHORT) {
    const header =
      size < 126 ? String.fromCharCode(FINAL_TEXT, size) : String.fromCharCode(FINAL_TEXT, 126, size >> 8, size & 0xff);
    return { data: header + text, length };
  }
  return { data: framed(FINAL_TEXT, text, size), length };
};

/** The same text as bytes that the client does not read as JSON. */
export const binaryFrameOf = (text: string): WireFrame => ({
  data: framed(FINAL_BINARY, text, Buffer.byteLength(text)),
  length: text.length,
  isBinary: true,
});

const framed = (kind: number, text: string, size: number): Buffer => {
  const start = headerSizeOf(size);
  const data = Buffer.allocUnsafe(start + size);
  data[0] = kind;
  data[1] = start === 2 ? size : start === 4 ? 126 : 127;
  if (start === 4) data.writeUInt16BE(size, 2);
  else if (start === 10) data.writeBigUInt64BE(BigInt(size), 2);
  data.write(text, start, "utf8");
  return data;
};

/** The bytes on the wire. */
export const bytesOfFrame = ({ data }: WireFrame): Buffer =>
  typeof data === "string" ? Buffer.from(data, "latin1") : data;

/** The bytes of the text alone, for a sender that makes its own headers. */
export const payloadOf = (frame: WireFrame): Buffer => {
  const bytes = bytesOfFrame(frame);
  const [, short = 0] = bytes;
  return bytes.subarray(short < 126 ? 2 : short === 126 ? 4 : 10);
};
