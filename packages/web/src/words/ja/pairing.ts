import type { english } from "../en/pairing.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  pair: "このブラウザーをペアリング",
  pairAgain: "もう一度ペアリング",
  keepPairing: "現在のペアリングを維持",
  notPaired: "このブラウザーはまだペアリングされていません",
  ownKey:
    "専用の鍵が作られ、このブラウザーの外に出ることはありません。「設定 > デバイス」でいつでもアクセスを取り消せます。",
  createLink:
    "ペアリング済みのブラウザーの「設定 > デバイス」でリンクを作成するか、Quarterdeck のあるマシンで次を実行してください:",
  linkOrCode: "リンクまたはコード",
  deviceName: "デバイス名",
  browser: "ブラウザー",
};
