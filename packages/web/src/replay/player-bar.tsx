// The time line: play, pause, speed, steps, and a line to drag on.

import { Button } from "../parts/button.tsx";
import { locale } from "../words/language.ts";
import type { StepKind, Tape } from "./replay-time.ts";
import { WORDS } from "./words.ts";

export interface Player {
  /** Milliseconds of the replay. */
  readonly place: number;
  readonly plays: boolean;
  readonly speed: number;
  readonly setSpeed: (speed: number) => void;
  readonly seek: (place: number) => void;
  readonly step: (by: 1 | -1, kind?: StepKind) => void;
  readonly toggle: () => void;
}

const SPEEDS = [1, 2, 4, 8, 16];
const MOST_MARKS = 200;

export const PlayerBar = ({
  player,
  tape,
  count,
}: {
  readonly player: Player;
  readonly tape: Tape;
  readonly count: number;
}) => {
  const { place, plays, speed, setSpeed, seek, step, toggle } = player;
  const { duration, steps } = tape;
  const at = steps[Math.max(0, count - 1)]?.at ?? 0;
  const words = WORDS.at(count, steps.length, new Date(at).toLocaleTimeString(locale));
  const prompts = steps.filter(({ kind }) => kind === "prompt");
  return (
    <div className="player" role="group" aria-label={WORDS.timeLine}>
      <Button small onClick={() => step(-1, "prompt")} aria-label={WORDS.previousPrompt} tip="Shift+←">
        {WORDS.toPrevious}
      </Button>
      <Button small tone="main" onClick={toggle} aria-label={plays ? WORDS.pause : WORDS.play} tip={WORDS.space}>
        {plays ? WORDS.pause : WORDS.play}
      </Button>
      <Button small onClick={() => step(1, "prompt")} aria-label={WORDS.nextPrompt} tip="Shift+→">
        {WORDS.toNext}
      </Button>
      <Button small onClick={() => step(1, "tool")} aria-label={WORDS.nextTool} tip="T">
        {WORDS.toTool}
      </Button>
      <div className="player-line">
        <input
          type="range"
          min={0}
          max={Math.max(1, Math.round(duration))}
          step={1}
          value={Math.round(Math.min(place, duration))}
          aria-label={WORDS.time}
          aria-valuetext={words}
          onChange={(event) => seek(Number(event.target.value))}
        />
        <div className="player-marks" aria-hidden="true">
          {prompts.slice(0, MOST_MARKS).map((prompt, index) => (
            <i key={index} style={{ left: `${(100 * prompt.place) / Math.max(1, duration)}%` }} />
          ))}
        </div>
      </div>
      <output className="num" aria-live="off">
        {words}
      </output>
      <select
        className="input"
        aria-label={WORDS.speed}
        value={speed}
        onChange={(event) => setSpeed(Number(event.target.value))}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={one}>
            {one}×
          </option>
        ))}
      </select>
    </div>
  );
};
