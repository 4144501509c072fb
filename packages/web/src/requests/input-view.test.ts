import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { Input } from "./asked.ts";
import { InputPreview } from "./input-view.tsx";

const shown = (tool: string, input: Input): string => {
  const hunks = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-one", "+two"] }];
  const preview = { kind: "diff", path: "/a", hunks, before: "one", text: "two" } as const;
  return renderToStaticMarkup(createElement(InputPreview, { tool, preview, input }));
};
const fieldsIn = (markup: string): string[] =>
  [...markup.matchAll(/<dt>(.*?)<\/dt><dd><pre>(.*?)<\/pre>/gsu)].map(([, name, value]) =>
    `${name!}: ${value!}`.replaceAll(/<[^>]+>|\s+/gu, ""),
  );

describe("[S60] the card of a change", () => {
  it("[S60] shows each field that the diff does not show", () => {
    const edit = {
      file_path: "/a",
      old_string: "one",
      new_string: "two",
      replace_all: true,
      description: "x",
      then: "y",
    };
    expect(fieldsIn(shown("Edit", edit))).toEqual(["replace_all:true", "description:x", "then:y"]);
    const edits = [{ old_string: "one", new_string: "two", replace_all: true }];
    expect(fieldsIn(shown("MultiEdit", { file_path: "/a", edits }))).toEqual([
      "edits:[{&quot;replace_all&quot;:true}]",
    ]);
  });

  it("[S60] has no list of fields where the diff shows all", () => {
    expect(shown("Write", { file_path: "/a", content: "two" })).not.toContain("ask-fields");
  });
});
