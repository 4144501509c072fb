import type { english } from "../en/workbench-hooks.ts";
import type { Translation } from "../translation.ts";

const because = (reason: string) => (reason === "" ? "" : `：${reason}`);

export const chinese: Translation<typeof english> = {
  hooks: "钩子",
  configured: "已配置",
  ended: "进程已结束。恢复会话即可查看其钩子。",
  notListed: "此版本的 Claude Code 不会列出钩子。它们在您的设置文件中。",
  allOff: "您的设置关闭了所有钩子。",
  policyOff: "托管策略关闭了钩子。",
  noneConfigured: "未配置钩子。",
  fired: "已触发",
  noneFired: "此会话中尚未触发任何钩子。",
  showInConversation: "在对话中显示",
  managed: "托管设置",
  outcomes: { blocked: "已阻止", success: "成功", error: "错误", cancelled: "已取消", runs: "运行中" },
  exit: (code) => `退出码 ${code}`,
  did: {
    blocked: (reason) => `已阻止${because(reason)}`,
    allow: (reason) => `已作答：允许了此调用${because(reason)}`,
    deny: (reason) => `已作答：拒绝了此调用${because(reason)}`,
    ask: (reason) => `要求询问人员${because(reason)}`,
    defer: (reason) => `将决定留给其他方${because(reason)}`,
    other: (decision, reason) => `已作答：${decision}${because(reason)}`,
    stopped: (reason) => `停止了本轮次${because(reason)}`,
    input: "修改了输入",
    output: "修改了输出",
    toldClaude: (text) => `告知 Claude：${text}`,
    toldYou: (text) => `告知您：${text}`,
  },
};
