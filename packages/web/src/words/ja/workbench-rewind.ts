import type { english } from "../en/workbench-rewind.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  actions: { write: "復元", create: "再作成", remove: "削除" },
  filesChange: "変わるファイル",
  filesStay: "そのまま残るファイル",
  alsoOutside: "このセッションの外でも変更",
  aFile: "ファイル",
  choices: {
    both: "ファイルと会話",
    code: "ファイルのみ",
    conversation: "会話のみ",
  },
  about: {
    both: "ファイルを復元し、新しいセッションでこのメッセージの前から続けます",
    code: "ファイルをこのメッセージの前の状態に復元します",
    conversation: "新しいセッションでこのメッセージの前から続けます。ファイルはそのままです",
  },
  undone: (files, stayed) =>
    `巻き戻しを取り消し、ファイル ${files} 個を復元しました。${stayed === 0 ? "" : `${stayed} 個のファイルはその後変更されたため、そのまま残りました。`}`,
  done: (files, stayed) =>
    `巻き戻しました。${files === undefined ? "" : `ファイル ${files} 個を復元しました。`}${stayed === 0 ? "" : `${stayed} 個のファイルはそのまま残りました。`}`,
  goBack: "前に戻る",
  undo: "取り消す",
  editTitle: "編集して再送信",
  title: "このメッセージの前に巻き戻す",
  editAbout: "新しいセッションでこのメッセージの前から続けます。このセッションはそのまま残ります。",
  running: "ターンの実行中です。停止するか、終わるまでお待ちください。",
  cancel: "キャンセル",
  go: "続ける",
  rewind: "巻き戻す",
  message: "メッセージ",
  what: "巻き戻す対象",
  noSnapshot: "このメッセージの前のスナップショットがありません",
  nothing: "ファイルは当時のままです。",
  wouldChange: (count) => `${count} 個のファイルが変わります:`,
  others: "このセッションの外で変更されたファイルも復元する",
  rowsStay: (count) => `このメッセージ以降の ${count} 行は、このセッションにだけ残ります。`,
  safe: "ファイルは「取り消す」で再び復元できます。セッションは削除されません。",
};
