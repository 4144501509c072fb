import { formatBytes, formatShare } from "../words/format.ts";
import { IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import type { Attachment } from "./attachments.ts";
import { WORDS } from "./extra-words.ts";
import "./attachment-tray.css";

export interface AttachmentTrayProps {
  readonly list: readonly Attachment[];
  readonly onRemove: (key: number) => void;
  readonly onInsert: (attachment: Attachment) => void;
}

export const AttachmentTray = ({ list, onRemove, onInsert }: AttachmentTrayProps) =>
  list.length === 0 ? null : (
    <ul className="tray" aria-label={WORDS.attached}>
      {list.map((entry) => (
        <li key={entry.key} className={`tray-file tray-${entry.state}`}>
          {entry.preview === undefined || entry.state === "failed" ? (
            <span className="tray-icon">
              <Icon name="file" size={20} />
            </span>
          ) : (
            <img src={entry.preview} alt="" />
          )}
          <span className="tray-words">
            <b>{entry.name}</b>
            <small role={entry.state === "failed" ? "alert" : undefined}>{stateWords(entry)}</small>
            {entry.text !== undefined && (
              <button type="button" className="link-btn" onClick={() => onInsert(entry)}>
                {WORDS.insert}
              </button>
            )}
          </span>
          <IconButton icon="close" label={WORDS.remove(entry.name)} onClick={() => onRemove(entry.key)} />
          {entry.state === "uploading" && (
            <progress value={entry.share} max={1} aria-label={WORDS.upload(entry.name)} />
          )}
        </li>
      ))}
    </ul>
  );

const stateWords = ({ state, share, size, reason }: Attachment): string => {
  switch (state) {
    case "preparing":
      return WORDS.preparing;
    case "uploading":
      return WORDS.progress(formatShare(share), formatBytes(size));
    case "ready":
      return formatBytes(size);
    case "failed":
      return reason ?? WORDS.failed;
  }
};
