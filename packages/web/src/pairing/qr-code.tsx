import { useMemo } from "react";
import { qrOf } from "./qr.ts";

const MARGIN = 4;

export const QrCode = ({ text }: { readonly text: string }) => {
  const grid = useMemo(() => qrOf(text), [text]);
  if (grid === undefined) return null;
  const size = grid.length + 2 * MARGIN;
  const path = grid
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + MARGIN} ${y + MARGIN}h1v1h-1z`] : [])))
    .join("");
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="The link as a QR code"
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  );
};
