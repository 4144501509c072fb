import type { english } from "../en/worker.ts";

export const chinese: typeof english = {
  allow: "允许",
  deny: "拒绝",
  unknown: "有新动态。请打开页面查看。",
  elsewhere: "已在别处回答。",
  removed: "此设备已从服务器中移除。",
  notAnswered: "未能回答",
  notPaired: "此浏览器已不再配对。",
};
