import type { english } from "../en/budget.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  noLimit: "制限なし",
  save: "保存",
  invalid: "0 より大きい金額を入力してください（例: 5、2.50）。",
  daySpent: (share) => `今日の予算の ${share} を使用しました:`,
  sessionSpent: (share) => `このセッションの予算の ${share} を使用しました:`,
  dayAll: "今日の予算をすべて使用しました:",
  sessionAll: "このセッションの予算をすべて使用しました:",
  spentOf: (spent, limit) => `${spent} / ${limit}。`,
  stopped: "予算を上げるまでメッセージは送信されません。入力した内容はここに残ります。",
  onlyAdmin: "予算を上げられるのは管理者だけです。",
  notHere: "このデバイスでは予算を上げられません。",
  raise: "引き上げ…",
  perDay: "全セッション、1 日あたり ($)",
  perSession: "このセッションの予算 ($)",
};
