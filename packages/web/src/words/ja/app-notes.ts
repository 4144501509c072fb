import type { english } from "../en/app-notes.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  notFound: "セッションが見つかりません",
  notShown: "このセッションを表示できません",
  deleted: "削除されたか、別のマシンにあります。",
  all: "すべてのセッション",
  browse: "ターミナルのセッションを見る",
  bySignal: (signal) => `Claude Code が予期せず停止しました（シグナル ${signal}）。`,
  byCode: (code) => `Claude Code が予期せず停止しました（終了コード ${code}）。`,
  stopped: "Claude Code は動いていません。",
  safe: "会話は保存されています。",
  archived: "このセッションはアーカイブされています。",
  hidden: "一覧には表示されませんが、読んだり続けたりできます。",
  held: "ターミナルで使用中です。",
  follow: "ここで様子を見ることができます。",
  answers: "このデバイスでは閲覧とリクエストへの回答ができます。",
  readOnly: "このデバイスは読み取り専用です。",
  role: "メッセージを送るには、管理者のデバイスから別の役割でペアリングし直してください。",
  away: "ターミナルで続いています。",
  awayHow: "そこでの内容はここにも表示されます。開くには次のコマンドを貼り付けます。",
  takeBack: "取り戻す",
};
