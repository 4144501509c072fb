import type { english } from "../en/replay.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  replay: "リプレイ",
  title: (session) => `リプレイ: ${session}`,
  session: "セッション",
  back: "セッションに戻る",
  failed: "このセッションはリプレイできません",
  again: "もう一度試す",
  loading: "リプレイを読み込み中",
  nothing: "このセッションにはまだリプレイする内容がありません。",
  messages: "メッセージ",
  timeLine: "タイムライン",
  previousPrompt: "前のプロンプト",
  toPrevious: "‹ プロンプト",
  pause: "一時停止",
  play: "再生",
  nextPrompt: "次のプロンプト",
  toNext: "プロンプト ›",
  nextTool: "次のツール呼び出し",
  toTool: "ツール ›",
  time: "時刻",
  speed: "速度",
  space: "スペース",
  at: (step, steps, time) => `${step} / ${steps} · ${time}`,
};
