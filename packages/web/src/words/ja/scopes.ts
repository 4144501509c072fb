import type { english } from "../en/scopes.ts";

export const japanese: typeof english = {
  names: {
    session: { name: "このセッション", about: "プロセスが停止するまで" },
    command: { name: "実行中のスラッシュコマンド", about: "コマンドの実行中" },
    cliArg: { name: "コマンドライン", about: "プロセスが停止するまで" },
    policySettings: { name: "組織", about: "管理者が設定" },
    flagSettings: { name: "--settings オプション", about: "プロセスが停止するまで" },
    localSettings: { name: "このプロジェクト（自分のみ）", about: "リポジトリに含めない" },
    projectSettings: { name: "このプロジェクト（共有）", about: "リポジトリで共有" },
    userSettings: { name: "自分のすべてのプロジェクト", about: "どこでも適用" },
  },
  unknown: "不明な出所",
  thisSession: "このセッションのみ",
  line: (place, line) => `${place}、${line} 行目`,
};
