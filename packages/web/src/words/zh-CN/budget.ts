import type { english } from "../en/budget.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  noLimit: "无限制",
  save: "保存",
  invalid: "请输入大于零的金额，例如 5 或 2.50。",
  daySpent: (share) => `今日预算已用 ${share}：`,
  sessionSpent: (share) => `此会话的预算已用 ${share}：`,
  dayAll: "今日预算已全部用完：",
  sessionAll: "此会话的预算已全部用完：",
  spentOf: (spent, limit) => `${spent} / ${limit}。`,
  stopped: "提高预算之前不会发送消息。已写的内容会保留在这里。",
  onlyAdmin: "只有管理员可以提高预算。",
  notHere: "此设备无法提高预算。",
  raise: "提高…",
  perDay: "所有会话，每天 ($)",
  perSession: "此会话的预算 ($)",
};
