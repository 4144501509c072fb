import type { english } from "../en/workbench-tasks.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  tasks: "タスク",
  none: "ここには Claude のタスクリストがありません。長い作業では Claude が自動的に作成します。",
  done: "{count} 完了",
  ofAll: (part, all) => `${part} / ${all}`,
  form: "表示形式",
  forms: { list: "リスト", board: "ボード", graph: "依存関係" },
  tasksDone: (done, all) => `タスク ${all} 件中 ${done} 件完了`,
  states: { in_progress: "進行中", pending: "未着手", completed: "完了" },
  stateWords: { in_progress: "進行中", pending: "未着手", completed: "完了" },
  notConfirmed: "未確認",
  waitsFor: (names) => `${names} の完了待ち`,
  then: (names) => `次は ${names}`,
  changes: (count) => `変更 ${count} 件`,
  changesOf: (count, task) => `${task} の変更 ${count} 件`,
  isNew: "新規",
  noneWaits: "ほかのタスクを待っているタスクはありません。",
  dependencies: (count, sentences) => `依存関係 ${count} 件: ${sentences.join("、")}`,
  dependency: (task, first) => `${task} は ${first} の完了待ち`,
  change: {
    created: "作成",
    owner: (name) => `担当 ${name}`,
    subject: (name) => `名前を「${name}」に変更`,
    description: "新しい説明",
    blocks: (task) => `${task} より先に必要`,
    blockedBy: (task) => `${task} の完了待ち`,
  },
};
