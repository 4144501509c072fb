import type { english } from "../en/notify.ts";
import type { Translation } from "../translation.ts";

export const japanese: Translation<typeof english> = {
  events: {
    waiting: "Claude が対応を待つとき",
    finished: "ターンが完了したとき",
    failed: "ターンが失敗したとき",
  },
  hide: "内容を隠す（セッション、コマンド、ボタンなし）",
  quiet: "通知しない時間帯",
  from: "開始",
  to: "終了",
  blocked: "ブラウザーがこのページの通知をブロックしています。ブラウザーのサイト設定で許可してください。",
  noAnswer: "応答なし",
  sent: "テスト通知を送信しました。",
  push: "プッシュ通知",
  cannotPush:
    "このブラウザーはここでプッシュ通知を受け取れません。HTTPS かこのマシンでの利用が必要です。iPhone ではページをホーム画面に追加してください。",
  pushHere: "このブラウザーにプッシュ通知を送る",
  pushAbout:
    "誰もページを見ていないときに送られます。このページを閉じていても届きます。暗号化されており、ブラウザーのプッシュサービスは読めません。",
  test: "テスト通知を送信",
  muteSession: (title) => `このセッションの通知を止める: ${title}`,
  muteProject: (name) => `このプロジェクトの通知を止める: ${name}`,
  muteMachine: (name) => `このマシンの通知を止める: ${name}`,
  muted: (count) => `ほかに ${count} 件の通知を止めています。`,
  unmute: "すべて再開",
  offline: "オフラインでの閲覧",
  keep: "最近のセッションをオフラインでも読めるようにする",
  keepOn:
    "最近開いた 10 件のセッションの最後の 60 メッセージを、暗号化せずに 1 週間このブラウザーに保存します。この設定をオフにするか、このデバイスが取り消されると削除されます。",
  keepOff: "オフ: このブラウザーはメッセージを保存しません。",
  notifyMe: "通知",
  never: "しない",
  alsoEnd: "ターン終了時も",
  unable:
    "通知を利用できません。HTTPS か localhost でのみ許可するブラウザーがあります。タブのタイトルの数字は引き続き使えます。",
  granted: "許可されています。このブラウザーで Quarterdeck のタブが開いている間、通知が届きます。",
  notAsked: "ブラウザーはまだ許可を求めていません。",
  example: "リクエストの通知はこのように表示されます。",
  kept: "このデバイスに保存",
  who: {
    you: "あなた",
    claude: "Claude",
    tool: "ツール",
    note: "メモ",
  },
  newVersion: "このページの新しいバージョンがあります。",
  reload: "再読み込み",
  ask: "通知をオンにしますか？",
  askWhy: "このページを閉じていても、対応待ちのセッションがわかります。通知は暗号化され、内容は設定で隠せます。",
  turnOn: "オンにする",
  notNow: "今はしない",
};
