import type { english } from "../en/timeline-tools.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  question: "質問",
  openFile: "ファイルを開く",
  goTo: (tool) => `${tool} は対応が必要です: リクエストへ移動`,
  reason: (reason) => `理由: ${reason}`,
  said: (device, reason) => `${device ?? "あなた"}の説明: ${reason}`,
  error: "エラー",
  states: {
    writing: "書き込み中",
    asking: "対応が必要です",
    running: "実行中",
    failed: "失敗",
    denied: "拒否",
    interrupted: "停止",
    unfinished: "結果なし",
  },
  edited: "実行前に編集",
  answers: {
    AskUserQuestion: { allow: "回答", deny: "スキップ" },
    ExitPlanMode: { allow: "承認", deny: "プランを継続" },
  },
  allowed: "許可",
  on: (answer, device) => `${device} で${answer}`,
  you: (answer) => `あなたが${answer}`,
  youAllowed: "あなたが許可",
  youDenied: "あなたが拒否",
  decided: ({ isAllowed, decider, policy, rule, mode, isAnswered }) => {
    const done = isAllowed ? "許可" : "拒否";
    switch (decider) {
      case "policy":
        return `あなたのポリシーが${done}: ${policy ?? "不明"}`;
      case "rule":
        return rule === undefined ? `ルールが${done}` : `ルール ${rule} が${done}`;
      case "mode":
        return mode === undefined ? `権限モードが${done}` : `モード「${mode}」が${done}`;
      case "read-only":
        return "読み取りのみのため確認なし";
      case "hook":
        return `フックが${done}`;
      case "classifier":
        return `自動モードが${done}`;
      default:
        return isAnswered ? done : `確認なしで${done}`;
    }
  },
  inBackground: "バックグラウンド",
  exit: (code) => `終了コード ${code}`,
  claim: "Claude の説明:",
  output: "出力",
  timedOut: (seconds) => `${seconds} 秒でタイムアウトしました。`,
  timesOut: (seconds) => `${seconds} 秒でタイムアウトします。`,
  saved: (size) => `全出力${size === undefined ? "" : ` (${size})`} は {path} にあります。これは先頭部分です。`,
  copyPath: "パスをコピー",
  runs: "バックグラウンドで実行中",
  background: (status) => `バックグラウンド: ${status}`,
  ended: "終了",
  statuses: {
    cancelled: "キャンセル済み",
    completed: "完了",
    ended: "終了",
    failed: "失敗",
    in_progress: "進行中",
    killed: "強制終了",
    pending: "未着手",
    running: "実行中",
    stopped: "停止",
  },
  showOutput: "出力を表示",
  endOf: (size) => `${size} の出力の末尾です。`,
  noOutputYet: "まだ出力なし",
  calls: (calls) => `ツール呼び出し ${calls} 回`,
  of: (description) => `${description ?? "エージェント"} の会話`,
  report: "レポート",
  replaceAll: "すべて置換",
  changed: "あなたが変更",
  notApplied: "未適用",
  requested: "リクエストされた編集（行番号は相対的）",
  newFile: "新規ファイル",
  pages: (pages) => ` ${pages} ページ`,
  fromLine: (line) => ` ${line} 行目から`,
  lines: (from, to) => ` ${from}～${to} 行目`,
  read: (lines, all) => (all === undefined ? `${lines} 行` : `${all} 行中 ${lines} 行`),
  image: "画像",
  cells: (cells) => `${cells} セル`,
  pageCount: (pages) => `${pages} ページ`,
  empty: "ファイルは空です。",
  asImages: (pages, first) =>
    `${pages} ページ${first === undefined ? "" : `（${first} ページから）`}を画像として {folder} に保存`,
  pdf: (size) => `PDF${size === undefined ? "" : `、${size}`}。`,
  open: "開く",
  download: "ダウンロード",
  files: (files, isCut) => (files === 0 ? "ファイルなし" : `${files} ファイル${isCut ? "、省略あり" : ""}`),
  matches: (matches, isCut) => (matches === 0 ? "一致なし" : `${matches} 件の一致${isCut ? "、省略あり" : ""}`),
  in: " 場所: ",
  inType: (type) => `（${type} ファイル）`,
  ignoreCase: "（大文字小文字を区別しない）",
  tasks: { completed: "完了", in_progress: "進行中", pending: "未着手", deleted: "削除済み" },
  doneOf: (done, all) => `${done} / ${all}`,
  taskList: "タスク一覧",
};
