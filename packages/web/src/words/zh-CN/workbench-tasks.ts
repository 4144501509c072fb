import type { english } from "../en/workbench-tasks.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  tasks: "任务",
  none: "这里没有 Claude 的任务列表。处理较长的工作时，它会自行创建。",
  done: "已完成 {count}",
  ofAll: (part, all) => `${part} / ${all}`,
  form: "形式",
  forms: { list: "列表", board: "看板", graph: "依赖关系" },
  tasksDone: (done, all) => `${all} 个任务中已完成 ${done} 个`,
  states: { in_progress: "进行中", pending: "待办", completed: "已完成" },
  stateWords: { in_progress: "进行中", pending: "待办", completed: "已完成" },
  notConfirmed: "尚未确认",
  waitsFor: (names) => `等待 ${names}`,
  then: (names) => `之后 ${names}`,
  changes: (count) => `${count} 次更改`,
  changesOf: (count, task) => `${task} 的 ${count} 次更改`,
  isNew: "新",
  noneWaits: "没有任务在等待其他任务。",
  dependencies: (count, sentences) => `${count} 个依赖关系：${sentences.join("；")}`,
  dependency: (task, first) => `${task} 等待 ${first}`,
  change: {
    created: "已创建",
    owner: (name) => `负责人 ${name}`,
    subject: (name) => `重命名为“${name}”`,
    description: "新的描述",
    blocks: (task) => `须先于 ${task}`,
    blockedBy: (task) => `等待 ${task}`,
  },
};
