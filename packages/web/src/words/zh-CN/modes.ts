import type { english } from "../en/modes.ts";

const ask = {
  name: "先询问",
  about: "编辑文件或运行命令前询问",
  allows: "读取项目内的文件。",
  asks: "更改、程序和网络。",
};

export const chinese: typeof english = {
  default: ask,
  plan: {
    name: "仅计划",
    about: "只读取和计划，不做更改",
    allows: "读取项目内的文件。",
    asks: "更改，以及计划本身。",
  },
  acceptEdits: {
    name: "接受编辑",
    about: "编辑文件不询问，运行命令前询问",
    allows: "读取和更改项目内的文件，以及在其中运行 mkdir、mv、rm 等文件命令。",
    asks: "其他程序、网络和 MCP 工具。",
  },
  dontAsk: {
    name: "未允许则拒绝",
    about: "拒绝没有规则允许的一切",
    allows: "规则允许的操作，以及读取项目内的文件。",
    asks: "无：需要询问的操作一律拒绝。",
  },
  auto: {
    name: "自动",
    about: "由 Claude 判断每个操作",
    allows: "CLI 的分类器认为无害的操作。",
    asks: "分类器不认为无害的操作。",
  },
  bypassPermissions: {
    name: "全部允许",
    about: "运行一切，不询问",
    allows: "除问题、询问规则所列内容和删除整个系统之外的一切。",
    asks: "问题、计划和询问规则。",
  },
  manual: ask,
  delegate: { ...ask, name: "委派给代理" },
};
