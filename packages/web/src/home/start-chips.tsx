// What a new session gets: folder, model, effort, mode. Each is a chip with a menu.

import { useState, type Ref } from "react";
import type { ResultOf } from "@quarterdeck/client";
import { modelChoicesOf } from "../composer/pickers.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu, type MenuHandle } from "../parts/menu.tsx";
import { FolderPicker } from "../sessions/folder-picker.tsx";
import { EFFORTS } from "../sessions/last-start.ts";
import type { StartForm } from "../sessions/start-settings.ts";
import { hintOf } from "../keys/key-table.ts";
import { useClient, useServerInfo } from "../store/client.tsx";
import { fleetOf } from "../store/fleet.ts";
import { useBrief } from "../store/git-briefs.ts";
import { may } from "../store/may.ts";
import { baseName, shortPath } from "../words/format.ts";
import { MODE_LIST, modelName, modeName } from "../words/names.ts";
import type { KnownHead } from "./use-known-head.ts";
import { WORDS } from "./words.ts";
import "../sessions/dialogs.css";

export type Project = ResultOf<"projects/list">["projects"][number];

export interface StartChipsProps {
  readonly form: StartForm;
  readonly known: KnownHead | undefined;
  readonly projects: readonly Project[];
  readonly onChange: (patch: Partial<StartForm>) => void;
  readonly onBrowse: () => void;
  readonly models: Ref<MenuHandle>;
}

const RECENT = 8;
const EFFORT_WORDS: Readonly<Record<string, string>> = WORDS.efforts;
const effortName = (effort: string): string => EFFORT_WORDS[effort] ?? WORDS.otherEffort(effort);

export const StartChips = ({ form, known, projects, onChange, onBrowse, models }: StartChipsProps) => {
  const client = useClient();
  const fleet = fleetOf(client);
  const home = useServerInfo()?.machine.home;
  const brief = useBrief(form.cwd);
  const choices = modelChoicesOf(known?.about ?? {});
  const model = choices.find(({ value }) => value === (form.model === "" ? "default" : form.model));
  const levels = model === undefined || model.efforts.length === 0 ? EFFORTS : ["", ...model.efforts];
  const modelWords = form.model === "" ? modelName(undefined) : (model?.name ?? modelName(form.model));
  const modeWords = form.mode === "" ? WORDS.defaultMode : modeName(form.mode);
  return (
    <>
      {fleet !== undefined && <fleet.Chip />}
      <Menu
        className="pill home-folder"
        label={WORDS.folderLabel(form.cwd === "" ? WORDS.choose : shortPath(form.cwd, home))}
        tip={form.cwd === "" ? undefined : form.cwd}
        heading={WORDS.folder}
        items={[
          ...projects.slice(0, RECENT).map(({ path, name }) => ({
            id: path,
            label: name,
            detail: shortPath(path, home),
            checked: path === form.cwd,
            run: () => onChange({ cwd: path }),
          })),
          { id: "browse", label: WORDS.other, icon: "folder" as const, apart: true, run: onBrowse },
        ]}
      >
        <Icon name="folder" size={14} />
        <span>{form.cwd === "" ? WORDS.choose : baseName(form.cwd)}</span>
        <Icon name="down" size={12} />
      </Menu>
      {brief?.branch !== undefined && (
        <span className="pill home-branch" title={WORDS.branch(brief.branch)}>
          <Icon name="fork" size={13} />
          <span className="sr-only">{WORDS.branchWord} </span>
          {brief.branch}
        </span>
      )}
      <Menu
        handle={models}
        className="pill"
        label={WORDS.modelLabel(modelWords)}
        heading={WORDS.model}
        items={choices.map(({ value, name, about, resolved }) => {
          const wanted = value === "default" ? "" : value;
          return {
            id: value,
            label: name,
            detail: about ?? resolved,
            checked: wanted === form.model,
            run: () => onChange({ model: wanted }),
          };
        })}
      >
        {modelWords}
        <Icon name="down" size={12} />
      </Menu>
      <Menu
        className="pill"
        label={WORDS.effortLabel(effortName(form.effort))}
        heading={WORDS.effort}
        items={levels.map((effort) => ({
          id: effort,
          label: effortName(effort),
          checked: effort === form.effort,
          run: () => onChange({ effort }),
        }))}
      >
        {effortName(form.effort)}
        <Icon name="down" size={12} />
      </Menu>
      <Menu
        className={`pill pill-mode-${form.mode === "" ? "default" : form.mode}`}
        label={WORDS.modeLabel(modeWords)}
        tip={WORDS.modeTip(hintOf("message.mode"))}
        heading={WORDS.mode}
        items={[
          {
            id: "",
            label: WORDS.default,
            detail: WORDS.defaultAbout,
            checked: form.mode === "",
            run: () => onChange({ mode: "" }),
          },
          ...MODE_LIST.map(({ mode, name, about }) => ({
            id: mode,
            label: name,
            detail: about,
            checked: form.mode === mode,
            disabled: !may(client, "sessions/start", { settings: { permissionMode: mode } }),
            apart: mode === "auto",
            run: () => onChange({ mode }),
          })),
        ]}
      >
        {modeWords}
        <Icon name="down" size={12} />
      </Menu>
    </>
  );
};

export const FolderDialog = ({
  cwd,
  onChoose,
  onClose,
}: {
  readonly cwd: string;
  readonly onChoose: (path: string) => void;
  readonly onClose: () => void;
}) => {
  const [path, setPath] = useState(cwd);
  return (
    <Dialog
      title={WORDS.choose}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button
            tone="main"
            disabled={path.trim() === ""}
            onClick={() => {
              onChoose(path.trim());
              onClose();
            }}
          >
            {WORDS.use}
          </Button>
        </>
      }
    >
      <FolderPicker value={path} onChange={setPath} />
    </Dialog>
  );
};
