import { Grip } from "../parts/grip.tsx";
import { RAIL_LEAST, setRailWidth } from "../store/rail-choices.ts";
import { WORDS } from "./rail-words.ts";

/** The edge of the rail. */
export const RailGrip = ({ width }: { readonly width: number | undefined }) => (
  <Grip
    label={WORDS.width}
    width={width ?? document.querySelector(".rail")?.getBoundingClientRect().width ?? 0}
    least={RAIL_LEAST}
    property="--rail"
    part=".rail"
    edge="right"
    onWidth={setRailWidth}
  />
);
