import type { english } from "../en/sessions-rail.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  home: "Quarterdeck、ホーム",
  new: "新しいセッション",
  need: (count) => `${count} 件のセッションが対応待ち`,
  show: "セッションを表示",
  width: "セッション一覧の幅",
  hits: "会話の中",
  noHits: "一致するメッセージはありません",
  session: "セッション",
  filters: "条件を付けて検索",
};
