import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { riskOf } from "@quarterdeck/permissions";
import { dangersIn } from "@quarterdeck/permissions/dangers";
import { describe, expect, it } from "vitest";
import { japanese as japaneseRequests } from "./ja/requests.ts";
import { japanese } from "./ja/sentences.ts";
import { sentencesIn } from "./sentences.ts";
import { chinese as chineseRequests } from "./zh-CN/requests.ts";
import { chinese } from "./zh-CN/sentences.ts";

const SHARED = join(import.meta.dirname, "..", "..", "..", "permissions", "src");
const LANGUAGES = { chinese, japanese };

describe("sentences of the shared packages", () => {
  it.each(Object.entries(LANGUAGES))("%s has the sentences of the packages, except a few", (_, { texts }) => {
    const code = readdirSync(SHARED)
      .filter((file) => !/\.(?:test|fixture)\.ts$/u.test(file))
      .map((file) => readFileSync(join(SHARED, file), "utf8"))
      .join("\n");
    // Some end with a piece that the code adds.
    const isSaid = (piece: string): boolean => code.includes(piece.trim().replace(/^[,.)] ?|[.]$/gu, ""));
    const stale = Object.keys(texts).filter((key) => !key.split(/\{\d\}|: /u).every(isSaid));
    // A sentence that changed is shown in English until it is translated again.
    expect(stale.length, stale.join("\n")).toBeLessThan(Object.keys(texts).length / 10);
  });

  it("are the same in each language, with the same names in them", () => {
    expect(Object.keys(japanese.texts)).toEqual(Object.keys(chinese.texts));
    const namesIn = (text: string): string[] => (text.match(/\{\d\}/gu) ?? []).toSorted();
    for (const { texts } of Object.values(LANGUAGES))
      for (const [key, text] of Object.entries(texts)) expect([key, namesIn(text)]).toEqual([key, namesIn(key)]);
  });

  it("keep names, and have a sentence inside of a sentence", () => {
    const said = sentencesIn(japanese.texts);
    expect(said(riskOf({ toolName: "Bash", ruleContent: "rm:*" })!.words)).toBe(
      "rm はファイルを破壊したり、プログラムを止めたりできます。",
    );
    expect(said("The command cannot be checked before it runs. It has a variable.")).toBe(
      "このコマンドは実行前に確認できません。変数があります。",
    );
    expect(said("This rule has no effect: Bash(a*b) (deny, All your projects) is stronger.")).toBe(
      "このルールは効果がありません。Bash(a*b)（拒否、自分のすべてのプロジェクト）のほうが強いためです。",
    );
  });

  it("that are not known stay as they are", () => expect(sentencesIn(chinese.texts)("A new one.")).toBe("A new one."));
});

describe("dangers of a command", () => {
  it.each([
    ["git push --force", "远程仓库上的一个分支", "リモートのブランチ"],
    ["git push --force origin", "origin 上的一个分支", "origin のブランチ"],
    ["git push --force origin main", "origin/main", "origin/main"],
    ["git branch -D topic", "分支 topic", "ブランチ topic"],
    ["find . -delete", "find 匹配的所有内容", "find に一致するすべて"],
  ])("of %s have no English words around the names", (command, inChinese, inJapanese) => {
    const [danger] = dangersIn(command, { cwd: "/srv/app" });
    const { kind, subjects } = danger!;
    expect(chineseRequests.danger?.[kind]?.words?.(subjects)).toMatch(new RegExp(`^${inChinese}[。（]`, "u"));
    expect(japaneseRequests.danger?.[kind]?.words?.(subjects)).toContain(inJapanese);
  });
});
