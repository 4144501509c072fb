import type { english } from "../en/parts.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  close: "閉じる",
  dismiss: "閉じる",
  notifications: "通知",
  notLoaded: "ページのこの部分を読み込めませんでした。",
  again: "再試行",
  reload: "再読み込み",
  copy: "コピー",
  copied: "コピーしました",
  noCopy: "ここではコピーできません",
  files: (count) => `${count} ファイル`,
};
