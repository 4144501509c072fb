import type { english } from "../en/scopes.ts";

export const chinese: typeof english = {
  names: {
    session: { name: "此会话", about: "直到其进程停止" },
    command: { name: "正在运行的斜杠命令", about: "命令运行期间" },
    cliArg: { name: "命令行", about: "直到其进程停止" },
    policySettings: { name: "您的组织", about: "由管理员设置" },
    flagSettings: { name: "--settings 选项", about: "直到其进程停止" },
    localSettings: { name: "此项目，仅自己", about: "不签入仓库" },
    projectSettings: { name: "此项目，共享", about: "随仓库共享" },
    userSettings: { name: "您的所有项目", about: "在各处生效" },
  },
  unknown: "未知来源",
  thisSession: "仅此会话",
  line: (place, line) => `${place}，第 ${line} 行`,
};
