import type { english } from "../en/workbench-tabs.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  changes: "更改",
  git: "Git",
  files: "文件",
  tasks: "任务",
  background: "后台",
  context: "上下文",
  cost: "费用",
  mcp: "MCP",
  hooks: "钩子",
  wire: "原始消息",
  settings: "设置",
  overview: "概览",
};
