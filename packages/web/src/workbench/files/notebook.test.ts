import { expect, it } from "vitest";
import { notebookCells } from "./notebook.ts";

it("reads sources and outputs of each cell", () => {
  const cells = [
    { cell_type: "markdown", source: ["# Tide\n", "high"] },
    {
      cell_type: "code",
      source: "plot()",
      outputs: [
        { output_type: "stream", text: ["a\n", "b"] },
        { output_type: "display_data", data: { "image/png": "aGk=\n", "text/plain": "<Figure>" } },
        { output_type: "execute_result", data: { "text/plain": ["42"] } },
        { output_type: "error", ename: "E", evalue: "bad", traceback: [] },
        "no output",
      ],
    },
  ];
  expect(notebookCells(JSON.stringify({ cells, metadata: { language_info: { name: "julia" } } }))).toEqual([
    { cell_type: "markdown", source: "# Tide\nhigh", language: "julia", outputs: [] },
    {
      ...{ cell_type: "code", source: "plot()", language: "julia" },
      outputs: [
        { text: "a\nb" },
        { image: { image_data: "aGk=", media_type: "image/png" } },
        { text: "42" },
        { text: "E: bad" },
      ],
    },
  ]);
  expect(notebookCells("no")).toBeUndefined();
  expect(notebookCells('{"cells":{}}')).toBeUndefined();
});
