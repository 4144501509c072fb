// Chooses the card of a tool call.

import { memo, useMemo, type ComponentType } from "react";
import type { Draft, ToolRow } from "@quarterdeck/client";
import { knownTool, type KnownTool } from "@quarterdeck/client/content";
import { useDraft } from "../drafts.ts";
import { later } from "../../parts/later.tsx";
import { AgentCard } from "./agent.tsx";
import { BashCard } from "./bash.tsx";
import { TodoWriteCard } from "./checklist.tsx";
import { EditCard, WriteCard } from "./edit.tsx";
import { ReadCard } from "./read.tsx";
import { GlobCard, GrepCard, prefetchResults } from "./search.tsx";
import { callOfDraft, callOfRow } from "./tool-call.ts";
import { toolHeading, ToolCard, type CallCardProps } from "./tool-card.tsx";

/** As high as a closed card. */
const TitleCard = ({ call }: CallCardProps) => <ToolCard call={call} title={toolHeading(call.name)} />;

/** Loaded with the first call that needs one of them, or soon after the first screen. */
const RareCard = later(async () => (await import("./rare-cards.tsx")).RareCard, TitleCard);

/** Cards of the first screen. */
const CARDS: Partial<Readonly<Record<KnownTool, ComponentType<CallCardProps>>>> = {
  Agent: AgentCard,
  Bash: BashCard,
  Edit: EditCard,
  Glob: GlobCard,
  Grep: GrepCard,
  MultiEdit: EditCard,
  PowerShell: BashCard,
  Read: ReadCard,
  TodoWrite: TodoWriteCard,
  Write: WriteCard,
};

export const prefetchCards = (): void => {
  prefetchResults();
  RareCard.prefetch();
};

export interface ToolViewProps {
  /** Absent while its input is being written. */
  readonly row: ToolRow | undefined;
  readonly draft: Pick<Draft, "id" | "at" | "name" | "toolUseId"> | undefined;
}

export const ToolView = memo(({ row, draft }: ToolViewProps) => {
  const live = useDraft(row === undefined ? draft?.id : undefined);
  const text = live?.text ?? "";
  const call = useMemo(
    () => (row === undefined ? callOfDraft({ ...draft!, text }) : callOfRow(row)),
    [row, draft, text],
  );
  const tool = knownTool(call.name);
  const Card = (tool === undefined ? undefined : CARDS[tool]) ?? RareCard;
  return <Card call={call} />;
});
