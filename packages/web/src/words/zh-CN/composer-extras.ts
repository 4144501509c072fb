import type { english } from "../en/composer-extras.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  attached: "已附加的文件",
  insert: "作为文本插入",
  remove: (name) => `移除 ${name}`,
  upload: (name) => `上传 ${name}`,
  preparing: "正在准备",
  progress: (share, size) => `${share}，共 ${size}`,
  failed: "上传失败",
  notImage: "不是有效的图片",
  completions: "补全",
  also: (aliases) => `（也可用 /${aliases.join("、/")}）`,
  opensHere: "在此打开",
  aside: "旁支问题",
  closeAside: "关闭旁支问题",
  waiting: "正在等待回答…",
  noAnswer: "没有回答",
  notStopped: "Claude Code 尚未停止。",
  stopHow:
    "它可能正忙于执行命令。如果停止进程，对话、已完成的步骤、已更改的文件和排队的消息都会保留，只有正在运行的步骤会丢失。下一条消息会恢复会话。",
  stop: "停止进程",
};
