import { useMemo } from "react";
import { WORDS } from "./device-words.ts";
import { encode } from "uqr";

/** A camera is the quickest way to a phone. Black on white in both themes: some cameras read nothing else. */
export const QrCode = ({ text }: { readonly text: string }) => {
  const { data, size } = useMemo(() => encode(text, { border: 4 }), [text]);
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={WORDS.qr} shapeRendering="crispEdges">
      <path d={path} fill="#000" />
    </svg>
  );
};
