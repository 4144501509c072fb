import type { english } from "../en/sessions-devices.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  roles: {
    view: "閲覧のみ",
    answer: "リクエストに回答",
    operate: "送信と回答",
    admin: "管理者",
  },
  ownRole: (role) => `このデバイスの役割: ${role}。デバイスの確認と変更は管理者だけができます。`,
  revoked: (name) => `「${name}」のアクセスを取り消しました。`,
  devices: "デバイス",
  thisDevice: "このデバイス",
  connected: "接続中",
  program: "プログラム",
  browser: "ブラウザー",
  neverActive: "使用なし",
  active: (when) => `最終使用: ${when}`,
  lockOut: "このデバイスを締め出しますか？",
  confirm: "確認",
  revoke: "取り消し",
  label: (action, name) => `${action}: ${name}`,
  newRole: "新しいデバイス: 役割",
  create: "リンクを作成",
  another: "もう 1 つ作成",
  openLink: "新しいデバイスでこのリンクを開いてください。使えるのは 1 回だけです。",
  onlyHere: "このリンクはこのマシンでのみ使えるため、QR コードはありません。使えるのは 1 回だけです。",
  forPhone:
    "スマートフォンで使うには、そこから到達できるアドレスで Quarterdeck を開き、リンクを作成してください。Tailscale では {serve} を実行し、{restart} で再起動します。ほかの方法は {help} で確認できます。",
  pairingLink: "ペアリングリンク",
  copied: "リンクをコピーしました。",
  copy: "コピー",
  expires: (span) => `${span}後に期限切れ`,
  expired: "リンクの期限が切れました。",
  reach: "スマートフォンからこのサーバーへの接続",
  needsHttps:
    "スマートフォンからこのアドレスには接続できません。HTTPS が必要です。方法は {help} で確認できます（例: Tailscale）。",
  tailscale: (name) =>
    `スマートフォンからこのアドレスにはまだ接続できません。このマシンの Tailscale 名は ${name} です。サーバーのマシンで次を実行してください:`,
  qr: "リンクの QR コード",
};
