import type { english } from "../en/composer-extras.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  attached: "添付ファイル",
  insert: "テキストとして挿入",
  remove: (name) => `${name} を取り除く`,
  upload: (name) => `${name} のアップロード`,
  preparing: "準備中",
  progress: (share, size) => `${size} のうち ${share}`,
  failed: "アップロードできませんでした",
  notImage: "有効な画像ではありません",
  completions: "補完候補",
  also: (aliases) => `（別名 /${aliases.join("、/")}）`,
  opensHere: "ここで開きます",
  aside: "ちょっとした質問",
  closeAside: "質問を閉じる",
  waiting: "回答を待っています…",
  noAnswer: "回答なし",
  notStopped: "Claude Code はまだ停止していません。",
  stopHow:
    "コマンドの実行中かもしれません。プロセスを停止しても、会話、完了したステップ、変更したファイル、キューのメッセージは残ります。実行中のステップだけが失われます。次のメッセージでセッションが再開します。",
  stop: "プロセスを停止",
};
