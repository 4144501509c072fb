import type { english } from "../en/app-dialogs.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  allow: "已允许",
  ask: "始终询问",
  deny: "已拒绝",
  states: {
    "needs-auth": "需要登录",
    pending: "正在连接",
    connected: "已连接",
    failed: "失败",
    disabled: "已禁用",
  },
  permissions: "权限",
  rulesAbout: "此会话的规则，以及每条规则的设置位置。",
  testRules: "测试和更改规则",
  loading: "正在加载…",
  none: "无",
  folders: "附加文件夹",
  servers: "MCP 服务器",
  serversAbout: "此会话的 MCP 服务器及其当前状态。",
  refresh: "刷新",
  tools: (count) => `${count} 个工具`,
  reconnect: "重新连接",
  enable: "启用",
  disable: "禁用",
  noServers: "此会话中没有 MCP 服务器",
};
