import { piecesOf } from "@quarterdeck/client/content";
import { memo } from "react";
import { aboutMark } from "./about-mark.ts";
import "./true-text.css";

/** In its own direction, so that it cannot reorder the text around it. */
export const TrueText = memo(({ text }: { readonly text: string }) => (
  <bdi className="true-text" dir="ltr">
    {piecesOf(text).map((piece, at) =>
      piece.kind === "text" ? (
        piece.text
      ) : (
        <mark
          key={at}
          className="true-mark"
          title={aboutMark(piece)}
          aria-label={`${piece.label}, ${aboutMark(piece)}`}
        >
          {piece.label}
          {piece.text === "\r" ? "\n" : ""}
        </mark>
      ),
    )}
  </bdi>
));
