import type { english } from "../en/app-dialogs.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  allow: "許可",
  ask: "常に確認",
  deny: "拒否",
  states: {
    "needs-auth": "サインインが必要",
    pending: "接続中",
    connected: "接続済み",
    failed: "失敗",
    disabled: "無効",
  },
  permissions: "権限",
  rulesAbout: "このセッションのルールと、それぞれの設定場所です。",
  testRules: "ルールのテストと変更",
  loading: "読み込み中…",
  none: "なし",
  folders: "追加のフォルダー",
  servers: "MCP サーバー",
  serversAbout: "このセッションの MCP サーバーと現在の状態です。",
  refresh: "更新",
  tools: (count) => `ツール ${count} 件`,
  reconnect: "再接続",
  enable: "有効にする",
  disable: "無効にする",
  noServers: "このセッションに MCP サーバーはありません",
};
