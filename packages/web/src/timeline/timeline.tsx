import type { SessionSnapshot, SessionView } from "@quarterdeck/client";
import type { RowTarget, SessionActions } from "../app/session-actions.ts";

export interface TimelineProps {
  readonly view: SessionView;
  readonly snapshot: SessionSnapshot;
  readonly actions: SessionActions;
  /** Go to this row; a new object is a new visit. */
  readonly target: RowTarget | undefined;
}

export const Timeline = ({ snapshot }: TimelineProps) => (
  <ol className="timeline">
    {snapshot.rows.map((row) => (
      <li key={row.id}>{"text" in row ? row.text : row.kind}</li>
    ))}
  </ol>
);
