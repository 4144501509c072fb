import { expect, it } from "vitest";
import { sourcesOf } from "./sources.ts";

it("reads every form of citations, each source once", () => {
  const web = {
    type: "web_search_result_location",
    url: "https://tides.example/a",
    title: "Tides",
    cited_text: "High",
  };
  expect(
    sourcesOf([
      web,
      { ...web, cited_text: "Low" },
      { type: "page_location", document_title: "Chart", start_page_number: 7, cited_text: "Rocks\n\nhere" },
      { type: "search_result_location", source: "harbour/depths", title: "Depths" },
      { type: "char_location", document_title: null, cited_text: "Only words" },
      { type: "char_location", document_index: 3 },
    ]),
  ).toEqual([
    { title: "Tides", url: "https://tides.example/a", quote: "High" },
    { title: "Chart, p. 7", quote: "Rocks here" },
    { title: "Depths" },
    { title: "Only words" },
  ]);
  expect(sourcesOf()).toEqual([]);
});

it("has no addresses but those of the web, and limits what it shows", () => {
  const hostile = ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//no.example", "https://"];
  for (const url of hostile) expect(sourcesOf([{ url, title: "A" }])).toEqual([{ title: "A" }]);
  expect(sourcesOf([{ url: "javascript:alert(1)" }])).toEqual([{ title: "javascript:alert(1)" }]);
  const many = Array.from({ length: 200 }, (_, at) => ({
    url: `https://a.example/${String(at)}`,
    title: "x".repeat(9000),
  }));
  const sources = sourcesOf(many);
  expect(sources).toHaveLength(50);
  expect(sources[0]?.title).toHaveLength(300);
  expect(sourcesOf([{ title: 7, cited_text: {}, url: [] }])).toEqual([]);
});
