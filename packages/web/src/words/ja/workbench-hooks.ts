import type { english } from "../en/workbench-hooks.ts";
import type { Translation } from "../translation.ts";

const because = (reason: string) => (reason === "" ? "" : `: ${reason}`);

export const japanese: Translation<typeof english> = {
  hooks: "フック",
  configured: "設定済み",
  ended: "プロセスは終了しました。フックを見るにはセッションを再開してください。",
  notListed: "このバージョンの Claude Code はフックを一覧できません。フックは設定ファイルにあります。",
  allOff: "設定ですべてのフックがオフになっています。",
  policyOff: "管理ポリシーによりフックがオフになっています。",
  noneConfigured: "フックは設定されていません。",
  fired: "実行履歴",
  noneFired: "このセッションではまだフックが実行されていません。",
  showInConversation: "会話で表示",
  managed: "管理設定",
  outcomes: { blocked: "ブロック", success: "成功", error: "エラー", cancelled: "キャンセル", runs: "実行中" },
  exit: (code) => `終了コード ${code}`,
  did: {
    blocked: (reason) => `ブロックしました${because(reason)}`,
    allow: (reason) => `回答しました: 呼び出しを許可${because(reason)}`,
    deny: (reason) => `回答しました: 呼び出しを拒否${because(reason)}`,
    ask: (reason) => `人への確認を求めました${because(reason)}`,
    defer: (reason) => `判断をほかに委ねました${because(reason)}`,
    other: (decision, reason) => `回答しました: ${decision}${because(reason)}`,
    stopped: (reason) => `ターンを停止しました${because(reason)}`,
    input: "入力を変更しました",
    output: "出力を変更しました",
    toldClaude: (text) => `Claude に伝えました: ${text}`,
    toldYou: (text) => `お知らせ: ${text}`,
  },
};
