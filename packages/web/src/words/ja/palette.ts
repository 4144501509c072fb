import type { english } from "../en/palette.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  kinds: {
    all: "すべて",
    actions: "操作",
    sessions: "セッション",
    files: "ファイル",
    commands: "コマンド",
    settings: "設定",
  },
  here: "このセッション",
  archived: "アーカイブ済み",
  recent: "最近",
  openForFiles: "セッションを開くとファイルを検索できます。",
  typeFile: "ファイル名の一部を入力してください。",
  openForCommands: "セッションを開くとコマンドが表示されます。",
  none: (words) => `「${words}」の結果はありません。`,
  noneOf: (kind, words) => `「${words}」に一致する${kind}はありません。`,
  title: "コマンドパレット",
  label: "操作、セッション、ファイル、コマンド、設定を検索",
  placeholder: "検索または実行",
  close: "閉じる",
  kindsLabel: "種類",
  results: "結果",
  count: (count) => `${count} 件の結果`,
  move: "移動",
  open: "開く",
  next: "次の種類",
  searchAll: "すべての会話を検索",
  search: (words) => `すべての会話で「${words}」を検索`,
};
