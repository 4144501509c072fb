import type { english } from "../en/targets.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  title: "Webhook 与 ntfy",
  about:
    "适合手边没有浏览器的人。仅支持公网主机的 https；自己网络中的主机请用 {flag} 指定。对方服务器会看到您在此选择的内容。",
  secret: "此 Webhook 的签名密钥，仅此一次显示：{key}",
  targets: "目标",
  noAnswer: "没有响应。",
  sent: "测试通知已发送。",
  test: "发送测试通知",
  removeLabel: (url) => `移除：${url}`,
  remove: "移除",
  kind: "类型",
  address: "地址",
  topic: "带主题的地址",
  token: "访问令牌（可选）",
  add: "添加",
};
