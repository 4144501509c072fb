import type { english } from "../en/targets.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  title: "Webhook と ntfy",
  about:
    "手元にブラウザーがない人向けです。公開ホストの https のみ使えます。自分のネットワークのホストは {flag} で指定してください。ここで選んだ内容は相手のサーバーに送られます。",
  secret: "この Webhook の署名用の鍵です。表示されるのは今だけです: {key}",
  targets: "送信先",
  noAnswer: "応答がありません。",
  sent: "テスト通知を送信しました。",
  test: "テスト通知を送信",
  removeLabel: (url) => `削除: ${url}`,
  remove: "削除",
  kind: "種類",
  address: "アドレス",
  topic: "トピック付きのアドレス",
  token: "アクセストークン（任意）",
  add: "追加",
};
