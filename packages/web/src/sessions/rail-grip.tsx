import { Grip } from "../parts/grip.tsx";
import { RAIL_LEAST, setRailWidth } from "../store/rail-choices.ts";

/** The edge of the rail. */
export const RailGrip = ({ width }: { readonly width: number | undefined }) => (
  <Grip
    label="Width of the session list"
    width={width ?? document.querySelector(".rail")?.getBoundingClientRect().width ?? 0}
    least={RAIL_LEAST}
    property="--rail"
    part=".rail"
    edge="right"
    onWidth={setRailWidth}
  />
);
