import type { english } from "../en/fleet.ts";

export const japanese: typeof english = {
  machines: "マシン",
  here: "このマシン",
  hereTip: "このページを提供しているマシン",
  quiet: "応答なし",
  awaySince: (when) => `${when} から不在`,
  shut: "アクセス不可",
  connecting: "接続中",
  needs: (count) => `${count} 件が対応待ち`,
  sessions: (count) => `${count} セッション`,
  more: (count) => `さらに ${count} 台を表示`,
  start: (machine) => `${machine} でセッションを開始`,
  machine: "マシン",
  allMachines: "すべてのマシン",
  thisMachine: (machine) => `${machine}（このマシン）`,
  named: (name, words) => `${name}：${words}`,
  lastList: "最後に確認できた内容を表示しています。何も送信されず、送信待ちにもなりません。",
  isAway: (machine, when) => `${machine} は ${when} から不在です。`,
  isQuiet: (machine) => `${machine} が応答していません。`,
  isShut: (machine) => `${machine} はこのデバイスのアクセスを許可していません。`,
  isUnknown: (machine) => `フリートに ${machine} というマシンはありません。`,
  unknownHint: "リンクが古いか、マシンがフリートから外れています。",
  smaller: (machine, role) => `${machine} では、このデバイスは${role}のみできます。`,
  allow: (gateway, role) =>
    `権限を増やすには、そのマシンで実行してください：quarterdeck fleet allow ${gateway} ${role}`,
  older: (machine, own) =>
    `${machine} の Quarterdeck は ${own} より古いバージョンです。双方が対応する機能は使えます。${machine} を更新してください。`,
  newer: (machine, own) =>
    `${machine} の Quarterdeck は ${own} より新しいバージョンです。双方が対応する機能は使えます。${own} を更新してください。`,
  refused: (machine) => `${machine} は不在です。何も送信していません。戻ってから再試行してください。`,
  forbidden: (why, machine, gateway) =>
    `${why} ${machine} の所有者が権限を増やせます：quarterdeck fleet allow ${gateway} ROLE`,
  roles: { view: "閲覧", answer: "リクエストへの回答", operate: "セッションの操作", admin: "すべての操作" },
  wasWorking: "実行中でした",
  wasWaiting: "リクエストがありました",
};
