import type { english } from "../en/parts.ts";

export const japanese: typeof english = {
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
