import type { english } from "../en/parts.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  close: "关闭",
  dismiss: "关闭",
  notifications: "通知",
  notLoaded: "页面的这一部分加载失败。",
  again: "重试",
  reload: "重新加载",
  copy: "复制",
  copied: "已复制",
  noCopy: "此处不允许复制",
  files: (count) => `${count} 个文件`,
};
