// No text of the page stands outside the catalogue: each file of the page is parsed, and what reads like words is a finding.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "vite";
import { describe, expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "..");

/** Folders whose texts are in the catalogue. */
const MOVED = [
  "actions",
  "app",
  "board",
  "budget",
  "composer",
  "content",
  "fleet",
  "help",
  "home",
  "keys",
  "notify",
  "pairing",
  "palette",
  "parts",
  "replay",
  "requests",
  "rules",
  "search",
  "server",
  "sessions",
  "store",
  "timeline",
  "workbench",
];

/** Attributes that a person reads or hears. */
const READ = new Set([
  "title",
  "aria-label",
  "aria-description",
  "aria-roledescription",
  "placeholder",
  "alt",
  "label",
  "about",
]);
/** Attributes and functions whose strings are for the browser. */
const UNREAD = new Set([
  "className",
  "class",
  "d",
  "style",
  "media",
  "sizes",
  "rel",
  "allow",
  "sandbox",
  "accept",
  "viewBox",
  "transform",
  "points",
]);

/** Names of tools as the wire has them, and of formats. They are the same in each language. */
const TOOLS: ReadonlySet<string> = new Set(
  "Bash Glob Grep MCP Monitor NotebookEdit PDF Read Skill WebFetch WebSearch Write".split(" "),
);

/** Methods whose strings are selectors. */
const SELECTS = new Set(["querySelector", "querySelectorAll", "closest", "matches"]);

/** Files with lists of names for programs, and no texts for people. What they throw comes from a bug, or from Mermaid's own frame. */
const LISTS: ReadonlySet<string> = new Set([
  "content/code/token-classes.ts",
  "content/markdown/clean-svg.ts",
  "content/markdown/diagram-frame.ts",
  "content/markdown/diagram-guard.ts",
  "content/markdown/diagram-limits.ts",
  "content/markdown/links.ts",
  "content/markdown/math-tree.ts",
]);

/** What reads like words but is not said to a person: names of programs, and what goes to the CLI or to the model. Each with its file. */
const NOT_WORDS: Readonly<Record<string, readonly string[]>> = {
  "notify/keep-page.ts": ["take over"],
  "notify/service-worker.ts": ["Denied.", "take over"],
  "notify/worker-choice.ts": ["(display-mode: standalone)"],
  "pairing/pair-screen.tsx": ["npx quarterdeck devices pair"],
  "pairing/device-name.ts": ["Browser", " on ", "this device"],
  "sessions/hand-over-dialog.tsx": ["npx quarterdeck attach"],
  "workbench/changes/comments.ts": [
    "(before the change)",
    "more lines",
    "Address this comment:",
    "Address these comments:",
    "No comments.",
  ],
  "workbench/changes/diff-body.tsx": ["(pointer: coarse)"],
  "workbench/changes/review-keys.ts": [":popover-open, dialog[open]"],
  "workbench/git/commit-box.tsx": [
    "Propose a git commit message for the staged changes that are listed below. Answer with the message alone: a subject of at most 72 characters, and a body only if it is needed. Do not run anything.",
  ],
  "workbench/mcp/server-dialog.tsx": ["input mono", "npx", "https://"],
  "workbench/mcp/sign-in.tsx": ["http://localhost:…"],
  "workbench/settings/settings-tab.tsx": ["/add-dir"],
  "sessions/folder-picker.tsx": ["git"],
  "sessions/start-dialog.tsx": ["Bash(npm test *), Edit(/src/**)", "WebFetch, Bash(rm *)"],
  "store/client.tsx": ["No client in this context. Wrap the component in ClientProvider."],
  "content/kept-choices.ts": ["Wrap this in ChoicesProvider."],
  "content/code/own-script.ts": ["Only the page's own scripts."],
  "content/markdown/draw-diagram.ts": ["No longer needed."],
  "requests/plan-card.tsx": ["The user stopped here."],
  "timeline/tools/bash.tsx": ["The user doesn't want to proceed"],
  "requests/question-card.tsx": [".ask-options input"],
  "rules/verdict.ts": ["Read it.", "npm test"],
  "rules/policies.tsx": ["Bash(git push:*)"],
  "rules/rule-dialog.tsx": ["Bash(npm test:*)"],
  "timeline/scope.tsx": ["Rows stand in a timeline."],
  "timeline/timeline.tsx": [".find input"],
  "timeline/rows/trouble.tsx": ["claude", "/login"],
};

/** Two words after each other, or one word that begins like a sentence and has a space or a full stop. */
const READS_LIKE_WORDS = /\p{L}{2,}[,;:]? \p{Ll}{2,}|^\p{Lu}\p{Ll}+[ .…:]/u;
/** The same in all languages. */
const NAMES = /Claude Code|Quarterdeck/gu;
/** A media query. */
const QUERY = /^\([a-z-]+: [\w.-]+\)$/u;
const HAS_WORD = /\p{L}{2,}/u;

