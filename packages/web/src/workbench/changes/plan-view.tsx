import type { ResultOf } from "@quarterdeck/client";
import { LineCounts } from "../../parts/line-counts.tsx";
import { shownPath } from "../../timeline/paths.ts";
import { REWIND_WORDS } from "./rewind-words.ts";
import "./plan.css";

type Plan = ResultOf<"revert/preview">;

export interface PlanViewProps {
  readonly plan: Plan;
  readonly cwd: string | undefined;
  /** Paths that the person wants to keep as they are. */
  readonly kept?: ReadonlySet<string>;
  readonly onKeep?: (path: string, keeps: boolean) => void;
}

/** The files of a dry run, and those that would stay as they are. */
export const PlanView = ({ plan, cwd, kept, onKeep }: PlanViewProps) => (
  <>
    {plan.files.length > 0 && (
      <ul className="file-plan" aria-label={REWIND_WORDS.filesChange}>
        {plan.files.map(({ path, action, added, removed, by }) => (
          <li key={path}>
            <label>
              {onKeep !== undefined && (
                <input
                  type="checkbox"
                  checked={kept?.has(path) !== true}
                  onChange={(event) => onKeep(path, !event.target.checked)}
                />
              )}
              <span className="mono plan-path">{shownPath(path, cwd)}</span>
            </label>
            <span className="plan-end">
              {by.includes("outside") && <span className="faint">{REWIND_WORDS.alsoOutside}</span>}
              <span className="num">
                <LineCounts {...{ added, removed }} />
              </span>
              {REWIND_WORDS.actions[action]}
            </span>
          </li>
        ))}
      </ul>
    )}
    {plan.left.length > 0 && (
      <ul className="file-plan plan-left" aria-label={REWIND_WORDS.filesStay}>
        {plan.left.map(({ path, reason }, at) => (
          <li key={path ?? at}>
            <span className="mono plan-path">{path === undefined ? REWIND_WORDS.aFile : shownPath(path, cwd)}</span>
            <span className="plan-end">{reason}</span>
          </li>
        ))}
      </ul>
    )}
  </>
);
