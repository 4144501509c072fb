import { expect, it } from "vitest";
import * as ws from "ws";
import { binaryFrameOf, bytesOfFrame, frameOf, payloadOf } from "./wire-frame.ts";

const { Sender } = ws as unknown as { Sender: { frame(data: Buffer, options: never): unknown } };

it.each([0, 1, 125, 126, 127, 16_383, 16_384, 65_535, 65_536, 70_000])(
  "[B10] a frame of %i bytes has the bytes that ws makes",
  (length) => {
    for (const text of ["x".repeat(length), "ü".repeat(length >> 1) + "x".repeat(length & 1)]) {
      for (const [opcode, frame] of [[1, frameOf(text)] as const, [2, binaryFrameOf(text)] as const]) {
        const how = { fin: true, opcode, mask: false, readOnly: true, rsv1: false } as never;
        const parts = Sender.frame(Buffer.from(text), how) as Buffer[];
        expect(bytesOfFrame(frame)).toEqual(Buffer.concat(parts));
        expect(payloadOf(frame).toString("utf8")).toBe(text);
        expect(frame.length).toBe(text.length);
      }
    }
  },
);
