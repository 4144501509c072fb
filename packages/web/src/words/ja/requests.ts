import type { english, RequestKind } from "../en/requests.ts";
import type { Translation } from "../translation.ts";

const KINDS: Readonly<Record<RequestKind, string>> = {
  permission: "リクエスト",
  question: "質問",
  plan: "プラン",
  elicitation: "入力リクエスト",
  dialog: "ダイアログ",
  hook: "フック",
  mcp: "MCP リクエスト",
};
const HOW: Readonly<Partial<Record<RequestKind, { readonly allow: string; readonly deny: string }>>> = {
  plan: { allow: "承認され", deny: "差し戻され" },
  question: { allow: "回答され", deny: "閉じられ" },
};
const UNITS: Readonly<Record<string, string>> = { characters: " 文字", choices: " 個" };
const unitOf = (of: string): string => UNITS[of] ?? " ";

/** Subjects that are not names. */
const SUBJECTS: Readonly<Record<string, string>> = {
  files: "ファイル",
  "all that find matches": "find に一致するすべて",
  "the whole environment": "環境変数すべて",
  "a branch on the remote": "リモートのブランチ",
};
/** Words around a name. */
const AROUND: readonly (readonly [RegExp, string])[] = [
  [/^a branch on (.+)$/u, "$1 のブランチ"],
  [/^the branch (.+)$/u, "ブランチ $1"],
  [/^the contents of (.+)$/u, "$1 の内容"],
];
const subject = (words: string): string =>
  SUBJECTS[words] ?? AROUND.reduce((said, [english, own]) => said.replace(english, own), words);
const listed = (subjects: readonly string[]): string => {
  const shown = subjects.slice(0, 3).map(subject);
  const more = subjects.length - shown.length;
  return more > 0 ? `${shown.join("、")} ほか ${more} 件` : shown.join("、");
};

