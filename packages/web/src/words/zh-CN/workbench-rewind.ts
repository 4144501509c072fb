import type { english } from "../en/workbench-rewind.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  actions: { write: "已恢复", create: "已找回", remove: "已删除" },
  filesChange: "会更改的文件",
  filesStay: "保持原样的文件",
  alsoOutside: "在此会话之外也有更改",
  aFile: "一个文件",
  choices: {
    both: "文件和对话",
    code: "仅文件",
    conversation: "仅对话",
  },
  about: {
    both: "恢复文件，并在新会话中从此消息之前继续",
    code: "将文件恢复到此消息之前的状态",
    conversation: "在新会话中从此消息之前继续，文件保持不变",
  },
  undone: (files, stayed) =>
    `回退已撤消：恢复了 ${files} 个文件。${stayed === 0 ? "" : `${stayed} 个文件此后已更改，保持原样。`}`,
  done: (files, stayed) =>
    `已回退。${files === undefined ? "" : `恢复了 ${files} 个文件。`}${stayed === 0 ? "" : `${stayed} 个文件保持原样。`}`,
  goBack: "返回",
  undo: "撤消",
  editTitle: "编辑并重新发送",
  title: "回退到此消息之前",
  editAbout: "在新会话中从此消息之前继续。当前会话保持不变。",
  running: "轮次正在运行。请停止它，或等待其结束。",
  cancel: "取消",
  go: "继续",
  rewind: "回退",
  message: "消息",
  what: "回退什么",
  noSnapshot: "此消息之前没有快照",
  nothing: "文件与当时相同。",
  wouldChange: (count) => `将更改 ${count} 个文件：`,
  others: "同时恢复在此会话之外更改的文件",
  rowsStay: (count) => `从此消息起的 ${count} 条记录只保留在此会话中。`,
  safe: "可以通过“撤消”再次恢复文件。不会删除任何会话。",
};
