import { expect, it } from "vitest";
import { editorHref, EDITORS, isEditorTemplate } from "./editors.ts";

it("names file and line in each editor's way", () => {
  const place = { path: "/w/a b/#tide?.js", line: 12 };
  expect(EDITORS.map(({ template }) => editorHref(template, place))).toEqual([
    "vscode://file/w/a%20b/%23tide%3F.js:12:1",
    "cursor://file/w/a%20b/%23tide%3F.js:12:1",
    "zed://file/w/a%20b/%23tide%3F.js:12:1",
    "idea://open?file=/w/a%20b/%23tide%3F.js&line=12&column=1",
  ]);
});

it("takes no address that a browser would run or fetch", () => {
  expect(EDITORS.every(({ template }) => isEditorTemplate(template))).toBe(true);
  expect(isEditorTemplate("vscode://vscode-remote/ssh-remote+desk{path}:{line}")).toBe(true);
  for (const bad of [
    "javascript:alert('{path}')",
    "JavaScript:{path}",
    "https://x/{path}",
    "data:{path}",
    "file://{path}",
    "{path}",
    "vscode://file",
  ])
    expect(isEditorTemplate(bad), bad).toBe(false);
});
