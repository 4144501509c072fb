import type { english } from "../en/palette.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  kinds: {
    all: "全部",
    actions: "操作",
    sessions: "会话",
    files: "文件",
    commands: "命令",
    settings: "设置",
  },
  here: "此会话",
  archived: "已归档",
  recent: "最近",
  openForFiles: "打开会话即可查找其文件。",
  typeFile: "请输入文件名的一部分。",
  openForCommands: "打开会话即可查看其命令。",
  none: (words) => `没有“${words}”的结果。`,
  noneOf: (kind, words) => `没有与“${words}”匹配的${kind}。`,
  title: "命令面板",
  label: "搜索操作、会话、文件、命令和设置",
  placeholder: "搜索或运行",
  close: "关闭",
  kindsLabel: "类型",
  results: "结果",
  count: (count) => `${count} 个结果`,
  move: "移动",
  open: "打开",
  next: "下一类型",
  searchAll: "搜索所有对话",
  search: (words) => `在所有对话中搜索“${words}”`,
};
