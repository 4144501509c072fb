import type { english } from "../en/modes.ts";

const ask = {
  name: "先に確認",
  about: "ファイルの編集やコマンドの実行の前に確認します",
  allows: "プロジェクト内の読み取り。",
  asks: "変更、プログラム、ネットワーク。",
};

export const japanese: typeof english = {
  default: ask,
  plan: {
    name: "プランのみ",
    about: "読み取りと計画のみで、何も変更しません",
    allows: "プロジェクト内の読み取り。",
    asks: "変更と、プランそのもの。",
  },
  acceptEdits: {
    name: "編集を許可",
    about: "ファイルは確認なしで編集し、コマンドの前に確認します",
    allows: "プロジェクト内のファイルの読み取りと変更、およびそこでの mkdir、mv、rm などのファイルコマンド。",
    asks: "その他のプログラム、ネットワーク、MCP ツール。",
  },
  dontAsk: {
    name: "許可以外は拒否",
    about: "ルールで許可されていないものをすべて拒否します",
    allows: "ルールが許可するものと、プロジェクト内の読み取り。",
    asks: "なし。確認が必要なものは拒否されます。",
  },
  auto: {
    name: "自動",
    about: "Claude が操作ごとに判断します",
    allows: "CLI の分類器が無害と判断したもの。",
    asks: "分類器が無害と判断しなかったもの。",
  },
  bypassPermissions: {
    name: "すべて許可",
    about: "確認せずにすべて実行します",
    allows: "質問、確認ルールの対象、システム全体の削除を除くすべて。",
    asks: "質問、プラン、確認ルール。",
  },
  manual: ask,
  delegate: { ...ask, name: "エージェントに委任" },
};