export const japanese: Translation<typeof english> = {
  newFile: "新規ファイル",
  wants: (wants) => `Claude が${wants}`,
  wantsTool: "このツールを使おうとしています",
  wantsEdit: "Claude が編集しようとしています",
  wantsWrite: "Claude が書き込もうとしています",
  wantsRun: (commands) =>
    commands > 1
      ? `Bash が ${commands} 個のコマンドを実行しようとしています`
      : "Bash がコマンドを実行しようとしています",
  agent: "エージェント {name}",
  openFile: "ファイルを開く",
  claim: "Claude の説明: {words}",
  blocked: "ブロックされたパス: {path}",
  action: "リクエストされた操作",
  toEnd: "末尾へ",
  lineOf: (line, lines) => `全 ${lines} 行中 ${line} 行目`,
  dangers: "危険",
  danger: {
    unparsed: {
      verb: "確認できません。",
      words: (subjects) =>
        subjects.includes("hidden")
          ? "どのプログラムが動くかは実行時まで分かりません。注意して読んでください。"
          : subjects.includes("code")
            ? "このプログラムは別のプログラムを起動したりファイルを削除したりできます。注意して読んでください。"
            : "このコマンドには解析できない部分があります。注意して読んでください。",
    },
    root: {
      verb: "管理者として実行:",
      words: (subjects) => `${listed(subjects)} を使います。マシン全体を変更できます。`,
    },
    runs: {
      verb: "誰も見ていないコードを実行:",
      words: (subjects) =>
        subjects.includes("load") ? "ダウンロードしてすぐに実行します。" : "別のコマンドの出力をシェルが実行します。",
    },
    deletes: { verb: "削除:", words: (subjects) => `${listed(subjects)}。元に戻せません。` },
    discards: { verb: "破棄:", words: (subjects) => `コミットしていない作業 (${listed(subjects)})。` },
    overwrites: {
      verb: "上書き:",
      words: (subjects) => `${listed(subjects)}。他の人がプッシュしたコミットが失われることがあります。`,
    },
    forces: { verb: "安全確認を省略:", words: (subjects) => `${listed(subjects)}。` },
    outside: { verb: "プロジェクトの外に書き込み:", words: (subjects) => `${listed(subjects)}。` },
    secrets: { verb: "機密情報に触れます:", words: (subjects) => `${listed(subjects)}。` },
    network: { verb: "ネットワークを使用:", words: (subjects) => `${listed(subjects)}。` },
  },
  measure: (lines, bytes) => `${lines} 行、${bytes} · SHA-256 {hash}…`,
  hidden: (count) => `隠れた文字が ${count} 個あり、印で表示しています`,
  hiddenInFields: (count) => `隠れた文字が ${count} 個ありますが、入力欄には表示されません`,
  mixed: (words) => `1 つの単語に異なる文字体系の文字が混ざっています: ${words}`,
  look: (warnings) => `よく確認してください: ${warnings.join("。")}。`,
  noInput: "入力なし",
  nothing: "なし",
  unreadable: "読み取れません: {reason}",
  noReason: "理由不明",
  added: "追加",
  removed: "削除",
  mayNot: "このデバイスはリクエストに応答できません。",
  fixRule: "先にルールを修正してください",
  typeName: "先にファイル名を入力してください",
  fixInput: "先に入力を修正してください",
  instead: "Claude に代わりに何をしてほしいですか？",
  insteadHow: "Claude はこれを読んで続行します",
  guard: "{name} を変更し、このセッションの後も有効です。確認のため名前を入力してください。",
  unread: (lines) => (lines <= 0 ? "末尾が未読です" : `${lines} 行が未読です`),
  why: "確認の理由:",
  stop: "。",
  byRule: (rule, file) => `${file === undefined ? "" : `${file} の`}ルール ${rule} が確認を求めています`,
  ruleAsks: "ルール {rule} が確認を求めています（{place}）。",
  inMode: (reason, mode) => `${reason}現在のモードは「${mode}」です。`,
  noCalls: "比較できる以前の呼び出しがありません。",
  matchesNone: (calls) => `最近 ${calls} 回の呼び出しのどれにも一致しません。`,
  matchesOld: (matched, calls) =>
    `最近 ${calls} 回の呼び出しのうち ${matched} 回に一致しますが、すべてもともと許可されています。`,
  matchesNew: (newly, calls) => `最近 ${calls} 回の呼び出しのうち、さらに ${newly} 回も許可していたことになります`,
  risky: (risk) => `危険: ${risk}`,
  howLong: "期間",
  once: "1 回",
  allow: "許可",
  session: "このセッション",
  sessionAbout: "プロセスが停止するまで",
  sessionButton: "このセッションで許可",
  always: "常に",
  alwaysAbout: (kind, count, file) =>
    `${count === 1 ? (kind === "rule" ? "このルール" : "このフォルダー") : `${count} 個のルール`}を ${file} に追加します`,
  alwaysButton: "常に許可",
  allEdits: "すべての編集を許可",
  mode: (mode) => `「${mode}」に切り替え`,
  modeAbout: (mode, folders) =>
    `このセッションを「${mode}」に切り替えます${folders.length === 0 ? "" : `（${folders.join("、")} でも有効）`}`,
  modeButton: (mode) => `許可して「${mode}」に切り替え`,
  alwaysAsks:
    "「常に」を選んでも変わりません。ルール {rule} が毎回確認を求め、確認のルールは許可のルールより優先されます。{page}で変更できます。",
  rulesPage: "ルールのページ",
  savedIn: "保存先",
  where: "ルールの保存先",
  rule: "ルール",
  folder: "フォルダー",
  trueText: "実際のテキスト: {text}",
  needsFolder: "フォルダーを入力してください。",
  badRule: (problem) =>
    `有効なルールではありません。${problem ?? "Tool または Tool(pattern) の形で入力してください。"}`,
  deny: "拒否",
  denyThis: "この理由で拒否",
  back: "戻る",
  moreAllow: "その他の許可方法",
  moreAllowTip: "1 回、このセッション、常に",
  discard: "変更を破棄",
  edit: "編集",
  moreDeny: "その他の拒否方法",
  moreDenyTip: "理由を付ける、またはターンを停止",
  denies: "{key} で拒否",
  goesBack: "{key} で戻る",
  asEdited: (button) => `${button}（編集した内容で）`,
  again: (tap) => (tap ? "もう一度タップ" : "もう一度押す"),
  twice: (tap) => (tap ? "2 回タップ" : "2 回押す"),
  moment: "お待ちください。このリクエストは表示または移動されたばかりです",
  anyway: "それでも許可",
  howDeny: "拒否の方法",
  denyOn: "{deny}して Claude に続行させる",
  denyWhy: "理由を付けて拒否…",
  denyWhyOn: "{deny} Claude が理由を読んで続行します",
  denyStop: "拒否して停止",
  denyStopOn: "{deny}（ターンを終了）",
  or: (one, other) => `${one} または ${other}`,
  asJson: "JSON 形式の入力",
  editJson: "JSON で編集",
  notObject: "入力は JSON オブジェクトでなければなりません。",
  noChanges: "まだ変更はありません",
  changes: "あなたの変更",
  changesTo: (field) => `${field} への変更`,
  dialog: "ダイアログ",
  dismiss: "閉じる",
  needsInput: "入力が必要です",
  visit: "{host} へのアクセスを求めています: {url}",
  noAddress: "無効なアドレス",
  answerJson: "JSON で回答を入力してください。このリクエストにはフォームがありません。",
  notJson: "有効な JSON ではありません",
  done: "完了",
  send: "送信",
  decline: "辞退",
  cancel: "キャンセル",
  required: "（必須）",
  choose: "選択してください…",
  isRequired: "必須です",
  whole: "整数でなければなりません",
  atLeast: (count, of) => `${count}${unitOf(of)}以上でなければなりません`,
  atMost: (count, of) => `${count}${unitOf(of)}以下でなければなりません`,
  fieldProblem: (field, problem) => `${field}: ${problem}。`,
  plan: "プラン",
  planReady: "プランを確認できます",
  planTold: "プランは会話の中にあります。Claude はファイルに書き出していません。",
  planWords: "変更点を書くか、もう一度「プランを続ける」を押してください",
  planChanges: "変更の要望（任意）",
  approve: "承認",
  approveAnyway: "それでも承認",
  thenUse: "その後のモード",
  modeAfter: "プランの後のモード",
  keepPlanning: "プランを続ける",
  reject: "却下して停止",
  question: "質問",
  questions: "質問",
  rawQuestion: "このページではこの質問を表示できません。元の形式で示します。",
  answered: "、回答済み",
  yourAnswer: "あなたの回答",
  other: "その他",
  addNote: "メモを追加",
  note: "メモ",
  preview: (label) => `${label} のプレビュー`,
  sendAnswers: "回答を送信",
  answer: "回答",
  next: "次へ",
  skip: "この質問をスキップ",
  previous: "前のリクエスト",
  nextRequest: "次のリクエスト",
  place: (at, count) => `${at} / ${count}`,
  needsYou: (count) => (count === 1 ? "対応が必要です" : `${count} 件のリクエストに対応が必要です`),
  permissionNeedsYou: (tool) => `${tool} の権限リクエストに対応が必要です`,
  kindNeedsYou: (kind) => `${KINDS[kind]}に対応が必要です`,
  withdrawn: (kind) => `${KINDS[kind]}は取り下げられました。`,
  ended: (kind) => `Claude Code が停止したため、${KINDS[kind]}は終了しました。`,
  closed: (kind, behavior, device, time) => {
    const { allow, deny } = HOW[kind] ?? { allow: "許可され", deny: "拒否され" };
    const how = behavior === "allow" ? allow : behavior === "deny" ? deny : "回答され";
    return `${KINDS[kind]}は ${time} に${device === undefined ? "" : ` ${device} で`}${how}ました。`;
  },
  late: (device, time) =>
    `${time === undefined ? "" : `${time} に`}${device === undefined ? "" : ` ${device} で`}すでに応答されています。`,
  otherDevice: "別のデバイス",
};
