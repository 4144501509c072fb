// The board's head: layout, filters and saved views.

import { useState, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { useMachines } from "../store/machines.ts";
import { toast } from "../parts/toast.tsx";
import { baseName } from "../words/format.ts";
import {
  DEFAULT_CHOICE,
  sameChoice,
  BOARD_STATES,
  STATE_WORDS,
  type BoardChoice,
  type SavedView,
} from "./board-model.ts";
import { chooseOnBoard, removeView, saveView } from "./board-store.ts";
import { WORDS } from "./words.ts";

const AGES: readonly (readonly [days: number, words: string])[] = ([0, 1, 7, 30] as const).map((days) => [
  days,
  WORDS.ages[days],
]);

export interface BoardBarProps {
  readonly choice: BoardChoice;
  readonly views: readonly SavedView[];
  readonly projects: readonly string[];
  readonly menu: ReactNode;
}

const Chip = ({
  label,
  words,
  items,
}: {
  readonly label: string;
  readonly words: string;
  readonly items: readonly MenuItem[];
}) => (
  <Menu className="pill" label={WORDS.chip(label, words)} heading={label} items={items}>
    {words}
    <Icon name="down" size={13} />
  </Menu>
);

export const BoardBar = ({ choice, views, projects, menu }: BoardBarProps) => {
  const [naming, setNaming] = useState(false);
  const machines = useMachines();
  const now = views.find((view) => sameChoice(view.choice, choice));
  const age = AGES.find(([days]) => days === choice.days)?.[1] ?? WORDS.age(choice.days);
  const isDefault = sameChoice(choice, DEFAULT_CHOICE);
  return (
    <header className="head board-bar">
      {menu}
      <h1>{WORDS.title}</h1>
      <div className="segments" role="radiogroup" aria-label={WORDS.layout}>
        {(["board", "table"] as const).map((layout) => (
          <label key={layout}>
            <input
              type="radio"
              name="board-layout"
              checked={choice.layout === layout}
              onChange={() => chooseOnBoard({ layout })}
            />
            {layout === "board" ? WORDS.title : WORDS.table}
          </label>
        ))}
      </div>
      <div className="board-filters">
        {machines.length > 1 && (
          <Chip
            label={WORDS.machine}
            words={choice.machine === "" ? WORDS.allMachines : choice.machine}
            items={[{ name: "", words: "" }, ...machines].map(({ name, words }) => ({
              id: name,
              label: name === "" ? WORDS.allMachines : name,
              ...(words !== "" && { detail: words }),
              checked: name === choice.machine,
              run: () => chooseOnBoard({ machine: name }),
            }))}
          />
        )}
        <Chip
          label={WORDS.project}
          words={choice.project === "" ? WORDS.allProjects : baseName(choice.project)}
          items={["", ...projects].map((project) => ({
            id: project,
            label: project === "" ? WORDS.allProjects : baseName(project),
            ...(project !== "" && { detail: project }),
            checked: project === choice.project,
            run: () => chooseOnBoard({ project }),
          }))}
        />
        <Chip
          label={WORDS.state}
          words={choice.state === "" ? WORDS.allStates : STATE_WORDS[choice.state].name}
          items={(["", ...BOARD_STATES] as const).map((state) => ({
            id: state,
            label: state === "" ? WORDS.allStates : STATE_WORDS[state].name,
            checked: state === choice.state,
            run: () => chooseOnBoard({ state }),
          }))}
        />
        <Chip
          label={WORDS.used}
          words={age}
          items={AGES.map(([days, words]) => ({
            id: String(days),
            label: words,
            checked: days === choice.days,
            run: () => chooseOnBoard({ days }),
          }))}
        />
        <Button
          small
          tone="quiet"
          aria-pressed={choice.archived}
          onClick={() => chooseOnBoard({ archived: !choice.archived })}
        >
          {WORDS.archived}
        </Button>
      </div>
      <div className="head-end">
        <input
          type="search"
          className="input board-find"
          aria-label={WORDS.filterLabel}
          placeholder={WORDS.filter}
          value={choice.query}
          maxLength={200}
          onChange={(event) => chooseOnBoard({ query: event.target.value })}
        />
        <Chip
          label={WORDS.view}
          words={now?.name ?? (isDefault ? WORDS.byState : WORDS.changed)}
          items={[
            { id: "default", label: WORDS.byState, checked: isDefault, run: () => chooseOnBoard(DEFAULT_CHOICE) },
            ...views.map((view) => ({
              id: `view ${view.name}`,
              label: view.name,
              checked: view === now,
              run: () => chooseOnBoard(view.choice),
            })),
            { id: "save", label: WORDS.saveView, apart: true, run: () => setNaming(true) },
            ...(now === undefined
              ? []
              : [
                  {
                    id: "remove",
                    label: WORDS.remove(now.name),
                    run: () => {
                      removeView(now.name);
                      toast(WORDS.removed(now.name), {
                        action: { label: WORDS.undo, run: () => saveView(now.name, now.choice) },
                      });
                    },
                  },
                ]),
          ]}
        />
      </div>
      {naming && <NameDialog onClose={() => setNaming(false)} />}
    </header>
  );
};

const NameDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("");
  return (
    <Dialog
      title={WORDS.saveTitle}
      size="small"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button tone="main" type="submit" form="board-view" disabled={name.trim() === ""}>
            {WORDS.save}
          </Button>
        </>
      }
    >
      <form
        id="board-view"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === "") return;
          saveView(name);
          onClose();
        }}
      >
        <label className="field">
          <span>{WORDS.name}</span>
          <input
            className="input"
            data-autofocus
            maxLength={60}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <p className="note">{WORDS.saveAbout}</p>
      </form>
    </Dialog>
  );
};
