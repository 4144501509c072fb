// Frames of a virtual connection. One message of NATS is one frame: a type, a number, and bytes. The number of DATA and END counts the
// frames of one direction, so a lost message is noticed. The number of CREDIT is how many more bytes the other side may send.

/** Larger messages delay those of others. */
export const CHUNK_BYTES = 64 * 1024;
/** How far a sender may be ahead of its reader. */
export const WINDOW_BYTES = 256 * 1024;
const HEAD_BYTES = 5;
const REASON_BYTES = 200;

export type Frame =
  | { readonly type: "data"; readonly seq: number; readonly bytes: Uint8Array }
  | { readonly type: "credit"; readonly bytes: number }
  /** This side sends nothing more. It still reads. */
  | { readonly type: "end"; readonly seq: number }
  /** The connection is gone. Neither side sends anything more. */
  | { readonly type: "reset"; readonly reason: string };

const TYPES = { data: 1, credit: 2, end: 3, reset: 4 } as const;

export const encodeFrame = (frame: Frame): Uint8Array => {
  switch (frame.type) {
    case "data":
      return withHead(TYPES.data, frame.seq, frame.bytes);
    case "credit":
      return withHead(TYPES.credit, frame.bytes);
    case "end":
      return withHead(TYPES.end, frame.seq);
    case "reset":
      return withHead(TYPES.reset, 0, new TextEncoder().encode(frame.reason).subarray(0, REASON_BYTES));
  }
};

/** Undefined for anything that `encodeFrame` does not make. */
export const decodeFrame = (message: Uint8Array): Frame | undefined => {
  if (message.length < HEAD_BYTES) return undefined;
  const number = new DataView(message.buffer, message.byteOffset).getUint32(1);
  const rest = message.subarray(HEAD_BYTES);
  switch (message[0]) {
    case TYPES.data:
      return rest.length === 0 || rest.length > CHUNK_BYTES ? undefined : { type: "data", seq: number, bytes: rest };
    case TYPES.credit:
      return rest.length > 0 || number === 0 || number > WINDOW_BYTES ? undefined : { type: "credit", bytes: number };
    case TYPES.end:
      return rest.length > 0 ? undefined : { type: "end", seq: number };
    case TYPES.reset:
      return number !== 0 || rest.length > REASON_BYTES
        ? undefined
        : { type: "reset", reason: new TextDecoder().decode(rest) };
    default:
      return undefined;
  }
};

const withHead = (type: number, number: number, rest: Uint8Array = new Uint8Array()): Uint8Array => {
  const message = new Uint8Array(HEAD_BYTES + rest.length);
  message[0] = type;
  new DataView(message.buffer).setUint32(1, number);
  message.set(rest, HEAD_BYTES);
  return message;
};
