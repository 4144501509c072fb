import type { english } from "../en/sessions-rail.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  home: "Quarterdeck，首页",
  new: "新建会话",
  need: (count) => `${count} 个会话等待处理`,
  show: "显示会话",
  width: "会话列表的宽度",
  hits: "在对话中",
  noHits: "没有匹配的消息",
  session: "会话",
  filters: "使用筛选条件搜索",
};
