import type { english } from "../en/worker.ts";

export const japanese: typeof english = {
  allow: "許可",
  deny: "拒否",
  unknown: "新しい出来事があります。ページを開いて確認してください。",
  elsewhere: "別の場所で回答されました。",
  removed: "このデバイスはサーバーから削除されました。",
  notAnswered: "回答できませんでした",
  notPaired: "このブラウザーのペアリングは解除されています。",
};
