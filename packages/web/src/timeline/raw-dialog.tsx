import { useEffect, useState } from "react";
import type { Event, Row } from "@quarterdeck/client";
import { formatTime } from "../words/format.ts";
import { Dialog } from "../parts/dialog.tsx";
import { CopyButton } from "../parts/text-button.tsx";
import { useScope } from "./scope.tsx";
import { JsonView } from "../content/text/json-view.tsx";
import { WORDS } from "./rare-words.ts";
import "./raw-dialog.css";

/** The raw messages of a row, exactly as they came through the pipe. */
export const RawDialog = ({ row, onClose }: { readonly row: Row; readonly onClose: () => void }) => {
  const { actions } = useScope();
  const [events, setEvents] = useState<readonly Event[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let gone = false;
    actions.rawEvents(row.seqs).then(
      (found) => {
        if (!gone) setEvents(found);
      },
      (error: unknown) => {
        if (!gone) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      gone = true;
    };
  }, [actions, row.seqs]);
  return (
    <Dialog title={WORDS.raw} about={WORDS.rawAbout(row.id, row.kind)} size="wide" light onClose={onClose}>
      <div className="raw">
        {problem !== undefined && <p className="bad">{problem}</p>}
        {events === undefined && problem === undefined && <p className="faint">{WORDS.loading}</p>}
        {events?.length === 0 && <p className="faint">{WORDS.noMessages}</p>}
        {events?.map((event) => (
          <section key={event.seq}>
            <h3>
              <span className="num">#{event.seq}</span> {WORDS.ways[event.type] ?? event.type}{" "}
              <span className="faint">{formatTime(event.at)}</span>
            </h3>
            <JsonView value={"message" in event ? event.message : event} name={`raw/${event.seq}`} />
          </section>
        ))}
        <details>
          <summary>{WORDS.rowHere}</summary>
          <JsonView value={row} name={`raw/${row.id}`} />
        </details>
        {events !== undefined && events.length > 0 && (
          <CopyButton text={() => events.map((event) => JSON.stringify(event)).join("\n")} label={WORDS.copyAll} />
        )}
      </div>
    </Dialog>
  );
};
