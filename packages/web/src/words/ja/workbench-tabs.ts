import type { english } from "../en/workbench-tabs.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  changes: "変更",
  git: "Git",
  files: "ファイル",
  tasks: "タスク",
  background: "バックグラウンド",
  context: "コンテキスト",
  cost: "コスト",
  mcp: "MCP",
  hooks: "フック",
  wire: "生メッセージ",
  settings: "設定",
  overview: "概要",
};
