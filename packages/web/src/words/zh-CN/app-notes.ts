import type { english } from "../en/app-notes.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  notFound: "未找到会话",
  notShown: "无法显示此会话",
  deleted: "它已被删除，或在另一台机器上。",
  all: "所有会话",
  browse: "浏览终端会话",
  bySignal: (signal) => `Claude Code 意外停止（信号 ${signal}）。`,
  byCode: (code) => `Claude Code 意外停止（退出代码 ${code}）。`,
  stopped: "Claude Code 未在运行。",
  safe: "对话已安全保存。",
  archived: "此会话已归档。",
  hidden: "它在列表中隐藏，但仍可阅读和继续。",
  held: "在终端中打开。",
  follow: "您可以在这里跟随查看。",
  answers: "此设备可以阅读和回答请求。",
  readOnly: "此设备为只读。",
  role: "要发送消息，请在管理员设备上用其他角色重新配对。",
  away: "正在终端中继续。",
  awayHow: "那里发生的内容会显示在这里。粘贴此命令以打开它：",
  takeBack: "收回",
};