interface Finding {
  readonly text: string;
  readonly start: number;
}

const findingsOf = (file: string, code: string): Finding[] => {
  const { program, errors } = parseSync(file, code);
  expect(errors, file).toEqual([]);
  const found: Finding[] = [];
  const silent: [number, number][] = [];
  const isSilent = (start: number): boolean => silent.some(([from, to]) => from <= start && start < to);
  const add = (text: string, start: number, pattern: RegExp): void => {
    const trimmed = text.replaceAll(/\s+/gu, " ");
    const unnamed = trimmed.replaceAll(NAMES, "");
    if (pattern.test(unnamed) && !QUERY.test(trimmed) && !isSilent(start)) found.push({ text: trimmed, start });
  };
  new Visitor({
    ImportDeclaration: ({ start, end }) => silent.push([start, end]),
    ExportAllDeclaration: ({ start, end }) => silent.push([start, end]),
    TSTypeAnnotation: ({ start, end }) => silent.push([start, end]),
    TSTypeAliasDeclaration: ({ start, end }) => silent.push([start, end]),
    TSInterfaceDeclaration: ({ start, end }) => silent.push([start, end]),
    JSXAttribute: ({ name, value, start, end }) => {
      const attribute = name.type === "JSXIdentifier" ? name.name : "";
      if (READ.has(attribute) && value?.type === "Literal") add(value.value, value.start, HAS_WORD);
      if (UNREAD.has(attribute) || (READ.has(attribute) && value?.type === "Literal")) silent.push([start, end]);
    },
    // Caps of keys and commands are the same in all languages.
    JSXElement: ({ openingElement: { name }, start, end }) => {
      if (name.type === "JSXIdentifier" && /^(?:kbd|code)$/u.test(name.name)) silent.push([start, end]);
    },
    CallExpression: ({ callee, arguments: given }) => {
      const isSelector =
        callee.type === "MemberExpression" &&
        callee.property.type === "Identifier" &&
        SELECTS.has(callee.property.name);
      if (isSelector) for (const { start, end } of given) silent.push([start, end]);
    },
    JSXText: ({ value, start }) => add(value, start, HAS_WORD),
    Literal: (node) => {
      if (typeof node.value === "string") add(node.value, node.start, READS_LIKE_WORDS);
    },
    TemplateElement: ({ value, start }) => add(value.cooked ?? value.raw, start, READS_LIKE_WORDS),
  }).visit(program);
  return found;
};

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/u.test(file) && !/\.(?:test|fixture)\.tsx?$/u.test(file) && !file.startsWith("words/"),
);
const folderOf = (file: string): string => file.split("/", 1)[0]!;

describe("the catalogue of texts", () => {
  it("has all texts of the page", () => {
    const escaped = files
      .filter((file) => MOVED.includes(folderOf(file)) && !LISTS.has(file))
      .flatMap((file) =>
        findingsOf(file, readFileSync(join(SOURCE, file), "utf8"))
          .filter(({ text }) => !TOOLS.has(text.trim()))
          .filter(({ text }) => !(NOT_WORDS[file]?.includes(text.trim()) || NOT_WORDS[file]?.includes(text)))
          .map(({ text }) => `${file}: ${text}`),
      );
    expect(escaped).toEqual([]);
  });

  it("has no exception that is no longer needed", () => {
    const stale = Object.entries(NOT_WORDS).flatMap(([file, texts]) => {
      const code = files.includes(file) ? readFileSync(join(SOURCE, file), "utf8") : "";
      return texts.filter((text) => !code.includes(text)).map((text) => `${file}: ${text}`);
    });
    expect(stale).toEqual([]);
  });

  it("has languages that import only types, since the page waits for them before its other modules run", () => {
    const wrong = ["zh-CN", "ja"].flatMap((name) =>
      readdirSync(join(SOURCE, "words", name)).flatMap((file) => {
        const code = readFileSync(join(SOURCE, "words", name, file), "utf8");
        return [...code.matchAll(/^import (?!type )[^;"]*"(?!\.\/)[^"]*"/gmu)].map(
          ([line]) => `${name}/${file}: ${line}`,
        );
      }),
    );
    expect(wrong).toEqual([]);
  });

  it("has languages without what the first load has in all languages, since each would wait for the other", () => {
    for (const name of ["zh-CN", "ja"]) {
      const code = readFileSync(join(SOURCE, "words", name, "catalogue.ts"), "utf8");
      expect(code).toContain("./names.ts");
      expect(code).not.toMatch(/\.\/(?:format|worker)\.ts/u);
    }
  });

  it("finds a text in each form that it can have", () => {
    const code = `const a = <p title="Allow">Deny</p>; const b = "Not sent yet."; const c = \`\${n} files changed\`; const d = <i className="wide row" />;`;
    expect(findingsOf("a.tsx", code).map(({ text }) => text)).toEqual([
      "Allow",
      "Deny",
      "Not sent yet.",
      " files changed",
    ]);
  });
});
